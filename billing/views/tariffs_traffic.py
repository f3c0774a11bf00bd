"""What the last 30 days would have cost at the prices of another version."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Sum
from django.utils.translation import gettext as _

from billing.models import UsageHour, Wallet
from billing.presentation import MINUS, rounded
from billing.pricing.examples import example
from billing.pricing.modes import CALL
from billing.pricing.tariff import Prices
from billing.selectors.usage import CHARGES

DAYS = 30


@dataclass(frozen=True, slots=True)
class Traffic:
    """The charges in units, and the cost of the same messages at the new prices."""

    by_mode: dict[str, int]
    before: int
    after: int

    @property
    def difference(self) -> int:
        """The amount that the customer would pay more; below 0 if less."""
        return self.after - self.before


def traffic(
    wallet: Wallet, old: Prices | None, new: Prices, *, now: datetime, rated: bool = False
) -> Traffic | None:
    """Return the comparison, or None without charges or without a version to compare with.

    `rated`: one of the versions has call rates, so calls are left out: their price does not show
    what calls cost.

    The charges of each mode are multiplied by the ratio of the new and the old price of its example
    message. This is exact if only the price changes, and approximate if the counting does. A mode
    that is no longer sold costs nothing; one without an old price stays the same.
    """
    if old is None:
        return None
    rows = (
        UsageHour.objects.filter(
            wallet=wallet, hour__gte=now - timedelta(days=DAYS), kind__in=CHARGES
        )
        .order_by()
        .values_list("mode")
        .annotate(Sum("revenue"))
    )
    by_mode = {
        mode: revenue for mode, revenue in rows if revenue > 0 and not (rated and mode == CALL)
    }
    if not by_mode:
        return None
    after = sum(_at(mode, units, old, new) for mode, units in by_mode.items())
    return Traffic(by_mode, sum(by_mode.values()), after)


def _at(mode: str, revenue: int, old: Prices, new: Prices) -> int:
    if mode not in old:
        return revenue
    before = example(mode, old[mode]).cost
    after = example(mode, new[mode]).cost if mode in new else 0
    return round(revenue * after / before) if before else revenue


def difference_words(found: Traffic, currency: str) -> str:
    """+¥917.00, +0.8%"""
    units = found.difference
    if not units:
        return _("No change")
    sign = "+" if units > 0 else MINUS
    share = round(abs(units) * 100 / found.before, 1)
    return f"{sign}{rounded(abs(units), currency)}, {sign}{share:.1f}%"
