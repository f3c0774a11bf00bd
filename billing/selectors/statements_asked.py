"""Which month or year of statements an address means."""

from django.http import Http404

from billing.models import Wallet
from billing.selectors.statements import Year, statements_of
from billing.services.days import Month, month_at, month_of


def year_asked(wallet: Wallet, number: int) -> Year:
    """The statements of a year (0 = this one). Http404: to come, or before the first."""
    found = statements_of(wallet, number, None, 0)
    if found.year not in found.years:
        raise Http404
    return found


def month_asked(wallet: Wallet, name: str) -> Month:
    """A month by its name. Http404: none, to come, or before anything can have been."""
    try:
        found = month_of(wallet.account, name)
    except ValueError:
        raise Http404 from None
    if not found.first.year >= 2000 or found.first > month_at(wallet.account).first:
        raise Http404
    return found
