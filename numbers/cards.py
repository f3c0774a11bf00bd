"""The pools on the overview: headline figures, and the busiest pools."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from numbers.models import Pool
from numbers.selectors import visible_pools
from numbers.selectors.charts import totals_by_minute
from numbers.selectors.rows import PoolRow, pool_rows
from numbers.services import pool_configure
from poolsite import access, console
from poolsite.access.principal import reach_of
from poolsite.console.templatetags.console import figure, percent
from poolsite.kept import TtlCache

BUSIEST = 5
MOST_POOLS = 500  # on the overview; the list of pools shows all
FRESH_SECONDS = 1.0


@dataclass(frozen=True)
class Summary:
    """All pools that a user sees, at one moment."""

    rows: list[PoolRow]
    busy_trend: list[float | None]
    offered_trend: list[float | None]
    blocked_trend: list[float | None]

    @property
    def busy(self) -> int:
        """Calls in progress."""
        return sum(row.busy or 0 for row in self.rows)

    @property
    def usable(self) -> int:
        """Numbers in a call or pickable."""
        return sum(row.usable or 0 for row in self.rows)

    @property
    def blocked_share(self) -> float | None:
        """The share of the last hour's calls that were blocked."""
        offered = sum(row.hour.offered for row in self.rows)
        return sum(row.hour.blocked for row in self.rows) / offered if offered else None


_summaries: TtlCache[str, Summary] = TtlCache(FRESH_SECONDS, most=MOST_POOLS)


def summary(principal: access.Principal) -> Summary | None:
    """Return the user's pools, up to a second old, or None if the user may see none."""
    if not access.decide(principal, "numbers.view").allowed:
        return None
    return _summaries.get(reach_of(principal), lambda: _summary(principal))


def _summary(principal: access.Principal) -> Summary:
    pools = list(visible_pools(principal)[:MOST_POOLS])
    totals = totals_by_minute(pools, now=timezone.now())
    return Summary(pool_rows(pools), totals["busy"], totals["offered"], totals["blocked"])


def pools_card(principal: Any) -> console.CardData | None:
    """The busiest pools with occupancy and blocking, worst first."""
    found = summary(principal)
    if found is None:
        return None
    url = reverse("numbers:pools")
    if not found.rows:
        empty = _("No pools yet. Create one to share outbound numbers between calls.")
        return console.CardData([], empty=empty, url=url)
    ranked = sorted(found.rows, key=lambda row: (not row.over, -(row.occupancy or 0)))
    hint = ngettext("%(n)s pool", "%(n)s pools", len(found.rows)) % {"n": len(found.rows)}
    if len(ranked) > BUSIEST:
        hint = _("%(shown)s busiest of %(all)s") % {"shown": BUSIEST, "all": len(ranked)}
    return console.CardData(
        [],
        columns=[_("Pool"), _("Occupancy"), _("Blocked")],
        rows=[_card_row(row) for row in ranked[:BUSIEST]],
        hint=hint,
        severity="warning" if any(row.over for row in found.rows) else "",
        url=url,
    )


def _card_row(row: PoolRow) -> dict[str, Any]:
    occupancy = row.occupancy
    mark = row.pool.occupancy_alarm_percent
    crowded = occupancy is not None and occupancy * 100 > mark
    status = {"paused": _("Paused"), "recovering": _("Recovering"), "lost": _("No data")}
    first = {"text": percent(occupancy, 0), "share": occupancy or 0.0}
    if row.status:
        first = {"text": status.get(row.status, row.status), "severity": "warning"}
    elif crowded:
        first["severity"] = "warning"
    return {
        "name": row.pool.name,
        "url": row.url,
        "cells": [
            first,
            {
                "text": percent(row.hour.blocked_share),
                "severity": "critical" if row.over else "",
            },
        ],
        "trend": row.trend,
    }


def calls_in_progress(principal: Any) -> console.Stat | None:
    """Numbers in a call now."""
    found = summary(principal)
    return None if found is None else console.Stat(figure(found.busy), trend=found.busy_trend)


def calls_offered(principal: Any) -> console.Stat | None:
    """Calls offered in the last full minute."""
    found = summary(principal)
    if found is None:
        return None
    known = [value for value in found.offered_trend if value is not None]
    return console.Stat(figure(known[-1]) if known else "–", _("/min"), trend=found.offered_trend)


def usable_numbers(principal: Any) -> console.Stat | None:
    """The share of the usable numbers that are in use, and how many are usable."""
    found = summary(principal)
    if found is None:
        return None
    share = found.busy / found.usable if found.usable else None
    return console.Stat(percent(share, 0), _("of %(n)s") % {"n": figure(found.usable)})


def blocked_calls(principal: Any) -> console.Stat | None:
    """The share of the last hour's calls that got no number."""
    found = summary(principal)
    if found is None:
        return None
    over = sum(row.over for row in found.rows)
    return console.Stat(
        percent(found.blocked_share),
        trend=found.blocked_trend,
        severity="warning" if over else "",
        mark=ngettext("%(n)s pool over threshold", "%(n)s pools over threshold", over) % {"n": over}
        if over
        else "",
    )


def register() -> None:
    """Register the card and the figures. Called once, in AppConfig.ready()."""
    console.register_card(
        console.Card(
            "numbers.pools",
            gettext_lazy("Pools"),
            pools_card,
            order=10,
            icon="apps",
        )
    )
    for order, (name, label, load) in enumerate(
        (
            ("numbers.busy", gettext_lazy("Calls in progress"), calls_in_progress),
            ("numbers.offered", gettext_lazy("Calls offered"), calls_offered),
            ("numbers.usable", gettext_lazy("Numbers in use"), usable_numbers),
            ("numbers.blocked", gettext_lazy("Blocked, last hour"), blocked_calls),
        )
    ):
        entry = console.StatEntry(name, label, load, order=10 + order)
        console.register_stat(entry)
    console.register_managed(
        console.ManagedKind(
            "pool",
            gettext_lazy("Pool"),
            gettext_lazy("Visible to everyone who can view the pool."),
            Pool.objects.all,
            lambda pool: reverse("numbers:pool", args=[pool.slug]),
            "numbers.view",
            "numbers.operate",
            console.Undo(
                "numbers.pool_configure",
                console.through(pool_configure, "pool"),
            ),
        )
    )
