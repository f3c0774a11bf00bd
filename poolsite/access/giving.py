"""Nobody gives more than he or she has: what the pages about people and the history's undo ask."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from poolsite.access.models import Account, Role, User
from poolsite.access.principal import Principal


def may_give_roles(principal: Principal, account: Account, roles: Collection[str]) -> bool:
    """Whether these roles may come or go: owners are made, and unmade, by owners and operators."""
    if Role.OWNER not in roles or "operate" in principal.grants:
        return True
    return Role.OWNER in principal.roles_in(account.pk)


def why_no_roles(principal: Principal, account: Account, roles: Collection[str]) -> str:
    """Why this reader may not give and take these roles; "" = may."""
    if may_give_roles(principal, account, roles):
        return ""
    return _("Only an owner makes owners, or ends their role.")


def why_no_grants(principal: Principal, user: User, given: Collection[str]) -> str:
    """Why this reader may not change the user's grants so that these are added; "" = may.

    Not one's own: money needs two people, and nobody becomes both.
    """
    if user.pk == principal.user_id:
        return _("Another operator changes your grants.")
    if not set(given) <= principal.grants:
        return _("You can only give grants that you have yourself.")
    return ""
