"""Invitations: a mailed link with a role, by which people join and choose their password."""

from collections.abc import Sequence
from datetime import timedelta

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.access.auditing import audit
from poolsite.access.giving import invitation_works, why_not_alone
from poolsite.access.logins import find_user
from poolsite.access.models import (
    AccessLink,
    Account,
    FinanceRequest,
    Grant,
    GrantName,
    Invitation,
    Membership,
    Role,
    User,
)
from poolsite.access.services.actor import Actor, is_person, user_of
from poolsite.access.services.finance_requests import finance_ask
from poolsite.access.services.links import link_access, withdraw
from poolsite.access.services.people import grant_set, membership_set, user_create
from poolsite.access.tokens import hash_of, new_secret

LIFETIME = timedelta(days=7)
PREFIX = "psi_"


@transaction.atomic
def invitation_create(
    *,
    email: str,
    actor: Actor,
    account: Account | None = None,
    role: str = "",
    grants: Sequence[str] = (),
    reason: str = "",
) -> tuple[Invitation, str]:
    """Invite into an account with a role or, without an account, as an operator with grants.

    Return the invitation and the secret of its link, for the mail. An open invitation of the same
    person to the same account or the platform is withdrawn: only the newest link works.
    """
    _check(account, role, grants)
    email = email.strip()
    for older in Invitation.objects.filter(account=account, email__iexact=email):
        if older.is_open:
            older.withdrawn_at = timezone.now()
            older.save(update_fields=["withdrawn_at"])
    secret = new_secret(PREFIX)
    invitation = Invitation(
        account=account,
        email=email,
        role=role,
        grants=sorted(set(grants)),
        token_hash=secret.hash,
        invited_by=user_of(actor),
        expires_at=timezone.now() + LIFETIME,
    )
    invitation.full_clean(exclude=["invited_by"])
    invitation.save()
    audit(
        actor=actor,
        action="access.invitation_create",
        thing=invitation,
        after={"email": email, "role": role, "grants": invitation.grants},
        reason=reason,
    )
    return invitation, secret.plain


def _check(account: Account | None, role: str, grants: Sequence[str]) -> None:
    if account is not None and (role not in Role.values or grants):
        raise ValidationError({"role": _("Choose a role for the account.")})
    if account is None and (role or not set(grants) <= set(GrantName.values)):
        raise ValidationError({"role": _("Operators have grants, not roles.")})


def invitation_of(secret: str) -> Invitation | None:
    """Return the invitation of a link, or None if the link no longer works.

    It works until it is used or withdrawn or it expires, and while its inviter may give what it
    gives.
    """
    rows = Invitation.objects.select_related("account", "invited_by")
    found = rows.filter(token_hash=hash_of(secret)).first()
    return found if found is not None and invitation_works(found) else None


@transaction.atomic
def invitation_accept(
    *, secret: str, username: str = "", password: str = "", full_name: str = "", user: User | None
) -> User:
    """Join as `user` (who is logged in), or as a new user with a chosen name and password.

    A grant `finance` waits for a second finance operator. A link works once. Raise ValidationError
    if the link no longer works, its inviter tries to accept it, or a field is invalid.
    """
    rows = Invitation.objects.select_for_update(of=("self",))
    rows = rows.select_related("account", "invited_by")
    found = rows.filter(token_hash=hash_of(secret)).first()
    if found is None or not invitation_works(found):
        raise ValidationError(_("This invitation is no longer valid."))
    if user is not None and user == found.invited_by:
        raise ValidationError(_("You can't accept your own invitation."))
    if user is None:
        user = _new_user(found, username, password, full_name)
    found.accepted_at = timezone.now()
    found.accepted_by = user
    found.save(update_fields=["accepted_at", "accepted_by"])
    _give(found, user)
    audit(actor=user, action="access.invitation_accept", thing=found)
    return user


def _new_user(found: Invitation, username: str, password: str, full_name: str) -> User:
    if find_user(found.email) is not None:
        raise ValidationError(_("A user with this email address already exists. Log in first."))
    validate_password(password, User(username=username, email=found.email))
    return user_create(
        username=username,
        email=found.email,
        password=password,
        full_name=full_name,
        is_operator=found.account is None,
        actor=f"invitation {found.pk}",
    )


def _give(found: Invitation, user: User) -> None:
    actor: Actor = found.invited_by or f"invitation {found.pk}"
    if found.account is not None:
        held = Membership.objects.filter(user=user, account=found.account)
        roles = {*held.values_list("role", flat=True), found.role}
        membership_set(user=user, account=found.account, roles=roles, actor=actor)
    else:
        _make_operator(found, user, actor)
    link_access(giver=actor, receiver=user, how=AccessLink.How.INVITED)


def _make_operator(found: Invitation, user: User, actor: Actor) -> None:
    if not user.is_operator:
        user.is_operator = True
        user.save(update_fields=["is_operator"])
    for name in found.grants:
        if is_person(actor) and why_not_alone(name):
            _ask_for_finance(user, actor)
        else:
            grant_set(user=user, name=name, actor=actor)


def _ask_for_finance(user: User, actor: Actor) -> None:
    """Call `finance_ask`, unless the person has the grant or already waits for it."""
    held = Grant.objects.filter(user=user, name=GrantName.FINANCE, thing="").exists()
    waits = FinanceRequest.objects.filter(user=user, status=FinanceRequest.Status.WAITING).exists()
    if not (held or waits):
        finance_ask(user=user, actor=actor, reason=_("Invited with this grant"))


@transaction.atomic
def invitation_withdraw(*, invitation: Invitation, actor: Actor) -> Invitation:
    """Invalidate the link; an invitation that was accepted stays accepted."""
    invitation = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if invitation.is_open:
        withdraw(invitation, actor)
    return invitation
