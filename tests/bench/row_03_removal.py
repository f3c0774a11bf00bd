"""Row 3: `unreg` and `del` at 100 000 numbers against the seed's LIST and LREM.

Load: one client, pipelines of 500, random numbers; ours by FCALL. Five rounds in turn: 5 000
`unreg`, 5 000 `del`, 1 000 removals by the seed's script (cjson, and LREM -1 on a list of all
numbers), each put back before the next. Compared: Redis' CPU per command (used_cpu), the median
of the rounds. Also reported: the same by INFO commandstats, which is wall time. At the end all
numbers are in the idle set again. Left out: AOF, the drain, what the sweep does later. Our
commands also write history; the seed's script does not.
"""

import random
from statistics import median

import redis

from numbers.pool import Event, event
from tests.bench import seed_pool
from tests.bench.pools import AREAS, SLUG, fill, library_words, private_redis
from tests.bench.redis_cpu import CommandCost, measure_calls, send_pipelined, void
from tests.bench.result import Row, at_least

NUMBERS = 100_000
ROUNDS, OURS, SEEDS = 5, 5_000, 1_000


def run() -> list[Row]:
    """Measure our `unreg` and `del` against the seed's removal."""
    chance = random.Random(3)
    costs: dict[str, list[CommandCost]] = {"unreg": [], "del": [], "seed": []}
    with private_redis() as client, private_redis() as seeds_client:
        numbers = fill(client, NUMBERS)
        sha = seed_pool.fill(seeds_client, numbers)
        for _ in range(ROUNDS):
            for name, back in (("unreg", ("reg",)), ("del", ("add", "reg"))):
                part = chance.sample(numbers, OURS)
                costs[name].append(_ours(client, name, part))
                for event_name in back:
                    _ours(client, event_name, part)
            costs["seed"].append(_seeds(seeds_client, sha, chance.sample(numbers, SEEDS)))
        assert client.zcard("{bench}:idle:up") == NUMBERS
        assert seeds_client.llen(seed_pool.IDLE) == NUMBERS
    seeds = costs.pop("seed")
    return [_row(name, rounds, seeds) for name, rounds in costs.items()]


def _row(name: str, rounds: list[CommandCost], seeds: list[CommandCost]) -> Row:
    ours, reference = (median(cost.used_cpu_us for cost in costs) for costs in (rounds, seeds))
    wall, seeds_wall = (min(cost.commandstats_us for cost in costs) for costs in (rounds, seeds))
    return Row(
        row="3",
        name=f"{name} at {NUMBERS:,} numbers",
        ours=f"{1e6 / ours:,.0f}/s",
        reference=f"LREM {1e6 / reference:,.0f}/s",
        ratio=reference / ours,
        mark="≥ 50×",
        verdict=at_least(50.0, reference / ours),
        notes=f"by commandstats, the least of {ROUNDS} rounds: {wall:.1f} µs against"
        f" {seeds_wall:.0f} µs: {seeds_wall / wall:.1f}×",
        figures={"used_cpu_us": [round(cost.used_cpu_us, 2) for cost in rounds]},
    )


def _ours(client: redis.Redis, name: str, numbers: list[str]) -> CommandCost:
    near = {"near": AREAS[0]} if name == "add" else {}
    events = [event(SLUG, Event.of(name, number=number, **near)) for number in numbers]
    commands = list(library_words(client, events))
    replies: list[object] = []
    cost = measure_calls(client, lambda: replies.extend(send_pipelined(client, commands)), "fcall")
    assert all(reply[0] == "1" for reply in replies)
    return cost


def _seeds(client: redis.Redis, sha: str, numbers: list[str]) -> CommandCost:
    removals, returns = (
        [seed_pool.words(sha, name, number) for number in numbers] for name in ("unreg", "reg")
    )
    cost = measure_calls(client, lambda: void(send_pipelined(client, removals)))
    send_pipelined(client, returns)
    return cost
