"""Converts rows of accounts and people to responses of the API."""

import smtplib
from typing import Any, cast

from django.http import HttpRequest

from poolsite.access import selectors
from poolsite.access.mails import send_invitation, site_of
from poolsite.access.models import Account, FinanceRequest, Invitation, User
from poolsite.moments import iso
from poolsite.people.api.schemas import (
    AccountDetailOut,
    FinanceRequestOut,
    InvitationMadeOut,
    InvitationOut,
    MemberOut,
    OperatorOut,
    PersonOut,
    RequestStatus,
    RoleName,
)


def account_out(account: Account) -> AccountDetailOut:
    """Return an account."""
    fields = {name: getattr(account, name) for name in ("slug", "name", "zone", "currency")}
    made = account.created_at.isoformat()
    return AccountDetailOut(**fields, locale=account.locale, created_at=made)


def person_fields(user: User) -> dict[str, Any]:
    """Return the fields that every user has."""
    known = getattr(user, "has_second_factor", None)
    return {
        "id": user.pk,
        "username": user.get_username(),
        "name": user.display_name,
        "email": user.email,
        "active": user.is_active,
        "second_factor": selectors.has_second_factor(user) if known is None else known,
        "last_login_at": iso(user.last_login),
    }


def person_out(user: User) -> PersonOut:
    """Return a user."""
    return PersonOut(**person_fields(user))


def member_out(user: User, account: Account) -> MemberOut:
    """Return a member; `selectors.members` has read the roles and grants of many at once."""
    return MemberOut(
        **person_fields(user),
        roles=cast(list[RoleName], selectors.roles_here(user, account)),
        supervises=selectors.supervised(user, account),
    )


def operator_out(user: User) -> OperatorOut:
    """Return an operator; `selectors.operators` has read the grants of many at once."""
    held = [" ".join(filter(None, (grant.name, grant.thing))) for grant in user.grants.all()]
    return OperatorOut(**person_fields(user), grants=sorted(held), all_rights=user.is_superuser)


def invitation_out(row: Invitation) -> InvitationOut:
    """Return an invitation, without its secret."""
    return InvitationOut(**_invitation_fields(row))


def invitation_made_out(request: HttpRequest, row: Invitation, secret: str) -> InvitationMadeOut:
    """Return a new invitation after sending its mail; it is valid even if that failed."""
    try:
        send_invitation(row, secret, site_of(request))
    except (OSError, smtplib.SMTPException):
        mailed = False
    else:
        mailed = True
    return InvitationMadeOut(**_invitation_fields(row), mailed=mailed)


def _invitation_fields(row: Invitation) -> dict[str, Any]:
    return {
        "id": row.pk,
        "account": row.account.slug if row.account else None,
        "email": row.email,
        "role": row.role,
        "grants": row.grants,
        "invited_by": row.invited_by.get_username() if row.invited_by else None,
        "created_at": row.created_at.isoformat(),
        "expires_at": row.expires_at.isoformat(),
    }


def finance_request_out(row: FinanceRequest) -> FinanceRequestOut:
    """Return a request for the Finance grant."""
    return FinanceRequestOut(
        id=row.pk,
        user=row.user.get_username(),
        requested_by=row.asked_by.get_username(),
        requested_at=row.asked_at.isoformat(),
        reason=row.reason,
        status=cast(RequestStatus, row.status),
        decided_by=row.decided_by.get_username() if row.decided_by else None,
        decided_at=iso(row.decided_at),
        decision_reason=row.decision_reason,
    )
