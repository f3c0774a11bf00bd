"""Row 25: what waits in Redis goes into SQL, with one worker and with four.

Load: eight pools, two in each of four shards, each with 20 000 calls that have ended: 320 000
events wait. Ours is the drain's whole turn, as the sweep runs it; with one worker process, and
with four, one for each shard. A call's two events are in different pages, so its record is written
twice. PostgreSQL (fsync off) and Redis (AOF off) on this machine. At the end every event is in SQL,
every call's record has ended, there is no gap, and nothing waits.
The target is 30 000 events a second with four workers. It needs a core for each worker and more for
SQL: with fewer than six cores it is not judged, and the row reports what four workers with a core
each would do, by their own CPU, and how much of a core SQL and Redis would need for that.
Left out: fsync, the network, other sweeps.
"""

import os

from tests.bench.result import Row, Verdict
from tests.bench.sql_site import Servers, SqlSite, servers
from tests.bench.workers import run_together

SHARDS, POOLS_IN_A_SHARD, CALLS = 4, 2, 20_000
EVENTS = SHARDS * POOLS_IN_A_SHARD * CALLS * 2
TARGET_PER_SECOND, CORES = 30_000, 6
PROGRAM = "tests/bench/drain_work.py"


def run() -> list[Row]:
    """Fill, then measure one worker and four workers."""
    pair = servers()
    site = pair.site("drain")
    site.work("fill", SHARDS, POOLS_IN_A_SHARD, program=PROGRAM)
    site.work("events", 2_000, program=PROGRAM)
    run_together(pair, site, PROGRAM, "drain", 1)  # so that tables and caches have been used once
    rows = [_measured(pair, site, workers) for workers in (1, SHARDS)]
    found = site.work("check", program=PROGRAM)
    calls = SHARDS * POOLS_IN_A_SHARD * (2_000 + 2 * CALLS)
    assert found == {"calls": 2 * calls, "ended": calls, "gaps": 0, "waits": 0}, found
    return rows


def _measured(pair: Servers, site: SqlSite, workers: int) -> Row:
    assert site.work("events", CALLS, program=PROGRAM)["events"] == EVENTS
    spent, turns = run_together(pair, site, PROGRAM, "drain", workers)
    assert sum(turn["entries"] for turn in turns) == EVENTS, turns
    rate = EVENTS / spent.seconds
    each = {"worker": spent.workers, "SQL": spent.sql, "Redis": spent.redis}
    microseconds = {part: seconds * 1e6 / EVENTS for part, seconds in each.items()}
    own = SHARDS / microseconds["worker"] * 1e6
    others = {part: own * microseconds[part] / 1e6 for part in ("SQL", "Redis")}
    return Row(
        row="25",
        name=f"{EVENTS:,} waiting events drained, {workers} worker{'s' if workers > 1 else ''}",
        ours=f"{rate:,.0f} events/s",
        reference="-",
        ratio=None,
        mark=f"≥ {TARGET_PER_SECOND:,}/s with four" if workers == SHARDS else "reported",
        verdict=_verdict(rate) if workers == SHARDS else "pass",
        notes=", ".join(f"{part} {cost:.0f} µs" for part, cost in microseconds.items())
        + f" of CPU an event; four workers with a core each: {own:,.0f} events/s, beside "
        + " and ".join(f"{cores:.1f} cores of {part}" for part, cores in others.items()),
        figures={
            "seconds": spent.seconds,
            "per_second": rate,
            "cpu_us": microseconds,
            "four_with_a_core_each": own,
            "cores": os.cpu_count(),
        },
    )


def _verdict(rate: float) -> Verdict:
    if rate >= TARGET_PER_SECOND:
        return "pass"
    return "short" if (os.cpu_count() or 1) >= CORES else "not judged"
