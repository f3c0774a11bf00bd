"""Row 15: Redis bytes per number, in a pool of 100 000 ready numbers, and of numbers in a call.

Load: none but the filling; used_memory before and after, then with every number in a call that
has call id, switch, incarnation, agent, callee (sticky), lease and region. At the end the idle
set is empty. Left out: history, which is trimmed after SQL has taken it, and ended call ids,
which are forgotten after 10 minutes.
"""

import redis

from tests.bench.pools import calls_and_hangups, fill, private_redis, words
from tests.bench.redis_cpu import send_pipelined
from tests.bench.result import Row, at_most

NUMBERS = 100_000
LIMIT_BYTES = 500


def run() -> list[Row]:
    """Measure used_memory before and after filling, and again with every number in a call."""
    with private_redis() as client:
        before = _used(client)
        fill(client, NUMBERS)
        ready = (_used(client) - before) / NUMBERS
        calls = calls_and_hangups(0, NUMBERS, policy="longest")
        commands = [command for command in calls if "call" in command.args[:1]]
        send_pipelined(client, words(client, commands))
        client.delete("{bench}:log")
        busy = (_used(client) - before) / NUMBERS
        assert client.zcard("{bench}:idle:up") == 0
    return [
        Row(
            row="15",
            name=f"Redis bytes per number, {name}",
            ours=f"{value:.0f} B",
            reference="-",
            ratio=None,
            mark=f"≤ {LIMIT_BYTES} B",
            verdict=at_most(LIMIT_BYTES, value),
            notes=notes,
        )
        for name, value, notes in (
            ("ready", ready, ""),
            ("in a call", busy, "with call id, sticky callee, lease; history left out"),
        )
    ]


def _used(client: redis.Redis) -> int:
    return int(client.info("memory")["used_memory"])
