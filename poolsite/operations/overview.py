"""The overview's figures and cards, live: one reading per process serves all browsers.

The topic is `operations.overview:all` or `…:<account id>`, and for other languages than English
`…:all.zh-hans`.
"""

import time
from typing import Any

from django.utils.translation import override

from poolsite import live
from poolsite.access import Principal
from poolsite.console import CardData, Stat
from poolsite.console.registry import CARDS, Figure
from poolsite.live.scopes import AccountTopic
from poolsite.operations import selectors

NAME = "operations.overview"
PERIOD_SECONDS = 2.0  # a reading queries every app; faster figures help no reader
TREND_POINTS = 30


class OverviewTopic(AccountTopic, live.SnapshotTopic):
    """{"stats": {name: …}, "cards": {name: …}} as readers of one scope and language see it."""

    name = action = NAME

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._read_at = float("-inf")
        self._known: dict[str, Any] = {}

    async def read(self) -> dict[str, Any]:
        if not self._known or self._age() >= PERIOD_SECONDS:
            self._read_at = time.monotonic()
            self._known = await live.in_thread(self._read)
        return self._known

    def _age(self) -> float:
        return time.monotonic() - self._read_at

    def due_seconds(self) -> float | None:
        """Return when to read next. Figures change without a wake; early wakes wait until then."""
        return max(0.0, PERIOD_SECONDS - self._age())

    def _read(self) -> dict[str, Any]:
        with override(self.language):
            principal = reader_of(self.scope)
            stats = {entry.name: as_stat(stat) for entry, stat in selectors.stats(principal)}
            cards = {card.name: as_card(data) for card, data in selectors.cards(principal)}
            return {"stats": stats, "cards": cards}

    def wake_channels(self) -> list[str]:
        """Return the topic's own channel and those of the cards' topics."""
        topics = {card.topic for card in CARDS.values() if card.topic}
        return [live.touch_channel(address) for address in (self.address, *sorted(topics))]


def reader_of(scope: str) -> Principal:
    """Return a principal who sees what all readers of the scope see: no grants, no own data."""
    if scope == "all":
        return Principal(kind="user", id="0", is_operator=True)
    return Principal(kind="user", id="0", memberships={int(scope): frozenset({"admin"})})


def as_stat(stat: Stat) -> dict[str, Any]:
    """Return a headline figure as the browser shows it."""
    return {
        "value": str(stat.value),
        "unit": str(stat.unit),
        "mark": str(stat.mark),
        "severity": stat.severity,
        "trend": thinned(stat.trend),
    }


def as_card(data: CardData) -> dict[str, Any]:
    """Return a card's rows as the browser shows them: the table's rows, or one for each figure."""
    rows = data.rows if data.columns else [_row_of(figure) for figure in data.figures]
    return {
        "hint": str(data.hint),
        "empty": str(data.empty),
        "rows": [
            {
                "name": str(row["name"]),
                "url": row.get("url", ""),
                "cells": [{**cell, "text": str(cell["text"])} for cell in row["cells"]],
                "trend": thinned(row["trend"]) if "trend" in row else None,
            }
            for row in rows
        ],
    }


def _row_of(figure: Figure) -> dict[str, Any]:
    text = f"{figure.value} {figure.unit}".strip()
    return {"name": figure.label, "cells": [{"text": text, "severity": figure.severity}]}


def thinned(values: Any) -> list[float | None]:
    """Return at most 30 points: a sparkline has no room for more, and frames stay small."""
    points = [None if value is None else round(float(value), 4) for value in values or ()]
    step = -(-len(points) // TREND_POINTS) or 1
    return points[::-1][::step][::-1]
