"""Example values of the OpenAPI document: an account, its people, a token, an audit entry."""

from collections.abc import Mapping
from typing import Any, Final

from poolsite.api.examples import AT

PERSON: Final = {
    "id": 41,
    "username": "lin.mei",
    "name": "Lin Mei",
    "email": "lin.mei@example.com",
    "active": True,
    "second_factor": True,
    "last_login_at": AT,
}
INVITATION: Final = {
    "id": 9,
    "account": "acme",
    "email": "wang.hao@example.com",
    "role": "agent",
    "grants": [],
    "invited_by": "lin.mei",
    "created_at": AT,
    "expires_at": "2026-03-08T02:32:07.481920+00:00",
}
TOKEN: Final = {
    "id": 17,
    "name": "fs-01",
    "prefix": "ps_4kZr2x",
    "account": "acme",
    "actions": ["numbers.event", "numbers.view"],
    "resources": ["pool:retail-east"],
    "events": ["call", "hangup"],
    "switch": "fs-01",
    "networks": ["203.0.113.0/24"],
    "created_at": AT,
    "expires_at": "2026-05-30T02:32:07.481920+00:00",
    "revoked_at": None,
    "last_used_at": AT,
}
ACCOUNT: Final = {
    "slug": "acme",
    "name": "Acme Retail",
    "zone": "Asia/Shanghai",
    "currency": "CNY",
    "locale": "en",
}

PROFILE: Final = {
    "id": 41,
    "username": "lin.mei",
    "email": "lin.mei@example.com",
    "first_name": "Mei",
    "last_name": "Lin",
    "zone": "Asia/Shanghai",
    "locale": "zh-hans",
}

EXAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "ProfileOut": PROFILE,
    "ProfileChangeIn": {"zone": "Asia/Shanghai", "locale": "zh-hans"},
    "people": {"slug": "acme", "user": 41, "invitation": 9, "finance_request": 3},
    "tokens": {"token": 17},
    "audit-log": {"entry": 20_418, "action": "numbers.pool_configure"},
    "AccountDetailOut": {**ACCOUNT, "created_at": AT},
    "AccountCreateIn": ACCOUNT,
    "AccountChangeIn": {"name": "Acme Retail", "locale": "zh-hans", "reason": "New name"},
    "PersonOut": PERSON,
    "MemberOut": {**PERSON, "roles": ["admin", "supervisor"], "supervises": ["desk:support"]},
    "MemberChangeIn": {"roles": ["agent"], "supervises": ["desk:support"]},
    "OperatorOut": {**PERSON, "grants": ["operate"], "all_rights": False},
    "OperatorChangeIn": {"grants": ["operate", "finance"], "reason": "Joins the billing team"},
    "OperatorChangedOut": {"changed": False, "waits_for_approval": True},
    "PersonReasonIn": {"reason": "Left the company"},
    "ApprovalIn": {"reason": "Agreed with the team lead"},
    "MemberInviteIn": {"email": "wang.hao@example.com", "role": "agent"},
    "OperatorInviteIn": {"email": "wang.hao@example.com", "grants": ["operate"]},
    "InvitationOut": INVITATION,
    "InvitationMadeOut": {**INVITATION, "mailed": True},
    "FinanceRequestOut": {
        "id": 3,
        "user": "wang.hao",
        "requested_by": "lin.mei",
        "requested_at": AT,
        "reason": "Joins the billing team",
        "status": "approved",
        "decided_by": "chen.yu",
        "decided_at": "2026-03-01T03:10:44.019304+00:00",
        "decision_reason": "",
    },
    "ApiTokenOut": TOKEN,
    "ApiTokenMadeOut": {**TOKEN, "last_used_at": None, "token": "ps_4kZr2xWcQm9v8f14e45f"},
    "ApiTokenIn": {
        "name": "fs-01",
        "account": "acme",
        "actions": ["numbers.event", "numbers.view"],
        "resources": ["pool:retail-east"],
        "networks": ["203.0.113.0/24"],
    },
    "RevokeIn": {"reason": "The switch was replaced"},
    "AuditEntryOut": {
        "id": 20_418,
        "at": AT,
        "actor": "lin.mei",
        "actor_type": "user",
        "action": "numbers.pool_configure",
        "text": "Lin Mei changed the settings of Retail East",
        "object_type": "pool",
        "object_id": "retail-east",
        "object": "Retail East",
        "account": "acme",
        "before": {"cooldown_seconds": 60},
        "after": {"cooldown_seconds": 120},
        "reason": "Fewer repeated calls",
        "job": "",
    },
    "UndoneOut": {"object": "Retail East"},
}
