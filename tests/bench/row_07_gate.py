"""Row 7: gate acquire and release with 10 000 holders in flight.

Load: one client, pipelines of 500: a holder lets its permit go, another asks for one; the cap is
10 001, so that the gate is never full; the line is empty (default settings: in turn, no rate). Five
rounds, in each the no-op in turn. Compared: Redis' CPU per EVALSHA (used_cpu), the median of
the rounds, against an EVALSHA that returns 1, without key or argument. Beside: the no-op with
the keys and arguments of an acquire, and both by INFO commandstats. At the end exactly 10 000
permits are held. Left out: AOF, the drain.
"""

from statistics import median

import redis

from queueing.admission import gate
from tests.bench.gates import SLUG, TAG, fill, holder
from tests.bench.pools import private_redis, words
from tests.bench.redis_cpu import CommandCost, measure_evalsha, no_op_cost, send_pipelined
from tests.bench.result import Row, at_most

HOLDERS, TURNS, ROUNDS = 10_000, 10_000, 5


def run() -> Row:
    """Measure rounds of releases and acquires, each beside the no-op."""
    with private_redis() as client:
        tokens = dict(enumerate(fill(client, HOLDERS, cap=HOLDERS + 1)))
        ours: list[CommandCost] = []
        bare: list[CommandCost] = []
        worded: list[CommandCost] = []
        for _ in range(ROUNDS):
            ours.append(_round(client, tokens))
            bare.append(no_op_cost(client, (0,)))
            worded.append(no_op_cost(client, _words_of_an_acquire(client)))
        assert client.zcard(f"{TAG}:permits") == HOLDERS
    mine, no_op, with_words = (_median(costs) for costs in (ours, bare, worded))
    ratio = mine.used_cpu_us / no_op.used_cpu_us
    return Row(
        row="7",
        name=f"gate acquire and release, {HOLDERS:,} holders",
        ours=f"{mine.used_cpu_us:.2f} µs",
        reference=f"no-op {no_op.used_cpu_us:.2f} µs",
        ratio=ratio,
        mark="≤ 5×",
        verdict=at_most(5.0, ratio),
        notes=(
            f"no-op with an acquire's keys and arguments {with_words.used_cpu_us:.2f} µs:"
            f" {mine.used_cpu_us / with_words.used_cpu_us:.1f}×; by commandstats"
            f" {mine.commandstats_us:.2f} µs against {no_op.commandstats_us:.2f} µs"
        ),
        figures={"commandstats_us": mine.commandstats_us},
    )


def _round(client: redis.Redis, tokens: dict[int, int]) -> CommandCost:
    """The oldest holders go, as many new ones come; tokens are read outside the measurement."""
    leaving = list(tokens)[:TURNS]
    first_new = max(tokens) + 1
    replies: list[object] = []
    commands = []
    for place, index in enumerate(leaving):
        commands.append(gate.release(SLUG, holder(index), tokens[index]))
        commands.append(gate.acquire(SLUG, holder(first_new + place)))
    sent = list(words(client, commands))
    cost = measure_evalsha(client, lambda: replies.extend(send_pipelined(client, sent)))
    assert all(reply[0] == "1" for reply in replies)  # type: ignore[index]
    for index in leaving:
        del tokens[index]
    for place, reply in enumerate(replies[1::2]):
        tokens[first_new + place] = int(reply[1])  # type: ignore[index]
    client.delete(f"{TAG}:log")  # as if drained; the sequence goes on in the settings' hash
    client.hset(TAG, "drained", client.hget(TAG, "seq"))  # type: ignore[arg-type]
    return cost


def _words_of_an_acquire(client: redis.Redis) -> tuple[object, ...]:
    command = gate.acquire(SLUG, holder(1))
    return (len(command.keys), *command.keys, *command.args)


def _median(costs: list[CommandCost]) -> CommandCost:
    return CommandCost(
        calls=sum(cost.calls for cost in costs),
        commandstats_us=median(cost.commandstats_us for cost in costs),
        used_cpu_us=median(cost.used_cpu_us for cost in costs),
    )
