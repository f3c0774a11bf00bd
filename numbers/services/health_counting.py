"""Counts ended calls for number health, in the transaction that ends their records.

Each counted call is added to the slot of its end three times (number, switch, region), and to the
number's sums of each window that still has this slot. The pool's mark is locked meanwhile, so no
window slides between the read and the sum. SQL adds (`calls + excluded.calls`), so nothing is read
first.
"""

from collections import defaultdict
from collections.abc import Iterable

from django.utils import timezone

from numbers.health_figures import COUNTS, CallTally, slot_of, window_from
from numbers.models import (
    CallRecord,
    Direction,
    HealthMark,
    HealthSlot,
    Number,
    NumberHealth,
    Pool,
    Window,
)
from poolsite import sql_bulk
from poolsite.moments import us_of

LOOKED_UP = 500


def count_ended(pool_id: int, records: Iterable[CallRecord]) -> None:
    """Count the outbound calls among records that have just ended.

    Call it once for each end, in the transaction that ended them.
    """
    ended = [
        (each, slot_of(us_of(each.ended_at)))
        for each in records
        if each.ended_at and each.direction == Direction.OUT
    ]
    if not ended:
        return
    short_seconds = Pool.all_objects.values_list("short_call_seconds", flat=True).get(pk=pool_id)
    regions = _regions({record.number for record, _ in ended})
    slots: dict[tuple[str, str, int], CallTally] = defaultdict(CallTally)
    numbers: dict[tuple[str, int], CallTally] = defaultdict(CallTally)
    switches: dict[str, str] = {}
    for record, slot in ended:
        region = regions.get(record.number, "")
        for key in (
            (HealthSlot.NUMBER, record.number, slot),
            (HealthSlot.SWITCH, record.switch, slot),
            (HealthSlot.REGION, region, slot),
        ):
            slots[key].add(record, short_seconds)
        numbers[record.number, slot].add(record, short_seconds)
        switches[record.number] = record.switch
    mark = locked_mark(pool_id)
    _add_slots(pool_id, slots)
    _add_numbers(mark, numbers, regions, switches)


def locked_mark(pool_id: int) -> HealthMark:
    """Return the pool's mark, locked until the transaction ends. A new pool's mark begins now."""
    now_us = us_of(timezone.now())
    begin = {f"from_{window.value}_us": window_from(window, now_us) for window in Window}
    HealthMark.objects.get_or_create(pool_id=pool_id, defaults=begin)
    return HealthMark.objects.select_for_update().get(pool_id=pool_id)


def _regions(values: set[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    ordered = sorted(values)
    for start in range(0, len(ordered), LOOKED_UP):
        rows = Number.objects.filter(value__in=ordered[start : start + LOOKED_UP])
        found |= dict(rows.values_list("value", "region"))
    return found


def _add_slots(pool_id: int, slots: dict[tuple[str, str, int], CallTally]) -> None:
    rows = [[pool_id, *key, *slots[key].values()] for key in sorted(slots)]
    unique = ("pool_id", "kind", "key", "slot_us")
    sql_bulk.add_up(HealthSlot, (*unique, *COUNTS), rows, unique=unique, added=COUNTS)


def _add_numbers(
    mark: HealthMark,
    numbers: dict[tuple[str, int], CallTally],
    regions: dict[str, str],
    switches: dict[str, str],
) -> None:
    sums: dict[str, list[int]] = {}
    for (number, slot), tally in numbers.items():
        mine = sums.setdefault(number, [0] * (len(COUNTS) * len(Window)))
        for place, window in enumerate(Window):
            if slot < getattr(mark, f"from_{window.value}_us"):
                continue  # it ended so long ago that the window has passed it
            for offset, value in enumerate(tally.values()):
                mine[place * len(COUNTS) + offset] += value
    counts = tuple(f"{name}_{window.value}" for window in Window for name in COUNTS)
    rows = [
        [mark.pool_id, number, regions.get(number, ""), switches[number], *sums[number]]
        for number in sorted(sums)
    ]
    sql_bulk.add_up(
        NumberHealth,
        ("pool_id", "number", "region", "switch", *counts),
        rows,
        unique=("pool_id", "number"),
        added=counts,
        replaced=("region", "switch"),
    )
