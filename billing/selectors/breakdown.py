"""The available balance step by step: the opening balance, what was added and taken, the rest."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from typing import Final

from billing.models import Wallet
from billing.persistence import checkpoints
from billing.selectors.explain import Figure
from billing.selectors.usage import CHARGES
from billing.services.days import day_start_us

ADDED: Final = "recharge"
END_OF_TIME: Final = 2**62


@dataclass(frozen=True, slots=True)
class Steps:
    """opening + added - charged + corrected - held + owed = closing, exactly; all in units.

    `held` and `owed` are the amounts by which these grew. `owed` was charged and not covered.
    """

    opening: int
    added: int
    charged: int
    corrected: int
    held: int
    owed: int
    closing: int


def steps_of(wallet: Wallet, figure: Figure) -> Steps | None:
    """Return the steps of the available balance over a time, or None for any other figure."""
    if figure.leg != "spendable" or not figure.is_a_time:
        return None
    until = max(figure.until or END_OF_TIME, figure.since)
    before, within, _after = checkpoints.spans(wallet.pk, [figure.since, until])
    kinds = within.lines["kind"]  # name → count, spendable, revenue, cash
    opening = wallet.opening + before.amounts["spendable"]
    added = kinds.get(ADDED, [0, 0])[1]
    charged = sum(line[2] for name, line in kinds.items() if name in CHARGES)
    corrected = sum(
        line[1] for name, line in kinds.items() if name not in CHARGES and name != ADDED
    )
    held = within.amounts["held"]
    closing = opening + within.amounts["spendable"]
    owed = closing - (opening + added - charged + corrected - held)
    return Steps(opening, added, charged, corrected, held, owed, closing)


@dataclass(frozen=True, slots=True)
class DaySums:
    """One day: the number of entries, their sum, and the available balance at its end; in units."""

    count: int
    moved: int
    closing: int


def sums_of_days(wallet: Wallet, days: Collection[date]) -> dict[date, DaySums]:
    """Return the sums of whole days of the account, from the journal: three queries.

    They do not depend on the rows that a page shows.
    """
    if not days:
        return {}
    starts = {
        each: day_start_us(wallet.account, each)
        for day in days
        for each in (day, day + timedelta(days=1))
    }
    bounds = sorted(starts.values())
    spans = checkpoints.spans(wallet.pk, bounds)
    left = list(accumulate((span.amounts["spendable"] for span in spans), initial=wallet.opening))
    found = {}
    for day in days:
        place = bounds.index(starts[day]) + 1
        within = spans[place]
        count = sum(line[0] for line in within.lines["kind"].values())
        found[day] = DaySums(count, within.amounts["spendable"], left[place + 1])
    return found


def balance_of(wallet: Wallet, until_us: int = 0) -> int:
    """Return the amount available before that moment, from the journal; 0 counts all entries."""
    return wallet.opening + checkpoints.sums(wallet.pk, until_us=until_us).amounts["spendable"]
