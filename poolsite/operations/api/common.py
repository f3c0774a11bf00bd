"""Functions shared by the routes of operations."""

from django.db.models import Model

from poolsite import access
from poolsite.access import Principal
from poolsite.access.models import Account
from poolsite.api.root import ProblemError


def account_named(
    principal: Principal, slug: str | None, action: str, model: type[Model]
) -> Account | None:
    """Return the account of a new row, or None for the whole platform.

    The principal must be allowed to do `action` to it. Raise ProblemError `malformed` if the
    account doesn't exist or if the principal may not see it. Raise the refusal of `access.require`
    if the action isn't allowed.
    """
    account = None if slug is None else Account.objects.filter(slug=slug).first()
    decision = access.decide(principal, action, model(account=account))
    if (slug is not None and account is None) or decision is access.Decision.HIDDEN:
        raise ProblemError("malformed", f"account: {slug or 'none'} was not found")
    access.enforce(decision, action)
    return account
