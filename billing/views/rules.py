"""The table of rules: what each event does to a message and its money, in each state."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from billing import rules_table as table
from poolsite import access
from poolsite.operations.pages import principal_of

# Flags of these reports stand in the operator's list until somebody closes them.
LISTED = ("late", "contradiction", "unexpected mode", "unpaid", "orphan", "unreadable")


@require_GET
def rules_page(request: HttpRequest) -> HttpResponse:
    """The whole table, for everybody who sees money."""
    access.require(principal_of(request), "billing.view")
    return render(request, "billing/rules.html", {"rules": rules_table("")})


def rules_table(here: str) -> dict[str, Any]:
    """Heads and rows, the column of the state `here` marked."""
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
        "next": table.word(cell.next_state),
        "money": "" if cell.money in ("none", "") else table.word(cell.money),
        "flag": table.word(cell.flag) if cell.flag else "",
        "listed": any(flag in table.flags_of(cell.flag) for flag in LISTED),
        "same": same,
        "impossible": impossible,
        "here": here,
    }
