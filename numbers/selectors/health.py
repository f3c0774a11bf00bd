"""Queries about number health: figures, the worst numbers, the actions of rules."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from numbers.health_figures import COUNTS, CallTally, value_of, window_from
from numbers.models import (
    HealthAction,
    HealthRule,
    HealthSlot,
    Measure,
    Number,
    NumberHealth,
    Pool,
    SpamLabel,
    Window,
)
from numbers.models.health import LEAST_CALLS, RATE_WHOLE
from numbers.selectors.spellings import every_spelling
from poolsite.moments import us_of

PAGE = 25
CELLS = 1_000
ACTIONS = 20
LABEL_DAYS = 7
# The classes of the heat map: the lowest answer rate of each, in percent.
CLASSES = (0, 10, 20, 40, 60)


@dataclass(frozen=True)
class HealthFigures:
    """The figures of some calls. A rate is a share, 0 to 1, or None if nothing was reported."""

    tally: CallTally

    @property
    def asr(self) -> float | None:
        return _share(value_of(Measure.ASR, self.tally))

    @property
    def unanswered_share(self) -> float | None:
        return _share(value_of(Measure.UNANSWERED, self.tally))

    @property
    def short_share(self) -> float | None:
        return _share(value_of(Measure.SHORT, self.tally))

    @property
    def mean_seconds(self) -> float | None:
        return value_of(Measure.MEAN, self.tally)

    @property
    def calls(self) -> int:
        return self.tally.calls

    @property
    def untold(self) -> int:
        return self.tally.untold

    @property
    def told_share(self) -> float | None:
        """The share of the ended calls whose answer (yes or no) was reported."""
        ended = self.tally.calls + self.tally.untold
        return self.tally.calls / ended if ended else None


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


@dataclass(frozen=True)
class GroupHealth:
    """The figures of a switch or a region."""

    key: str
    figures: HealthFigures


@dataclass(frozen=True)
class NumberHealthRow:
    """One number of the table."""

    number: str
    region: str
    switch: str
    figures: HealthFigures
    rate: int | None
    label_sources: int = 0
    held: HealthAction | None = None
    quarantined: bool = False
    in_pool: bool = True

    @property
    def heat(self) -> str:
        """The class of the heat map, "0" (worst) to "4", or "" without a rate."""
        if self.rate is None:
            return ""
        percent = self.rate * 100 / RATE_WHOLE
        return str(sum(percent >= least for least in CLASSES) - 1)


@dataclass(frozen=True)
class WorstPage:
    """A page of numbers, the worst first. `next` continues it, and is "" on the last page."""

    rows: list[NumberHealthRow]
    next: str


@dataclass(frozen=True)
class HealthFilter:
    """The numbers to include, and the window."""

    window: Window = Window.DAY
    region: str = ""
    switch: str = ""


@dataclass(frozen=True)
class PoolHealth:
    """A pool's figures over a window, also by switch and by region."""

    figures: HealthFigures
    switches: list[GroupHealth] = field(default_factory=list)
    regions: list[GroupHealth] = field(default_factory=list)


def pool_health(pool: Pool, window: Window, now: datetime) -> PoolHealth:
    """Return the pool's figures, by switch and by region; cheap with any count of numbers."""
    switches = _groups(pool, HealthSlot.SWITCH, window, now)
    regions = _groups(pool, HealthSlot.REGION, window, now)
    total = CallTally()
    for group in switches:
        for name in COUNTS:
            setattr(total, name, getattr(total, name) + getattr(group.figures.tally, name))
    return PoolHealth(HealthFigures(total), switches, regions)


def _groups(pool: Pool, kind: str, window: Window, now: datetime) -> list[GroupHealth]:
    rows = (
        HealthSlot.objects.filter(
            pool=pool, kind=kind, slot_us__gte=window_from(window, us_of(now))
        )
        .order_by("key")
        .values_list("key")
        .annotate(**{f"sum_{name}": Sum(name) for name in COUNTS})
    )
    groups = [GroupHealth(row[0], HealthFigures(CallTally(*row[1:]))) for row in rows]
    return sorted(groups, key=lambda group: (group.figures.asr is None, group.figures.asr or 0))


