"""No one gives more rights than they have: the checks of the people pages and of undo."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from poolsite.access.actions import decide
from poolsite.access.models import Account, GrantName, Invitation, Role, User
from poolsite.access.principal import Principal
from poolsite.access.principals import principal_of_user


def may_give_roles(principal: Principal, account: Account, roles: Collection[str]) -> bool:
    """Return whether these roles may be given or taken: only owners and operators change owners."""
    if Role.OWNER not in roles or "operate" in principal.grants:
        return True
    return Role.OWNER in principal.roles_in(account.pk)


def why_no_roles(principal: Principal, account: Account, roles: Collection[str]) -> str:
    """Return why this reader may not give and take these roles, or "" if they may."""
    if may_give_roles(principal, account, roles):
        return ""
    return _("Only owners can add or remove owners.")


def may_make_platform_tokens(principal: Principal) -> bool:
    """Return whether the reader's tokens may belong to the platform and reach every account."""
    return "operate" in principal.grants


def why_no_grants(principal: Principal, user: User, given: Collection[str]) -> str:
    """Return why this reader may not add these grants to the user, or "" if they may.

    No one changes their own grants: money needs two people, and no one may become both.
    """
    if user.pk == principal.user_id:
        return _("You can't change your own grants. Ask another operator.")
    if not set(given) <= principal.grants:
        return _("You can only give grants that you have.")
    return ""


def why_not_alone(name: str) -> str:
    """Return why one person may not give this grant without approval, or "" if they may."""
    if name != GrantName.FINANCE:
        return ""
    return _(
        "The Finance grant needs approval from a second finance operator. Request it on the "
        "operator's page."
    )


def invitation_works(invitation: Invitation) -> bool:
    """Return whether the link would be accepted now.

    It must be open, and its inviter must still have the right to give what it gives. An invitation
    that a part of the system made has no inviter who could lose the right.
    """
    inviter = invitation.invited_by
    return invitation.is_open and (inviter is None or _may_invite(inviter, invitation))


def _may_invite(inviter: User, invitation: Invitation) -> bool:
    principal = principal_of_user(inviter)
    account = invitation.account
    if account is None:
        may = decide(principal, "access.operators_change").allowed
        return may and set(invitation.grants) <= principal.grants
    may = decide(principal, "access.people_change", account).allowed
    return may and may_give_roles(principal, account, {invitation.role})
