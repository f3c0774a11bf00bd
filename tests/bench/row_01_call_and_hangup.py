"""Rows 1 and 2: call and hangup with everything on, at 1 000 and at 1 000 000 numbers.

Load: one client, pipelines of 500; each call names call id, switch, incarnation, agent and
callee, in a pool with near, sticky and a daily cap on; 200 calls run at any moment; each
picking policy in turn, twice; the lesser cost counts. Compared: Redis' own time per EVALSHA (INFO
commandstats), against an EVALSHA that returns 1 and has one key and no argument: the verdict is on
that. Told beside: the same with the keys and arguments of a call, and both by used_cpu. At the end
every number is ready and in the idle set once. Left out: AOF, the network's part, the drain.
"""

import redis

from tests.bench.pools import calls_and_hangups, fill, private_redis, words
from tests.bench.redis_cpu import CommandCost, measure_evalsha, no_op_cost, send_pipelined
from tests.bench.result import Row, at_most

SMALL, LARGE = 1_000, 1_000_000
CALLS = 20_000
POLICIES = ("longest", "sticky", "near")


def run() -> list[Row]:
    """Measure both sizes; row 2 compares them, policy by policy, and reports the worst."""
    small, *_ = _cost_by_policy(SMALL)
    large, no_op, with_words = _cost_by_policy(LARGE)
    rows = []
    for policy in POLICIES:
        ratio = large[policy].commandstats_us / no_op.commandstats_us
        rows.append(
            Row(
                row="1",
                name=f"call and hangup, {LARGE:,} numbers, {policy}",
                ours=f"{large[policy].commandstats_us:.2f} µs",
                reference=f"no-op {no_op.commandstats_us:.2f} µs",
                ratio=ratio,
                mark="≤ 8×",
                verdict=at_most(8.0, ratio),
                notes=_beside(large[policy], no_op, with_words),
                figures={"used_cpu_us": large[policy].used_cpu_us},
            )
        )
    growth = {p: large[p].commandstats_us / small[p].commandstats_us for p in POLICIES}
    worst = max(growth, key=lambda policy: growth[policy])
    rows.append(
        Row(
            row="2",
            name=f"the same at {SMALL:,} and {LARGE:,} ({worst}, the worst)",
            ours=f"{large[worst].commandstats_us:.2f} µs",
            reference=f"{small[worst].commandstats_us:.2f} µs",
            ratio=growth[worst],
            mark="≤ 1.25×",
            verdict=at_most(1.25, growth[worst]),
        )
    )
    return rows


def _beside(ours: CommandCost, no_op: CommandCost, with_words: CommandCost) -> str:
    return (
        f"no-op with a call's keys and arguments {with_words.commandstats_us:.2f} µs:"
        f" {ours.commandstats_us / with_words.commandstats_us:.1f}×; by used_cpu"
        f" {ours.used_cpu_us:.2f} µs: {ours.used_cpu_us / no_op.used_cpu_us:.1f}× the bare no-op,"
        f" {ours.used_cpu_us / with_words.used_cpu_us:.1f}× that with the words"
    )


def _cost_by_policy(count: int) -> tuple[dict[str, CommandCost], CommandCost, CommandCost]:
    costs = {}
    with private_redis() as client:
        fill(client, count)
        for place, policy in enumerate(POLICIES):
            first = place * 10 * CALLS
            _measure(client, first + 5 * CALLS, 2_000, policy)  # warm
            tries = [_measure(client, first + turn * CALLS, CALLS, policy) for turn in range(2)]
            costs[policy] = min(tries, key=lambda cost: cost.commandstats_us)
        no_op = no_op_cost(client)
        call = next(words(client, calls_and_hangups(0, 200, policy="longest")))
        with_words = no_op_cost(client, call[2:])
        _check_final_state(client, count)
    return costs, no_op, with_words


def _measure(client: redis.Redis, first: int, count: int, policy: str) -> CommandCost:
    commands = list(words(client, calls_and_hangups(first, count, policy=policy)))
    replies: list[object] = []
    cost = measure_evalsha(client, lambda: replies.extend(send_pipelined(client, commands)))
    refused = [reply for reply in replies if reply[0] != "1"]  # type: ignore[index]
    assert not refused, f"{len(refused)} refused, first {refused[0]}"
    return cost


def _check_final_state(client: redis.Redis, count: int) -> None:
    """Every number is ready again and in the idle set once."""
    assert client.zcard("{bench}:idle:up") == count
    assert not any('"callstate":1' in state for state in client.hvals("{bench}:numstate"))
