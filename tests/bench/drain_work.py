"""The steps of row 25, each run in its own process.

fill <shards> <pools>     `pools` pools with 2 000 numbers each in each of the shards
events <calls>            `calls` calls in each pool, and their hangups, 2 000 at a time
drain <shard> <shards>    one turn of the drain, as the sweep runs it
check                     what SQL has of all pools, and what waits in Redis

The last line printed is a JSON object of figures.
"""

import json
import sys
import time
import zlib
from collections.abc import Callable
from itertools import count
from typing import Any

import django

NUMBERS = 2_000
AT_ONCE = 2_000  # a page of the drain: a call ends in another page than it began in


def fill(shards: str, pools: str) -> dict[str, Any]:
    """Create the pools; their names decide the shards."""
    from numbers.models import Number
    from numbers.services import pool_create
    from numbers.services.rebuilding import load_all

    found: dict[int, list[str]] = {shard: [] for shard in range(int(shards))}
    for place in count():
        slug = f"drain-{place}"
        mine = found[zlib.crc32(f"{{{slug}}}".encode()) % int(shards)]
        if len(mine) < int(pools):
            mine.append(slug)
        if all(len(slugs) == int(pools) for slugs in found.values()):
            break
    slugs = sorted(slug for slugs in found.values() for slug in slugs)
    for place, slug in enumerate(slugs):
        pool = pool_create(actor="bench", slug=slug)
        first = 13_000_000_000 + place * NUMBERS
        values = [f"+86{first + index}" for index in range(NUMBERS)]
        Number.objects.bulk_create(
            [Number(pool=pool, value=value, canonical=value, is_up=True) for value in values]
        )
        load_all(pool)
    return {"pools": int(shards) * int(pools)}


def events(calls: str) -> dict[str, Any]:
    """Call and hang up in turns, so that a call's two events are in different pages."""
    from numbers import pool
    from numbers.models import Pool
    from poolsite import hotpath

    sent = 0
    for slug in Pool.objects.values_list("slug", flat=True):
        for start in range(0, int(calls), AT_ONCE):
            ids = [f"{slug}-{start + index}-{time.time_ns()}" for index in range(AT_ONCE)]
            called = hotpath.run_all(
                [pool.event(slug, pool.Event.of("call", call_id=i)) for i in ids]
            )
            hotpath.run_all([pool.event(slug, pool.Event.of("hangup", call_id=i)) for i in ids])
            assert all(outcome.number for outcome in called)
            sent += 2 * AT_ONCE
    return {"events": sent}


def drain(shard: str, shards: str) -> dict[str, Any]:
    """Run one turn of one shard."""
    from django.db import connection

    from poolsite.history.tasks import drain_all

    connection.ensure_connection()
    begun, cpu = time.perf_counter(), time.process_time()
    done = drain_all(int(shard), int(shards))
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    assert done["failed"] + done["gaps"] + done["lag"] == 0, done
    return {"begun": time.time() - seconds, "seconds": seconds, "cpu": cpu, **done}


def check() -> dict[str, Any]:
    """Count the rows and the events that are not drained."""
    from numbers.models import CallRecord, Pool, PoolEvent
    from poolsite import hotpath
    from poolsite.history.models import GapRecord

    waits = 0
    for slug in Pool.objects.values_list("slug", flat=True):
        seq, drained = hotpath.client().hmget(f"{{{slug}}}", "seq", "drained")
        waits += int(seq) - int(drained)
    return {
        "calls": PoolEvent.objects.filter(event__in=("call", "hangup")).count(),
        "ended": CallRecord.objects.exclude(ended_at=None).count(),
        "gaps": GapRecord.objects.count(),
        "waits": waits,
    }


STEPS: dict[str, Callable[..., dict[str, Any]]] = {
    "fill": fill,
    "events": events,
    "drain": drain,
    "check": check,
}

if __name__ == "__main__":
    django.setup()
    print(json.dumps(STEPS[sys.argv[1]](*sys.argv[2:])))
