"""The rules of a message's money as a table: 8 states by 12 events (data/message_reports.csv).

The Lua scripts are tested against the same table, cell by cell. This module shows it to people.
"""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

SOURCE: Final = Path(__file__).parent / "data" / "message_reports.csv"
STATES: Final = (*("none", "parked", "held", "sent", "settled", "failed", "expired", "cancelled"),)


FLAGS: Final = (
    *("refused", "unknown", "early", "late", "repeat", "conflict", "contradiction", "orphan"),
    *("too late", "unexpected mode", "unreadable", "unpaid"),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """What an event does in a state: the next state, the change of money, and the flags."""

    next_state: str
    money: str
    flag: str


@cache
def cells() -> Mapping[tuple[str, str], Cell]:
    """Return the cells by (state, event), in the table's order."""
    with SOURCE.open(newline="", encoding="utf-8") as file:
        return {
            (row["state"], row["event"]): Cell(row["next_state"], row["money"], row["flag"] or "")
            for row in csv.DictReader(file)
        }


def events() -> list[str]:
    """Return the 12 events in the table's order."""
    return list(dict.fromkeys(event for _state, event in cells()))


def flags_of(phrase: str) -> set[str]:
    """Return the flags in a cell's phrase: both of "repeat if … else contradiction"."""
    return {
        flag
        for flag in FLAGS
        if re.search(rf"(^|; |else ){re.escape(flag)}($|;| if )", phrase) is not None
    }


def word(phrase: str) -> Any:
    """Return a phrase of the table in the reader's language."""
    return WORDS.get(phrase, phrase)


WORDS: Final[Mapping[str, Any]] = {
    # states
    "none": _("not known"),
    "parked": _("report stored"),
    "held": _("held"),
    "sent": _("sent"),
    "settled": _("delivered"),
    "failed": _("failed"),
    "expired": _("no report"),
    "cancelled": _("cancelled"),
    "impossible": _("can't happen"),
    "settled or failed as the parked report says": _(
        "delivered or failed, according to the stored report"
    ),
    # events
    "hold": _("Hold"),
    "hold with another body": _("Hold with different content"),
    "hold beyond the balance": _("Hold above the balance"),
    "interim report": _("Interim report"),
    "final report: delivered by a quoted mode": _("Final report: delivered by a quoted mode"),
    "final report: delivered by a mode outside the quote": _(
        "Final report: delivered by a mode outside the quote"
    ),
    "final report: failed": _("Final report: failed"),
    "report without a readable mode": _("Report without a readable mode"),
    "72 h passed": _("No report after 72 h"),
    "unsent deadline passed": _("Send deadline passed"),
    "cancel": _("Cancel"),
    # money
    "charge quoted": _("the quote is held"),
    "charge quoted then as from sent": _("the quote is held, then handled as after sending"),
    "return quoted minus its stored price": _("the quote minus its stored price is returned"),
    "return quoted minus its price (never below 0)": _("the quote minus its price is returned"),
    "return all": _("everything is returned"),
    # flags
    "refused": _("refused"),
    "unknown": _("unknown"),
    "early": _("early"),
    "late": _("late"),
    "repeat": _("repeat"),
    "conflict": _("conflict"),
    "contradiction": _("contradiction"),
    "orphan": _("orphan"),
    "too late": _("too late"),
    "unexpected mode": _("unexpected mode"),
    "unreadable": _("unreadable"),
    "repeat if it says the same else contradiction": _(
        "repeat if identical, otherwise contradiction"
    ),
    "repeat if the same mode else contradiction": _("repeat if identical, otherwise contradiction"),
    "refused; unpaid if the parked report says delivered": _(
        "refused; unpaid if the stored report says delivered"
    ),
}
EVENT_WORDS: Final[Mapping[str, Any]] = {"sent": _("Marked as sent")}
