"""Row 15: Redis bytes per number (ready, in a call), permit, open hold, waiting visitor, route.

Load: only the filling. used_memory is read before and after it, then with every number in a call
that has call ID, switch, incarnation, agent, callee (sticky), lease and region. At the end the idle
set is empty. Left out: history, which is trimmed after SQL has taken it, and ended call IDs,
which are forgotten after 10 minutes. Permits: 100 000 of named holders in one gate.
Open holds: 100 000 of one wallet, sent and waiting, with hash, tariff, chatbot and five prices.
Waiting visitors: 100 000 in one queue of a desk, present, without skills.
Routes: 100 000 untimed sessions of 10 front-ends over 20 instances, frames acknowledged.
"""

import redis

from tests.bench.desks import bytes_per_waiting
from tests.bench.gates import bytes_per_permit
from tests.bench.groups import bytes_per_route
from tests.bench.pools import calls_and_hangups, fill, private_redis, words
from tests.bench.redis_cpu import send_pipelined
from tests.bench.result import Row, at_most
from tests.bench.wallets import bytes_per_open_hold

NUMBERS = 100_000
LIMIT_BYTES = 500
PERMIT_LIMIT_BYTES = 300
HOLD_LIMIT_BYTES = 600
VISITOR_LIMIT_BYTES = 1_000
ROUTE_LIMIT_BYTES = 500


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
        permit = bytes_per_permit(client, NUMBERS)
    with private_redis() as client:
        hold = bytes_per_open_hold(client, NUMBERS)
    with private_redis() as client:
        visitor = bytes_per_waiting(client, NUMBERS)
    with private_redis() as client:
        route = bytes_per_route(client, NUMBERS)
    its = [_permit(permit), _hold(*hold), _visitor(visitor), _route(route)]
    return [*_numbers(ready, busy), *its]


def _route(value: float) -> Row:
    return Row(
        row="15",
        name="Redis bytes per route of a group",
        ours=f"{value:.0f} B",
        reference="-",
        ratio=None,
        mark=f"≤ {ROUTE_LIMIT_BYTES} B",
        verdict=at_most(ROUTE_LIMIT_BYTES, value),
        notes="record and two entries in the index; a session's name of 15 characters",
    )


def _visitor(value: float) -> Row:
    return Row(
        row="15",
        name="Redis bytes per waiting visitor",
        ours=f"{value:.0f} B",
        reference="-",
        ratio=None,
        mark=f"≤ {VISITOR_LIMIT_BYTES} B",
        verdict=at_most(VISITOR_LIMIT_BYTES, value),
        notes="record, two entries in the line, one timer; history left out",
    )


def _hold(with_log: float, without: float) -> Row:
    return Row(
        row="15",
        name="Redis bytes per open hold of a wallet",
        ours=f"{with_log:.0f} B",
        reference="-",
        ratio=None,
        mark=f"≤ {HOLD_LIMIT_BYTES} B",
        verdict=at_most(HOLD_LIMIT_BYTES, with_log),
        notes=f"with its change entry; {without:.0f} B once SQL has taken that",
    )


def _permit(value: float) -> Row:
    return Row(
        row="15",
        name="Redis bytes per permit of a gate",
        ours=f"{value:.0f} B",
        reference="-",
        ratio=None,
        mark=f"≤ {PERMIT_LIMIT_BYTES} B",
        verdict=at_most(PERMIT_LIMIT_BYTES, value),
        notes="a holder's name of 16 characters; history left out",
    )


def _numbers(ready: float, busy: float) -> list[Row]:
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
