"""Row 3: `unreg` at 100 000 numbers against the seed's LIST and LREM.

Load: one client, pipelines of 500, random numbers; Redis' own time per script (INFO
commandstats), 20 000 removals of ours each, 2 000 of the seed's. The reference is the seed's
script: HGET, HSET and LREM -1 on a list of all numbers. At the end the idle set has lost as
many. Left out: AOF, the network, the drain. Ours also writes history, counters and the region's
set, which the seed has not.
"""

import random

from numbers.pool import Event, event
from tests.bench.pools import SLUG, fill, private_redis, words
from tests.bench.redis_cpu import measure_evalsha, send_pipelined
from tests.bench.result import Row, at_least

NUMBERS = 100_000
OURS, SEEDS = 20_000, 2_000
SEED_SCRIPT = """
local state = redis.call('HGET', KEYS[1] .. ':numstate', ARGV[2])
if not state then return '0' end
redis.call('HSET', KEYS[1] .. ':numstate', ARGV[2], '{"callstate":0,"regstate":0}')
redis.call('LREM', KEYS[1] .. ':idle:up', -1, ARGV[2])
return '1'
"""


def run() -> list[Row]:
    """Measure `unreg` and `del` of ours against the seed's removal."""
    chance = random.Random(3)
    with private_redis() as client:
        numbers = fill(client, NUMBERS)
        picked = chance.sample(numbers, 2 * OURS)
        costs = {}
        for name, part in (("unreg", picked[:OURS]), ("del", picked[OURS:])):
            commands = list(words(client, [event(SLUG, Event(name, number=n)) for n in part]))
            replies: list[object] = []
            costs[name] = measure_evalsha(
                client, lambda c=commands, r=replies: r.extend(send_pipelined(client, c))
            )
            assert all(reply[0] == "1" for reply in replies)  # type: ignore[index]
        assert client.zcard("{bench}:idle:up") == NUMBERS - 2 * OURS
    with private_redis() as client:
        seed_us = _seed_us(client, numbers, chance)
    return [
        Row(
            row="3",
            name=f"{name} at {NUMBERS:,} numbers",
            ours=f"{1e6 / cost.commandstats_us:,.0f}/s",
            reference=f"LREM {1e6 / seed_us:,.0f}/s",
            ratio=seed_us / cost.commandstats_us,
            mark="≥ 50×",
            verdict=at_least(50.0, seed_us / cost.commandstats_us),
        )
        for name, cost in costs.items()
    ]


def _seed_us(client, numbers: list[str], chance: random.Random) -> float:  # type: ignore[no-untyped-def]
    sha = client.script_load(SEED_SCRIPT)
    up = '{"callstate":0,"regstate":1}'
    for start in range(0, len(numbers), 10_000):
        part = numbers[start : start + 10_000]
        client.rpush("{seed}:idle:up", *part)
        client.hset("{seed}:numstate", mapping=dict.fromkeys(part, up))
    commands = [
        ("EVALSHA", sha, 1, "{seed}", "unreg", number) for number in chance.sample(numbers, SEEDS)
    ]
    cost = measure_evalsha(client, lambda: send_pipelined(client, commands) and None)
    assert client.llen("{seed}:idle:up") == len(numbers) - SEEDS
    return cost.commandstats_us
