"""The card of a kind of aggregate on the overview: those that stand out most."""

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
MOST = 200  # aggregates that are looked at
SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class AggregateCard(Generic[N]):
    """What one kind's card shows.

    right: who has the card. url: the name of the list; page: that of one, by its slug. rows: those
    that the reader may see, with their figures; the greatest `rank` stand first. trends: the last
    hour of each, by key. cells: of a row, one for each of `columns` after the name's. empty: said
    when there is none; counted: how many there are.
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
        """Put it on the overview; called once, by AppConfig.ready()."""
        console.register_card(
            Card(self.name, self.title, self.load, order=self.order, icon=self.icon)
        )

    def load(self, principal: Principal) -> CardData | None:
        """The card as this reader has it."""
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
