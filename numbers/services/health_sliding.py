"""Slides the windows of number health: slots older than a window leave the numbers' sums."""

from datetime import datetime
from typing import Final

from django.db import connection, transaction
from django.db.models import Q, Sum

from numbers.health_figures import COUNTS, SLOT_US, window_from
from numbers.models import HealthMark, HealthSlot, NumberHealth, Pool, Window
from numbers.services.health_counting import locked_mark
from poolsite.moments import us_of

# Slots outlive the longest window by a day. If the sums are further behind, sum up again.
MOST_SLOTS: Final = 24 * 6
INSERTED: Final = 500


def slide_pool(pool: Pool, now: datetime) -> int:
    """Update the pool's sums to `now`. Return how many steps that took.

    Safe to repeat, and to run twice at the same time. If the clock was set back, nothing changes.
    """
    now_us, steps = us_of(now), 0
    mark = HealthMark.objects.filter(pool=pool).first()
    if mark is None:
        return 0
    for window in Window:
        wanted = window_from(window, now_us)
        if (wanted - getattr(mark, f"from_{window.value}_us")) // SLOT_US > MOST_SLOTS:
            sum_up(pool, now)
            return 1
    for window in Window:
        while _leave_one(pool, window, window_from(window, now_us)):
            steps += 1
    if steps:
        _forget_idle(pool)
    return steps


def _leave_one(pool: Pool, window: Window, wanted_us: int) -> bool:
    """Take the oldest slot out of a window that should begin later. Return whether it did."""
    name = f"from_{window.value}_us"
    with transaction.atomic():
        mark = locked_mark(pool.pk)
        begins_us = getattr(mark, name)
        if begins_us >= wanted_us:
            return False
        _subtract(pool, window, begins_us)
        setattr(mark, name, begins_us + SLOT_US)
        mark.save(update_fields=[name])
    return True


def _subtract(pool: Pool, window: Window, slot_us: int) -> None:
    quote = connection.ops.quote_name
    health, slot = quote(NumberHealth._meta.db_table), quote(HealthSlot._meta.db_table)
    sets = []
    for count in COUNTS:
        mine = quote(f"{count}_{window.value}")
        sets.append(f"{mine} = {health}.{mine} - slot.{quote(count)}")
    sql = (
        f"UPDATE {health} SET {', '.join(sets)} FROM {slot} AS slot "  # noqa: S608  names of ours
        f"WHERE slot.pool_id = %s AND slot.slot_us = %s AND slot.kind = %s "
        f"AND {health}.pool_id = slot.pool_id AND {health}.number = slot.key"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [pool.pk, slot_us, HealthSlot.NUMBER])


def _forget_idle(pool: Pool) -> None:
    """Delete the rows of numbers without a call in seven days."""
    idle = NumberHealth.objects.filter(pool=pool, calls_7d=0, untold_7d=0)
    idle.delete()  # unaudited: sums


def sum_up(pool: Pool, now: datetime) -> int:
    """Rebuild the pool's sums from its slots. Return how many numbers have sums."""
    now_us = us_of(now)
    with transaction.atomic():
        mark = locked_mark(pool.pk)
        for window in Window:
            setattr(mark, f"from_{window.value}_us", window_from(window, now_us))
        mark.save()
        known = NumberHealth.objects.filter(pool=pool)
        labels = {row[0]: row[1:] for row in known.values_list("number", "region", "switch")}
        known.delete()  # unaudited: sums
        sums = {
            f"{count}_{window.value}": Sum(
                count, filter=Q(slot_us__gte=window_from(window, now_us)), default=0
            )
            for window in Window
            for count in COUNTS
        }
        rows = (
            HealthSlot.objects.filter(
                pool=pool,
                kind=HealthSlot.NUMBER,
                slot_us__gte=window_from(Window.WEEK, now_us),
            )
            .order_by("key")
            .values_list("key")
            .annotate(**sums)
        )
        made = 0
        part: list[NumberHealth] = []
        for row in rows.iterator(chunk_size=INSERTED):
            region, switch = labels.get(row[0], ("", ""))
            counts = dict(zip(sums, row[1:], strict=True))
            part.append(
                NumberHealth(pool=pool, number=row[0], region=region, switch=switch, **counts)
            )
            if len(part) == INSERTED:
                made += len(NumberHealth.objects.bulk_create(part))  # unaudited: sums
                part = []
        made += len(NumberHealth.objects.bulk_create(part))  # unaudited: sums
    return made
