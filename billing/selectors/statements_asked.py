"""The month or year of statements that an address names."""

from django.http import Http404

from billing.models import Wallet
from billing.selectors.statements import Year, statements_of
from billing.services.days import Month, month_at, month_of


def year_asked(wallet: Wallet, number: int) -> Year:
    """Return the statements of a year (0: this one).

    Raise Http404 for a year in the future or before the first.
    """
    found = statements_of(wallet, number, None, 0)
    if found.year not in found.years:
        raise Http404
    return found


def month_asked(wallet: Wallet, name: str) -> Month:
    """Return a month by its name.

    Raise Http404 if it is no month, is in the future or is before the year 2000.
    """
    try:
        found = month_of(wallet.account, name)
    except ValueError:
        raise Http404 from None
    if not found.first.year >= 2000 or found.first > month_at(wallet.account).first:
        raise Http404
    return found
