"""Row 24: the ways a user could choose to lend 10,000 numbers to calls, side by side.

Load: 10,000 calls and their hangups by each way in turn, five rounds; the hangups of a block of 250
calls are placed between the calls of the next one. In Redis, one client and a block in one
pipeline: ours by FCALL, with everything on as in row 1, in lists of 32 and one by one; the seed's
own Lua by EVALSHA; LPOP with SET NX PX, unlocked by compare-and-delete, and RPUSH, each block in
two pipelines. In PostgreSQL with fsync on, eight connections that share a block, prepared: one
UPDATE for an event, which picks the number by FOR UPDATE SKIP LOCKED, with synchronous_commit off
and on. Compared: the server's CPU for an event, the mean of call and hangup, the median of the
rounds (Redis: used_cpu; PostgreSQL: /proc, all its processes). At the end every call had a number
that no other call had, every hangup was accepted, and all numbers are free.
Left out: AOF, the drain, the clients' CPU; VACUUM and CHECKPOINT, which run before each turn.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from statistics import median

from numbers.pool import BATCH_LIMIT
from tests.bench.lending import Way, check_all_free, cpu_us_per_event
from tests.bench.lending_redis import ListAndLock, Ours, Seed
from tests.bench.lending_sql import SkipLocked, postgres
from tests.bench.pools import numbers_of, private_redis
from tests.bench.result import Row, Verdict, at_least, at_most

NUMBERS, CALLS, BLOCK, ROUNDS = 10_000, 10_000, 250, 5
LISTS, SINGLE = f"lists of {BATCH_LIMIT}", "one by one"
SEED, LOCK = "the seed's own Lua", "LPOP + SET NX"
OFF, ON = "SKIP LOCKED, commit off", "SKIP LOCKED, commit on"
ROUND_TRIPS = {LISTS: 2 / BATCH_LIMIT, SINGLE: 2, SEED: 2, LOCK: 4, OFF: 2, ON: 2}

Costs = dict[str, float]


def run() -> list[Row]:
    """Measure all ways in turn. Ours in lists is judged, the other ways are reported."""
    costs = _costs()
    beside_seed, off, on = (
        costs[LISTS] / costs[SEED],
        costs[OFF] / costs[LISTS],
        costs[ON] / costs[LISTS],
    )
    return [
        _row(costs, LISTS, SEED, beside_seed, "≤ 2.2×", at_most(2.2, beside_seed), _said(costs)),
        _row(costs, LISTS, OFF, off, "≥ 10×", at_least(10.0, off)),
        _row(costs, LISTS, ON, on, "≥ 10×", at_least(10.0, on)),
        *(
            _row(costs, ours, theirs, costs[ours] / costs[theirs], "reported", "not judged")
            for ours, theirs in ((LISTS, LOCK), (SINGLE, SEED))
        ),
    ]


def _row(
    costs: Costs, ours: str, theirs: str, ratio: float, mark: str, verdict: Verdict, notes: str = ""
) -> Row:
    return Row(
        row="24",
        name=f"call and hangup, {NUMBERS:,} numbers, {ours}",
        ours=f"{costs[ours]:.2f} µs",
        reference=f"{theirs} {costs[theirs]:.2f} µs",
        ratio=ratio,
        mark=mark,
        verdict=verdict,
        notes=notes,
        figures={"used_cpu_us": costs} if notes else {},
    )


def _said(costs: Costs) -> str:
    """Return each way's cost: events per core and second, round trips for a call and its hangup."""
    return "; ".join(
        f"{name} {1e6 / us:,.0f} events a core and second, {ROUND_TRIPS[name]:g} round trips"
        for name, us in costs.items()
    )


def _costs() -> Costs:
    """Return for each way the median of its rounds."""
    with _ways() as ways:
        rounds: dict[str, list[float]] = {name: [] for name in ways}
        for place in range(ROUNDS):
            for name, way in ways.items():
                way.prepare()
                calls = range(place * CALLS, (place + 1) * CALLS)
                rounds[name].append(cpu_us_per_event(way, calls, BLOCK))
        for way in ways.values():
            check_all_free(way, numbers_of(NUMBERS))
    return {name: median(costs) for name, costs in rounds.items()}


@contextmanager
def _ways() -> Iterator[dict[str, Way]]:
    """Start a Redis for each way that needs it, and a PostgreSQL."""
    numbers = numbers_of(NUMBERS)
    with ExitStack() as ends:
        clients = [ends.enter_context(private_redis()) for _ in range(4)]
        server = ends.enter_context(postgres(numbers))
        yield {
            LISTS: Ours(clients[0], NUMBERS, BATCH_LIMIT),
            SINGLE: Ours(clients[1], NUMBERS, 1),
            SEED: Seed(clients[2], numbers),
            LOCK: ListAndLock(clients[3], numbers),
            OFF: ends.enter_context(SkipLocked(server, "off")),
            ON: ends.enter_context(SkipLocked(server, "on")),
        }
