"""What people do to other people, on the pages and through the API.

No one gives more rights than they have. The other services do not check this, because parts of the
system use them as well.
"""

from collections.abc import Collection
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from poolsite.access.giving import may_give_roles, why_no_grants, why_no_roles, why_not_alone
from poolsite.access.models import Account, Grant, GrantName, Invitation, Membership, User
from poolsite.access.principal import Principal
from poolsite.access.services.factors import factors_remove
from poolsite.access.services.finance_requests import finance_ask
from poolsite.access.services.invitations import invitation_create
from poolsite.access.services.people import (
    grant_set,
    grants_set,
    membership_set,
    user_activate,
    user_deactivate,
)


class GrantsChange(NamedTuple):
    """The result of new grants: whether some count now, and whether `finance` waits."""

    changed: bool
    waits: bool


def member_invite(
    *, account: Account, email: str, role: str, actor: Principal
) -> tuple[Invitation, str]:
    """Invite into an account. Raise ValidationError if only an owner may give the role."""
    if not may_give_roles(actor, account, {role}):
        raise ValidationError({"role": _("Only owners can add owners.")})
    return invitation_create(email=email, role=role, account=account, actor=actor)


def operator_invite(
    *, email: str, grants: Collection[str], actor: Principal
) -> tuple[Invitation, str]:
    """Invite an operator. Raise ValidationError for a grant that the actor does not have."""
    if not set(grants) <= actor.grants:
        raise ValidationError({"grants": _("You can only give grants that you have.")})
    return invitation_create(email=email, grants=list(grants), actor=actor)


@transaction.atomic
def member_set(
    *,
    user: User,
    account: Account,
    actor: Principal,
    roles: Collection[str] | None = None,
    supervises: Collection[str] | None = None,
) -> None:
    """Set a member's roles in the account and the desks that they supervise; None keeps them.

    Without a role the person is no longer a member, and supervises no desk. ValidationError means
    that nothing was changed.
    """
    if roles is not None:
        Account.objects.select_for_update().get(pk=account.pk)  # what is checked is what changes
        rows = Membership.objects.filter(user=user, account=account)
        held = set(rows.values_list("role", flat=True))
        if why := why_no_roles(actor, account, set(roles) ^ held):
            raise ValidationError({"roles": why})
        membership_set(user=user, account=account, roles=roles, actor=actor)
        if not roles:
            supervises = ()  # or these grants would count again after a new invitation
    if supervises is not None:
        grants_set(
            user=user, name=GrantName.SUPERVISE, things=supervises, account=account, actor=actor
        )


@transaction.atomic
def operator_set(
    *, user: User, grants: Collection[str], actor: Principal, reason: str
) -> GrantsChange:
    """Make these an operator's grants for everything: all of the changes or none.

    `finance` only begins to wait for a second finance operator. Raise ValidationError for the
    actor's own user, or for a grant that the actor does not have.
    """
    everywhere = Grant.objects.filter(user=user, thing="")
    held, wanted = set(everywhere.values_list("name", flat=True)), set(grants)
    if why := why_no_grants(actor, user, wanted - held):
        raise ValidationError({"grants": why})
    asked = {name for name in wanted - held if why_not_alone(name)}
    at_once = (wanted ^ held) - asked
    for name in sorted(at_once):
        grant_set(user=user, name=name, granted=name in wanted, actor=actor, reason=reason)
    if asked:
        finance_ask(user=user, actor=actor, reason=reason)
    return GrantsChange(bool(at_once), bool(asked))


def user_set_active(*, user: User, active: bool, actor: Principal, reason: str) -> User:
    """Activate or deactivate another user. Raise ValidationError for the actor's own user."""
    _refuse_own(user, actor)
    act = user_activate if active else user_deactivate
    return act(user=user, actor=actor, reason=reason)


def factors_reset(*, user: User, actor: Principal, reason: str) -> None:
    """Delete another user's lost authenticator app. Raise ValidationError for the actor's own."""
    _refuse_own(user, actor)
    factors_remove(user=user, actor=actor, reason=reason)


def _refuse_own(user: User, actor: Principal) -> None:
    if user.pk == actor.user_id:
        raise ValidationError(_("You can't do this to your own user. Ask another operator."))
