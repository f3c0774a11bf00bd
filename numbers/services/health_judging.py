"""Finds the numbers that match a health rule, by their figures or by their spam labels.

A number that has returned is judged only by later data: slots that began after its return, and
labels received after it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, FloatField, Max, OuterRef, QuerySet
from django.db.models.functions import Cast

from numbers.health_figures import COUNTS, CallTally, calls_of, value_of, window_from
from numbers.models import (
    HealthAction,
    HealthRule,
    HealthSlot,
    Measure,
    Number,
    NumberHealth,
    SpamLabel,
    Window,
)
from poolsite.moments import us_of

AT_ONCE = 500  # numbers in one query of the slots


@dataclass(frozen=True)
class Judged:
    """A number past a rule's threshold: the value, and the calls that it is based on."""

    number: str
    value: float
    calls: int


def judged(rule: HealthRule, now: datetime, most: int) -> list[Judged]:
    """Return up to `most` numbers that match the rule now, the worst first.

    Numbers that are quarantined, have left the pool, or are exempt from the rule are left out.
    """
    if most <= 0:
        return []
    returned = _returned(rule, now)
    if rule.measure == Measure.SPAM:
        found = _labelled(rule, now, returned)
    else:
        found = [*_by_sums(rule, now, most), *_by_slots(rule, now, returned)]
    usable = _usable(rule, now, found)
    found = [each for each in found if each.number in usable]
    falling = rule.direction == HealthRule.ABOVE
    found.sort(key=lambda each: (-each.value if falling else each.value, each.number))
    return found[:most]


def _returned(rule: HealthRule, now: datetime) -> dict[str, datetime]:
    """Numbers of the pool that returned within the window → their latest return."""
    return dict(
        _returns(rule, now).values_list("number").annotate(last=Max("returned_at")).order_by()
    )


def _returns(rule: HealthRule, now: datetime) -> QuerySet[HealthAction]:
    since = now - Window(rule.window).length
    return HealthAction.objects.filter(pool_id=rule.pool_id, returned_at__gte=since)


def _usable(rule: HealthRule, now: datetime, found: Iterable[Judged]) -> set[str]:
    """The numbers that the rule may take: in the pool, not quarantined, not exempt."""
    values = sorted({each.number for each in found})
    usable: set[str] = set()
    exempt = HealthAction.objects.filter(rule=rule, number=OuterRef("value"), exempt_until__gt=now)
    for start in range(0, len(values), AT_ONCE):
        rows = Number.objects.filter(
            ~Exists(exempt),
            pool=rule.pool,
            value__in=values[start : start + AT_ONCE],
            quarantined_at=None,
        )
        usable.update(rows.values_list("value", flat=True))
    return usable


# -- by calls ------------------------------------------------------------------------------------


def is_past(rule: HealthRule, value: float) -> bool:
    """Whether a value is past the rule's threshold."""
    below = value < rule.threshold
    return below if rule.direction == HealthRule.BELOW else not below


def _by_sums(rule: HealthRule, now: datetime, most: int) -> list[Judged]:
    """Judge by the sums of the windows. Numbers that returned recently are judged by slots."""
    returned = Exists(_returns(rule, now).filter(number=OuterRef("number")))
    usable = Number.objects.filter(
        pool_id=rule.pool_id, value=OuterRef("number"), quarantined_at=None
    )
    rows = _past(rule).filter(~returned, Exists(usable))
    order = "-share" if rule.direction == HealthRule.ABOVE else "share"
    found = []
    for row in rows.order_by(order, "number")[:most]:
        tally = CallTally(*(getattr(row, f"{name}_{rule.window}") for name in COUNTS))
        value = value_of(rule.measure, tally)
        if value is not None:
            found.append(Judged(row.number, value, calls_of(rule.measure, tally)))
    return found


def _past(rule: HealthRule) -> QuerySet[NumberHealth]:
    """Numbers whose sums are past the threshold. `share` has the measure of each."""
    calls, answered = F(f"calls_{rule.window}"), F(f"answered_{rule.window}")
    by_calls = rule.measure in (Measure.ASR, Measure.UNANSWERED)
    part: Any = {
        Measure.ASR: answered,
        Measure.UNANSWERED: calls - answered,
        Measure.SHORT: F(f"short_{rule.window}"),
        Measure.MEAN: F(f"talk_ms_{rule.window}"),
    }[Measure(rule.measure)]
    scale = 0.001 if rule.measure == Measure.MEAN else 100.0
    whole = calls if by_calls else answered
    name = "calls" if by_calls else "answered"
    enough = {f"{name}_{rule.window}__gte": rule.least_calls}
    share = Cast(part, FloatField()) * scale / Cast(whole, FloatField())
    rows = NumberHealth.objects.filter(pool_id=rule.pool_id, **enough).annotate(share=share)
    if rule.direction == HealthRule.BELOW:
        return rows.filter(share__lt=rule.threshold)
    return rows.filter(share__gte=rule.threshold)


def _by_slots(rule: HealthRule, now: datetime, returned: dict[str, datetime]) -> Iterable[Judged]:
    """Judge numbers that returned within the window by the slots that began since."""
    values = sorted(returned)
    first = window_from(Window(rule.window), us_of(now))
    for start in range(0, len(values), AT_ONCE):
        sums: dict[str, CallTally] = {}
        for slot in HealthSlot.objects.filter(
            pool_id=rule.pool_id,
            kind=HealthSlot.NUMBER,
            key__in=values[start : start + AT_ONCE],
            slot_us__gte=first,
        ):
            if slot.slot_us < us_of(returned[slot.key]):
                continue
            tally = sums.setdefault(slot.key, CallTally())
            for name in COUNTS:
                setattr(tally, name, getattr(tally, name) + getattr(slot, name))
        for number, tally in sums.items():
            value = value_of(rule.measure, tally)
            enough = calls_of(rule.measure, tally) >= rule.least_calls
            if value is not None and enough and is_past(rule, value):
                yield Judged(number, value, calls_of(rule.measure, tally))


# -- by spam labels ------------------------------------------------------------------------------


def _labelled(rule: HealthRule, now: datetime, returned: dict[str, datetime]) -> list[Judged]:
    """Numbers that enough sources labelled within the window and since their return, if any."""
    rows = SpamLabel.objects.filter(
        pool_id=rule.pool_id, seen_at__gt=now - Window(rule.window).length
    )
    others = rows.filter(~Exists(_returns(rule, now).filter(number=OuterRef("number"))))
    counted = others.values("number").annotate(sources=Count("source", distinct=True)).order_by()
    found = dict(
        counted.filter(sources__gte=math.ceil(rule.threshold)).values_list("number", "sources")
    )
    values = sorted(returned)
    for start in range(0, len(values), AT_ONCE):
        sources: dict[str, set[str]] = {}
        for label in rows.filter(number__in=values[start : start + AT_ONCE]):
            if label.created_at > returned[label.number]:
                sources.setdefault(label.number, set()).add(label.source)
        found |= {number: len(its) for number, its in sources.items() if len(its) >= rule.threshold}
    return [Judged(number, float(count), 0) for number, count in found.items()]