def heat_counts(pool: Pool, wanted: HealthFilter) -> dict[str, int]:
    """Count the numbers in each class; "" has too few calls. Reads each number's sums once."""
    rate = f"rate_{wanted.window.value}"
    bounds = [least * RATE_WHOLE // 100 for least in CLASSES]
    conditions = {
        f"class_{place}": Q(**{f"{rate}__gte": least})
        & (Q(**{f"{rate}__lt": bounds[place + 1]}) if place + 1 < len(bounds) else Q())
        for place, least in enumerate(bounds)
    }
    few = Q(**{f"{rate}__isnull": True}) & Q(**{f"calls_{wanted.window.value}__gt": 0})
    found = _matching(pool, wanted).aggregate(
        **{name: Count("pk", filter=condition) for name, condition in conditions.items()},
        few=Count("pk", filter=few),
    )
    return {"": found["few"]} | {
        str(place): found[f"class_{place}"] for place in range(len(bounds))
    }


def _matching(pool: Pool, wanted: HealthFilter) -> QuerySet[NumberHealth]:
    rows = NumberHealth.objects.filter(pool=pool)
    if wanted.region:
        rows = rows.filter(region=wanted.region)
    if wanted.switch:
        rows = rows.filter(switch=wanted.switch)
    return rows


def _ranked(pool: Pool, wanted: HealthFilter) -> QuerySet[NumberHealth]:
    """Numbers with a rate, the lowest first: the order of an index."""
    enough = {f"calls_{wanted.window.value}__gte": LEAST_CALLS}
    rows = _matching(pool, wanted).filter(**enough)
    return rows.order_by(f"rate_{wanted.window.value}", "number")


def heat_cells(pool: Pool, wanted: HealthFilter) -> list[NumberHealthRow]:
    """The first numbers of the map, the worst first."""
    return _rows(pool, wanted.window, list(_ranked(pool, wanted)[:CELLS]))


def worst_numbers(
    pool: Pool, wanted: HealthFilter, after: str = "", limit: int = PAGE
) -> WorstPage:
    """Return a page of numbers with enough calls for a rate, the worst first, by keyset."""
    rows = _ranked(pool, wanted)
    name = f"rate_{wanted.window.value}"
    rate, _sep, number = after.partition("-")
    if rate.isascii() and rate.isdecimal() and len(rate) < 6:
        same = Q(**{name: int(rate), "number__gt": number[:33]})
        # The first condition is the start in the index; the second skips what was shown.
        rows = rows.filter(**{f"{name}__gte": int(rate)})
        rows = rows.filter(same | Q(**{f"{name}__gt": int(rate)}))
    found = list(rows[: limit + 1])
    shown = found[:limit]
    last = shown[-1] if len(found) > limit else None
    following = f"{getattr(last, name)}-{last.number}" if last is not None else ""
    return WorstPage(_rows(pool, wanted.window, shown), following)


def _rows(pool: Pool, window: Window, found: Sequence[NumberHealth]) -> list[NumberHealthRow]:
    values = [row.number for row in found]
    sources = label_sources(pool, values)
    open_actions = HealthAction.objects.filter(pool=pool, number__in=values, returned_at=None)
    held = {action.number: action for action in open_actions}
    there = dict(
        Number.objects.filter(pool=pool, value__in=values).values_list("value", "quarantined_at")
    )
    return [
        NumberHealthRow(
            number=row.number,
            region=row.region,
            switch=row.switch,
            figures=HealthFigures(_tally(row, window)),
            rate=getattr(row, f"rate_{window.value}"),
            label_sources=sources.get(row.number, 0),
            held=held.get(row.number),
            quarantined=there.get(row.number) is not None,
            in_pool=row.number in there,
        )
        for row in found
    ]


def _tally(row: NumberHealth, window: Window) -> CallTally:
    return CallTally(*(getattr(row, f"{name}_{window.value}") for name in COUNTS))


def number_health(pool: Pool, number: str) -> dict[Window, HealthFigures]:
    """Return a number's figures over each window, or {} if it had no call in seven days."""
    row = NumberHealth.objects.filter(pool=pool, number=number).first()
    if row is None:
        return {}
    return {window: HealthFigures(_tally(row, window)) for window in Window}


def label_sources(pool: Pool, values: Iterable[str]) -> dict[str, int]:
    """Return how many sources labelled each number within the last seven days."""
    since = timezone.now() - timedelta(days=LABEL_DAYS)
    rows = SpamLabel.objects.filter(pool=pool, number__in=list(values), seen_at__gt=since)
    counted = rows.values("number").annotate(sources=Count("source", distinct=True)).order_by()
    return {row["number"]: row["sources"] for row in counted}


def number_labels(pool: Pool, number: str, limit: int = 10) -> list[SpamLabel]:
    """A number's latest labels."""
    rows = SpamLabel.objects.filter(pool=pool, number=number)
    return list(rows.order_by("-seen_at", "-pk")[:limit])


def health_actions(pool: Pool, limit: int = ACTIONS, number: str = "") -> list[HealthAction]:
    """The actions of rules: numbers that are still out first, then the latest."""
    rows = HealthAction.objects.filter(pool=pool)
    if number:
        rows = rows.filter(number=number)
    still = list(rows.filter(returned_at=None).order_by("-at", "-pk")[:limit])
    back = rows.exclude(returned_at=None).order_by("-at", "-pk")[: limit - len(still)]
    return [*still, *back]


def pool_actions(
    pool: Pool, *, number: str = "", returned: bool | None = None
) -> QuerySet[HealthAction]:
    """The actions of rules on a pool's numbers, or on one (in any format), unordered."""
    rows = HealthAction.objects.filter(pool=pool)
    if number:
        rows = rows.filter(number__in=every_spelling(number))
    return rows if returned is None else rows.filter(returned_at__isnull=not returned)


def health_rules(pool: Pool) -> list[HealthRule]:
    """The pool's rules by name, each with how many numbers it holds now (`held`)."""
    return list(_rules(pool).order_by("name"))


def health_rule(pool: Pool, key: int) -> HealthRule:
    """Return one rule with its `held`. Raise HealthRule.DoesNotExist."""
    return _rules(pool).get(pk=key)


def _rules(pool: Pool) -> QuerySet[HealthRule]:
    held = Count("actions", filter=Q(actions__returned_at=None))
    return HealthRule.objects.filter(pool=pool).annotate(held=held)
