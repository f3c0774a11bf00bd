"""Users, what they may do, how they log in, and what they did."""

from poolsite.access.models.audit import AuditEntry
from poolsite.access.models.credentials import ApiToken, CodeGuard, Invitation
from poolsite.access.models.four_eyes import AccessLink, FinanceRequest
from poolsite.access.models.idempotency import IdempotentRequest
from poolsite.access.models.tenants import Account, Grant, GrantName, Membership, Role, User

__all__ = [
    "AccessLink",
    "Account",
    "ApiToken",
    "AuditEntry",
    "CodeGuard",
    "FinanceRequest",
    "Grant",
    "GrantName",
    "IdempotentRequest",
    "Invitation",
    "Membership",
    "Role",
    "User",
]
