"""Amounts on the top-up form: those to offer, and the effect of each on the balance."""

from dataclasses import dataclass

from django.utils import timezone

from billing.models import Recharge, Wallet
from billing.money import UNITS
from billing.selectors import figures
from billing.selectors.usage import pace

DEFAULT = 2_000 * UNITS
USUAL = (500 * UNITS, DEFAULT, 5_000 * UNITS)
OFFERED = 4
LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Outlook:
    """The balance now, the amount owed, and the spending of the last 24 h, in units.

    `per_hour` is None if nothing was spent.
    """

    balance: int
    owed: int
    per_hour: int | None
    credit_limit: int = 0

    def after(self, amount: int) -> int:
        """Return the balance after a top-up; it first pays the amount owed."""
        return self.balance + max(0, amount - self.owed)

    def hours(self, amount: int) -> float | None:
        """Return how many hours balance and credit last after a top-up, at the present spending."""
        left = max(0, self.after(amount) + self.credit_limit)
        return left / self.per_hour if self.per_hour else None


def outlook(wallet: Wallet) -> Outlook:
    """Return the wallet's current state."""
    now = figures.of(wallet)
    spending = pace(wallet, now.spendable, now=timezone.now())
    return Outlook(now.balance, now.receivable, spending.per_hour, now.credit_limit)


def presets(wallet: Wallet) -> list[int]:
    """Return amounts to choose from, rising: the last ones paid, and usual ones."""
    paid = Recharge.objects.filter(wallet=wallet, is_automatic=False).exclude(credited_at=None)
    last = paid.order_by("-pk").values_list("amount", flat=True)[:LOOKED_AT]
    found = list(dict.fromkeys([*list(dict.fromkeys(last))[:2], *USUAL]))
    return sorted(found[:OFFERED])
