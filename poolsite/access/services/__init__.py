"""Changes to accounts, users and their rights: audited, and announced to every process."""

from poolsite.access.services.accounts import account_change, account_create
from poolsite.access.services.factors import code_use, factors_remove, first_code_use
from poolsite.access.services.finance_requests import (
    finance_approve,
    finance_ask,
    finance_reject,
)
from poolsite.access.services.idempotency import (
    forget_keys,
    key_answered,
    key_claim,
    key_release,
)
from poolsite.access.services.invitations import (
    invitation_accept,
    invitation_create,
    invitation_withdraw,
)
from poolsite.access.services.managing import (
    factors_reset,
    member_invite,
    member_set,
    operator_invite,
    operator_set,
    user_set_active,
)
from poolsite.access.services.people import (
    grant_set,
    grants_set,
    log_out_everywhere,
    membership_set,
    password_reset,
    password_set,
    user_activate,
    user_create,
    user_deactivate,
)
from poolsite.access.services.profile import profile_change
from poolsite.access.services.tokens import token_create, token_issue, token_revoke
from poolsite.access.services.visitors import visitor_end, visitor_token

__all__ = [
    "account_change",
    "account_create",
    "code_use",
    "factors_remove",
    "factors_reset",
    "finance_approve",
    "finance_ask",
    "finance_reject",
    "first_code_use",
    "forget_keys",
    "grant_set",
    "grants_set",
    "invitation_accept",
    "invitation_create",
    "invitation_withdraw",
    "key_answered",
    "key_claim",
    "key_release",
    "log_out_everywhere",
    "member_invite",
    "member_set",
    "membership_set",
    "operator_invite",
    "operator_set",
    "password_reset",
    "password_set",
    "profile_change",
    "token_create",
    "token_issue",
    "token_revoke",
    "user_activate",
    "user_create",
    "user_deactivate",
    "user_set_active",
    "visitor_end",
    "visitor_token",
]
