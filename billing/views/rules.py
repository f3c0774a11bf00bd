"""The table of rules: the effect of each event on a message and its money, in each state."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from billing import rules_table as table
from poolsite import access
from poolsite.console.pages import principal_of

# Flags of these reports stay in the operators' list until the report is closed.
LISTED = ("late", "contradiction", "unexpected mode", "unpaid", "orphan", "unreadable")

FLAG_WORDS = {
    "late": _("The report came after the 72 h deadline."),
    "contradiction": _("The report disagrees with an earlier one, or with a cancelled message."),
    "unexpected mode": _("The message was delivered in a mode that was not in the quote."),
    "unpaid": _("A delivered message has no hold to charge."),
    "orphan": _("A report came, but its message was never held."),
    "unreadable": _("The report doesn't say in which mode the message was delivered."),
    "repeat": _("The same request or report again. It gets the same answer."),
    "conflict": _("The same message ID with other content. It is refused."),
    "early": _("The report came before the hold. It is kept until the hold arrives."),
    "unknown": _("No message has this ID."),
    "refused": _("The request is refused."),
    "too late": _("The message was sent already and can't be cancelled."),
}


@require_GET
def rules_page(request: HttpRequest) -> HttpResponse:
    """Show the whole table, to all users who may see money."""
    access.require(principal_of(request), "billing.view")
    return render(request, "billing/rules.html", {"rules": rules_table(""), "flags": _flags()})


def _flags() -> list[tuple[Any, Any, bool]]:
    """Return each flag, its meaning, and whether it waits in the list of flagged reports."""
    return [(table.word(flag), words, flag in LISTED) for flag, words in FLAG_WORDS.items()]


def rules_table(here: str) -> dict[str, Any]:
    """Return heads and rows, with the column of the state `here` marked."""
    cells = table.cells()
    rows = [
        {
            "event": table.EVENT_WORDS.get(event, table.word(event)),
            "cells": [_cell(state, cells[state, event], state == here) for state in table.STATES],
        }
        for event in table.events()
    ]
    heads = [(table.word(state), state == here) for state in table.STATES]
    return {"heads": heads, "rows": rows}


def _cell(state: str, cell: table.Cell, here: bool) -> dict[str, Any]:
    impossible = cell.next_state == "impossible"
    same = cell.next_state == state and cell.money == "none"
    return {
        "state": table.word(state),
        "next": table.word(cell.next_state),
        "money": "" if cell.money in ("none", "") else table.word(cell.money),
        "flag": table.word(cell.flag) if cell.flag else "",
        "listed": any(flag in table.flags_of(cell.flag) for flag in LISTED),
        "same": same,
        "impossible": impossible,
        "here": here,
    }
