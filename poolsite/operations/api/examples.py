"""Example values of the OpenAPI document: an incident, its timeline, tags and notes."""

from collections.abc import Mapping
from typing import Any, Final

from poolsite.api.examples import AT

INCIDENT: Final = {
    "id": 318,
    "type": "numbers.full",
    "object": "retail-east",
    "severity": "warning",
    "title": "Pool Retail East is full",
    "detail": "All 200 numbers are in calls.",
    "remedy": "Add numbers.",
    "account": "acme",
    "open": True,
    "since": "2026-03-01T02:10:00.117302+00:00",
    "until": None,
    "assigned_to": "Lin Mei",
    "assigned_at": AT,
    "snoozed_until": None,
    "snoozed_by": "",
    "snooze_reason": "",
}
RECIPIENT: Final = {
    "id": 7,
    "address": "ops@example.com",
    "account": "acme",
    "warnings": True,
    "active": True,
    "created_at": AT,
}
VIEW: Final = {"path": "/incidents/", "name": "Critical", "query": "severity=critical"}
TEXT: Final = "Call the carrier first."

WEBHOOK: Final = {
    "id": "we-5f1c0a9b7d3e",
    "name": "Billing system",
    "url": "https://example.com/webhooks",
    "events": ["message.delivered", "message.failed"],
    "account": "acme",
    "state": "active",
    "failing_since": None,
    "created_at": AT,
}
EVENT: Final = "evt_0e6f9a3c5b7d4e1f8a2b3c4d5e6f7a8b"
ATTEMPT: Final = {"at": AT, "status": 503, "error": "answered 503", "answer": "", "duration_ms": 41}
DELIVERY: Final = {
    "id": 9120,
    "event": EVENT,
    "type": "message.delivered",
    "created_at": AT,
    "state": "pending",
    "attempts": 1,
    "status": 503,
    "error": "answered 503",
    "sent_at": AT,
    "next_at": "2026-03-01T02:32:18.104000+00:00",
}

EXAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "incidents": {"incident": 318, "type": "numbers.full"},
    "objects": {"kind": "pool", "slug": "retail-east", "note": 12},
    "IncidentOut": INCIDENT,
    "IncidentDetailOut": {
        **INCIDENT,
        "resolvable": False,
        "related": [321],
        "timeline": [{"at": AT, "title": "Acknowledged by Lin Mei", "text": ""}],
        "owners": [{"id": 41, "username": "lin.mei", "name": "Lin Mei"}],
    },
    "TimelineOut": {"at": AT, "title": "Acknowledged by Lin Mei", "text": ""},
    "OwnerOut": {"id": 41, "username": "lin.mei", "name": "Lin Mei"},
    "AssignIn": {"user": 41},
    "SnoozeIn": {"until": "2026-03-01T18:00:00+08:00", "reason": "Numbers are on order"},
    "IncidentReasonIn": {"reason": "Checked with the carrier"},
    "alert-recipients": {"recipient": 7},
    "AlertRecipientOut": RECIPIENT,
    "AlertRecipientIn": {name: RECIPIENT[name] for name in ("address", "account", "warnings")},
    "AlertRecipientChangeIn": {"warnings": False, "reason": "Too many emails"},
    "saved-views": {"view": 23, "path": "/incidents/"},
    "SavedViewIn": VIEW,
    "SavedViewOut": {"id": 23, **VIEW, "created_at": AT},
    "NoteIn": {"text": TEXT},
    "webhooks": {"slug": "we-5f1c0a9b7d3e", "delivery": 9120, "type": "message.delivered"},
    "EndpointIn": {name: WEBHOOK[name] for name in ("name", "url", "events", "account")},
    "EndpointChangeIn": {"url": "https://example.com/v2/webhooks", "reason": "New server"},
    "WebhookReasonIn": {"reason": "The server moves"},
    "EndpointOut": WEBHOOK,
    "EndpointMadeOut": {**WEBHOOK, "secret": "whsec_3f9a…"},
    "DeliveryOut": DELIVERY,
    "DeliveryDetailOut": {
        **DELIVERY,
        "body": {"id": EVENT, "type": "message.delivered", "account": "acme", "data": {}},
        "log": [ATTEMPT],
    },
    "AttemptOut": ATTEMPT,
    "ResentOut": {"resent": 12},
    "EventTypeOut": {
        "type": "number.quarantined",
        "label": "Number quarantined",
        "description": "A person or a health rule took the number out of use.",
        "data": {"pool": "sales", "number": "+8613800000000"},
    },
    "TagsIn": {"tags": ["east", "retail"]},
    "TagsOut": {"tags": ["east", "retail"]},
    "NoteOut": {"id": 12, "text": TEXT, "author": "lin.mei", "created_at": AT},
}
