"""Compares pools with their thresholds: incidents open, and close automatically."""

from datetime import UTC, datetime, timedelta

from django.db.models import Sum
from django.utils.translation import gettext_noop

from numbers import pool as commands
from numbers.models import MinuteSample, Pool, Switch
from poolsite.hotpath.rows import with_figures
from poolsite.operations import incidents
from poolsite.operations.incidents import Trouble

BLOCKING, OCCUPANCY, SILENT = "numbers.blocking", "numbers.occupancy", "numbers.switch_silent"
WINDOW = timedelta(minutes=5)
OFFERED_AT_LEAST = 20  # a percentage of fewer calls means nothing
SILENT_INTERVALS = 3


def check_alarms(now: datetime | None = None) -> dict[str, int]:
    """Check every pool. Return how many pools were checked and how many incidents are open."""
    now = now or datetime.now(UTC)
    pools = with_figures(Pool.objects.order_by("pk"), commands.show, patient=True)
    standing = 0
    for pool, its in pools:
        if its is None:
            continue
        standing += incidents.keep(BLOCKING, pool, _blocking(pool, now))
        standing += incidents.keep(OCCUPANCY, pool, _occupancy(pool, its))
        standing += incidents.keep(SILENT, pool, _silent(pool, its, now))
    return {"pools": len(pools), "standing": standing}


def _blocking(pool: Pool, now: datetime) -> Trouble | None:
    window = MinuteSample.objects.filter(pool=pool, minute__gt=now - WINDOW)
    sums = window.aggregate(offered=Sum("offered"), blocked=Sum("blocked"))
    offered, blocked = sums["offered"] or 0, sums["blocked"] or 0
    percent = blocked * 100 / offered if offered >= OFFERED_AT_LEAST else 0.0
    if percent <= pool.blocking_alarm_percent:
        return None
    return Trouble(
        severity="critical" if percent > 10 * pool.blocking_alarm_percent else "warning",
        title=gettext_noop("Pool %(pool)s is short of numbers"),
        detail=gettext_noop(
            "%(blocked)s of %(offered)s calls found no free number (%(percent)s%%) "
            "in the last 5 minutes."
        ),
        remedy=gettext_noop("Add numbers, or check which numbers are resting or offline."),
        url=f"/pools/{pool.slug}/#sizing",
        params={
            "pool": pool.slug,
            "blocked": blocked,
            "offered": offered,
            "percent": f"{percent:.1f}",
        },
    )


def _occupancy(pool: Pool, figures: commands.PoolFigures) -> Trouble | None:
    busy = figures.busy_up + figures.busy_down
    usable = busy + figures.pickable
    percent = busy * 100 / usable if usable else 0.0
    if percent <= pool.occupancy_alarm_percent or figures.status != "open":
        return None
    return Trouble(
        severity="warning",
        title=gettext_noop("Pool %(pool)s is nearly full"),
        detail=gettext_noop("%(busy)s of %(usable)s usable numbers are in a call (%(percent)s%%)."),
        remedy=gettext_noop("Add numbers before calls are blocked."),
        url=f"/pools/{pool.slug}/",
        params={"pool": pool.slug, "busy": busy, "usable": usable, "percent": f"{percent:.0f}"},
    )


def _silent(pool: Pool, figures: commands.PoolFigures, now: datetime) -> Trouble | None:
    """Find switches with calls in progress that have not reported for three intervals."""
    if not figures.busy_up + figures.busy_down:
        return None
    late = now - timedelta(seconds=SILENT_INTERVALS * pool.switch_interval_seconds + 10)
    names = list(
        Switch.objects.filter(pool=pool, last_heard__lt=late, name__in=_switches_in_calls(pool))
        .order_by("name")
        .values_list("name", flat=True)[:5]
    )
    if not names:
        return None
    return Trouble(
        severity="warning",
        title=gettext_noop("A switch of pool %(pool)s stopped reporting"),
        detail=gettext_noop("%(switches)s: no reports received, but calls are still open."),
        remedy=gettext_noop(
            "Check that the switch is running and can reach the platform. Its calls end when "
            "their lease expires."
        ),
        url=f"/pools/{pool.slug}/",
        params={"pool": pool.slug, "switches": ", ".join(names)},
    )


def _switches_in_calls(pool: Pool) -> list[str]:
    return list(pool.calls.filter(ended_at=None).values_list("switch", flat=True).distinct())
