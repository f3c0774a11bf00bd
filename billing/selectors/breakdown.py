"""The available balance step by step: what it began with, what came, what went, what is left."""

from dataclasses import dataclass
from typing import Final

from billing.models import Wallet
from billing.persistence import checkpoints
from billing.selectors.explain import Figure
from billing.selectors.usage import CHARGES

ADDED: Final = "recharge"
END_OF_TIME: Final = 2**62


@dataclass(frozen=True, slots=True)
class Steps:
    """opening + added - charged + corrected - held + owed = closing, to the unit; all in units.

    `held` and `owed`: by how much they grew. `owed` is what was charged and not covered.
    """

    opening: int
    added: int
    charged: int
    corrected: int
    held: int
    owed: int
    closing: int


def steps_of(wallet: Wallet, figure: Figure) -> Steps | None:
    """The steps of a time of the available balance; None for any other figure."""
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


def balance_of(wallet: Wallet) -> int:
    """What can be spent by the journal."""
    return wallet.opening + checkpoints.sums(wallet.pk).amounts["spendable"]
