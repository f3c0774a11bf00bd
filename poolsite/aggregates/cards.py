"""The overview's card of a kind of aggregate: those with the highest rank."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.urls import reverse
from django.utils import timezone

from poolsite import access, console
from poolsite.access import Principal
from poolsite.aggregates.reading import Now
from poolsite.console import Card, CardData

N = TypeVar("N", bound=Now[Any, Any])
Trend = list[float | None]
MOST = 200  # the most aggregates that are read
SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class AggregateCard(Generic[N]):
    """The content of one kind's card.

    right: the action that a reader must be allowed, to have the card.
    url: the name of the list's URL.
    page: the name of an aggregate's URL, which gets its slug.
    rows: the aggregates that the reader may see, with their figures.
    rank: those with the greatest rank come first.
    trends: the last hour of each, by key.
    cells: a row's cells, one for each of `columns` after the name.
    empty: the text if there are no aggregates.
    counted: the text with their number.
    """

    name: str
    title: Any
    icon: str
    order: int
    right: str
    url: str
    page: str
    rows: Callable[[Principal], Sequence[N]]
    rank: Callable[[N], float]
    trends: Callable[[Sequence[Any], datetime], dict[int, Trend]]
    columns: Callable[[], list[str]]
    cells: Callable[[N], list[dict[str, Any]]]
    empty: Any
    counted: Callable[[int], str]

    def register(self) -> None:
        """Put the card on the overview. Call this once, in AppConfig.ready()."""
        console.register_card(
            Card(self.name, self.title, self.load, order=self.order, icon=self.icon)
        )

    def load(self, principal: Principal) -> CardData | None:
        """Return the card for this reader, or None if they may not have it."""
        if not access.decide(principal, self.right):
            return None
        url, rows = reverse(self.url), self.rows(principal)
        if not rows:
            return CardData([], empty=str(self.empty), url=url)
        ranked = sorted(rows, key=self.rank, reverse=True)[:SHOWN]
        trends = self.trends([now.row for now in ranked], timezone.now())
        return CardData(
            [],
            columns=self.columns(),
            rows=[self._row(now, trends[now.row.pk]) for now in ranked],
            hint=self.counted(len(rows)),
            url=url,
        )

    def _row(self, now: N, trend: Trend) -> dict[str, Any]:
        url = reverse(self.page, args=[now.row.slug])
        return {"name": now.row.name, "url": url, "cells": self.cells(now), "trend": trend}
