"""Rows 1 and 2: call and hangup with everything on, at 1 000 and at 1 000 000 numbers.

Load: one client, pipelines of 500; each call names call id, switch, incarnation, agent and
callee, in a pool with near, sticky and a daily cap on; 200 calls run at any moment; five rounds,
in each both sizes, every picking policy and the no-op in turn. Compared: Redis' CPU per EVALSHA
(used_cpu), the median of the rounds, against an EVALSHA that returns 1, without key or argument,
by the same client in the same pipelines: the measure in which 10.3 µs against 1.1 µs was told.
Beside: the no-op with the keys and arguments of a call, and both by INFO commandstats (wall time
inside the command). At the end every number is ready and in the idle set once. Left out: AOF, the
drain.
"""

from statistics import median

import redis

from tests.bench.pools import calls_and_hangups, fill, private_redis, words
from tests.bench.redis_cpu import CommandCost, measure_calls, no_op_cost, send_pipelined
from tests.bench.result import Row, at_most

SMALL, LARGE = 1_000, 1_000_000
CALLS, ROUNDS = 10_000, 5
POLICIES = ("longest", "sticky", "near")


def run() -> list[Row]:
    """Measure both sizes; row 2 compares them, policy by policy, and reports the worst."""
    small, large = _costs()
    no_op = large["no-op"]
    rows = []
    for policy in POLICIES:
        ratio = large[policy].used_cpu_us / no_op.used_cpu_us
        rows.append(
            Row(
                row="1",
                name=f"call and hangup, {LARGE:,} numbers, {policy}",
                ours=f"{large[policy].used_cpu_us:.2f} µs",
                reference=f"no-op {no_op.used_cpu_us:.2f} µs",
                ratio=ratio,
                mark="≤ 8×",
                verdict=at_most(8.0, ratio),
                notes=_beside(large[policy], no_op, large["words"]),
                figures={"commandstats_us": large[policy].commandstats_us},
            )
        )
    growth = {p: large[p].used_cpu_us / small[p].used_cpu_us for p in POLICIES}
    worst = max(growth, key=lambda policy: growth[policy])
    rows.append(
        Row(
            row="2",
            name=f"the same at {SMALL:,} and {LARGE:,} ({worst}, the worst)",
            ours=f"{large[worst].used_cpu_us:.2f} µs",
            reference=f"{small[worst].used_cpu_us:.2f} µs",
            ratio=growth[worst],
            mark="≤ 1.25×",
            verdict=at_most(1.25, growth[worst]),
        )
    )
    return rows


def _beside(ours: CommandCost, no_op: CommandCost, with_words: CommandCost) -> str:
    return (
        f"no-op with a call's keys and arguments {with_words.used_cpu_us:.2f} µs:"
        f" {ours.used_cpu_us / with_words.used_cpu_us:.1f}×; by commandstats"
        f" {ours.commandstats_us:.2f} µs: {ours.commandstats_us / no_op.commandstats_us:.1f}× the"
        f" bare no-op, {ours.commandstats_us / with_words.commandstats_us:.1f}× that with the words"
    )


def _costs() -> list[dict[str, CommandCost]]:
    """By size: the median cost of each policy, of the no-op ("no-op"), and of it with words."""
    sizes = (SMALL, LARGE)
    names = (*POLICIES, "no-op", "words")
    costs: list[dict[str, list[CommandCost]]] = [{name: [] for name in names} for _ in sizes]
    with private_redis() as small, private_redis() as large:
        clients = (small, large)
        for client, count in zip(clients, sizes, strict=True):
            fill(client, count)
        call = next(words(small, calls_and_hangups(0, 200, policy="longest")))
        for place in range(ROUNDS):
            for client, found in zip(clients, costs, strict=True):
                _round(client, place, call, found)
        for client, count in zip(clients, sizes, strict=True):
            _check_final_state(client, count)
    return [{name: _median(rounds) for name, rounds in found.items()} for found in costs]


def _round(
    client: redis.Redis, place: int, call: tuple[object, ...], found: dict[str, list[CommandCost]]
) -> None:
    for turn, policy in enumerate(POLICIES):
        first = (place * len(POLICIES) + turn) * CALLS
        found[policy].append(_measure(client, first, CALLS, policy))
    found["no-op"].append(no_op_cost(client, (0,), 2 * CALLS))
    found["words"].append(no_op_cost(client, call[2:], 2 * CALLS))


def _median(rounds: list[CommandCost]) -> CommandCost:
    return CommandCost(
        calls=sum(cost.calls for cost in rounds),
        commandstats_us=median(cost.commandstats_us for cost in rounds),
        used_cpu_us=median(cost.used_cpu_us for cost in rounds),
    )


def _measure(client: redis.Redis, first: int, count: int, policy: str) -> CommandCost:
    commands = list(words(client, calls_and_hangups(first, count, policy=policy)))
    replies: list[object] = []
    cost = measure_calls(client, lambda: replies.extend(send_pipelined(client, commands)))
    refused = [reply for reply in replies if reply[0] != "1"]  # type: ignore[index]
    assert not refused, f"{len(refused)} refused, first {refused[0]}"
    return cost


def _check_final_state(client: redis.Redis, count: int) -> None:
    """Every number is ready again and in the idle set once."""
    assert client.zcard("{bench}:idle:up") == count
    assert not any('"callstate":1' in state for state in client.hvals("{bench}:numstate"))
