"""What the routes about people share."""

from poolsite.access import Hidden, Principal, require
from poolsite.access.models import Account
from poolsite.api.paths import slug_in_path
from poolsite.api.root import ProblemError

Slug = slug_in_path("The account's slug.")


def account_of(principal: Principal, slug: str, action: str) -> Account:
    """Return the account if the caller may do the action.

    Raise the same error for another account's as for a missing one.
    """
    require(principal, action)
    account = Account.objects.filter(slug=slug).first()
    try:
        if account is None:
            raise Hidden(action)
        require(principal, action, account)
    except Hidden:
        raise ProblemError("unknown-account", "account not found") from None
    return account
