"""What the routes of operations share."""

from django.db.models import Model

from poolsite import access
from poolsite.access import Principal
from poolsite.access.models import Account
from poolsite.api.root import ProblemError


def account_named(
    principal: Principal, slug: str | None, action: str, model: type[Model]
) -> Account | None:
    """The account of a new row, None = the platform, when the principal may do `action` to it.

    One that the principal is foreign to looks like none. Raises ProblemError `malformed`, or the
    refusal of `access.require`.
    """
    account = None if slug is None else Account.objects.filter(slug=slug).first()
    decision = access.decide(principal, action, model(account=account))
    if (slug is not None and account is None) or decision is access.Decision.HIDDEN:
        raise ProblemError("malformed", f"account: {slug or 'none'} was not found")
    access.enforce(decision, action)
    return account
