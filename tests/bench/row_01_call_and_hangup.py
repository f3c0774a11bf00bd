"""Rows 1 and 2: call and hangup with everything on, at 1 000 and at 1 000 000 numbers.

Load: one client, pipelines of 500 calls; each call names call ID, switch, incarnation, agent and
callee, in a pool with near, sticky and a daily cap on; 200 calls run at any moment. Forms: FCALL
one by one, for each policy of picking, as our processes call an operation on Redis 7 and Valkey;
lists of 32 events by FCALL, as they call it for events that arrive together, where the figure is
for each event; EVALSHA one by one, as on all other servers. Five rounds; each round runs both
sizes, the forms and the no-op in turn. Compared: Redis' CPU (used_cpu), the median of the rounds,
against an EVALSHA that returns 1, without key or argument. Also reported: the same by INFO
commandstats (wall time inside the command). At the end every number is ready and in the idle set
once. Left out: AOF, the drain.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import redis

from numbers.pool import BATCH_LIMIT
from poolsite.hotpath import Command
from poolsite.hotpath.planner import read_reply
from tests.bench.pools import (
    calls_and_hangups,
    fill,
    library_words,
    lists_of_calls,
    private_redis,
    words,
)
from tests.bench.redis_cpu import CommandCost, measure_calls, no_op_cost, send_pipelined
from tests.bench.result import Row, at_most

SMALL, LARGE = 1_000, 1_000_000
CALLS, ROUNDS = 10_000, 5
NO_OP = "no-op"

Words = Callable[[redis.Redis, Sequence[Command]], Iterator[tuple[object, ...]]]


@dataclass(frozen=True)
class Form:
    """A form of the command: its name, how numbers are picked, and the mark it is compared with."""

    name: str
    policy: str
    command: str
    words: Words
    events_per_call: int
    limit: float


FORMS = (
    *(Form(each, each, "fcall", library_words, 1, 13.0) for each in ("longest", "sticky", "near")),
    Form(
        f"longest, in lists of {BATCH_LIMIT}", "longest", "fcall", library_words, BATCH_LIMIT, 7.0
    ),
    Form("by EVALSHA", "longest", "evalsha", words, 1, 17.0),
)

Costs = dict[str, CommandCost]


def run() -> list[Row]:
    """Measure both sizes. Row 2 compares them, form by form, and reports the worst."""
    small, large = _costs()
    no_op = large[NO_OP]
    rows = [_row(form, large[form.name], no_op) for form in FORMS]
    growth = {
        form.name: large[form.name].used_cpu_us / small[form.name].used_cpu_us for form in FORMS
    }
    worst = max(growth, key=lambda name: growth[name])
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


def _row(form: Form, ours: CommandCost, no_op: CommandCost) -> Row:
    ratio = ours.used_cpu_us / no_op.used_cpu_us
    wall = ours.commandstats_us / no_op.commandstats_us
    return Row(
        row="1",
        name=f"call and hangup, {LARGE:,} numbers, {form.name}",
        ours=f"{ours.used_cpu_us:.2f} µs",
        reference=f"no-op {no_op.used_cpu_us:.2f} µs",
        ratio=ratio,
        mark=f"≤ {form.limit:.0f}×",
        verdict=at_most(form.limit, ratio),
        notes=f"by commandstats {ours.commandstats_us:.2f} µs: {wall:.1f}×",
        figures={"commandstats_us": ours.commandstats_us},
    )


def _costs() -> list[Costs]:
    """Return by size the median cost of each form and of the no-op, for each event."""
    sizes = (SMALL, LARGE)
    rounds: list[dict[str, list[CommandCost]]] = [
        {name: [] for name in (*(form.name for form in FORMS), NO_OP)} for _ in sizes
    ]
    with private_redis() as small, private_redis() as large:
        clients = (small, large)
        for client, count in zip(clients, sizes, strict=True):
            fill(client, count)
        for place in range(ROUNDS):
            for client, found in zip(clients, rounds, strict=True):
                _round(client, place, found)
        for client, count in zip(clients, sizes, strict=True):
            _check_final_state(client, count)
    return [{name: _median(costs) for name, costs in found.items()} for found in rounds]


def _round(client: redis.Redis, place: int, found: dict[str, list[CommandCost]]) -> None:
    for turn, form in enumerate(FORMS):
        first = (place * len(FORMS) + turn) * CALLS
        found[form.name].append(_measure(client, first, form))
    found[NO_OP].append(no_op_cost(client, (0,), 2 * CALLS))


def _measure(client: redis.Redis, first: int, form: Form) -> CommandCost:
    size = form.events_per_call
    commands: list[Command] = (
        lists_of_calls(first, CALLS, policy=form.policy, size=size)
        if size > 1
        else calls_and_hangups(first, CALLS, policy=form.policy)
    )
    sent = list(form.words(client, commands))
    replies: list[object] = []
    cost = measure_calls(client, lambda: replies.extend(send_pipelined(client, sent)), form.command)
    for command, reply in zip(commands, replies, strict=True):
        outcomes = read_reply(command, reply)
        for outcome in outcomes if size > 1 else [outcomes]:
            assert outcome.ok, outcome
    events = 2 * CALLS / len(commands)
    return CommandCost(cost.calls, cost.commandstats_us / events, cost.used_cpu_us / events)


def _median(rounds: list[CommandCost]) -> CommandCost:
    return CommandCost(
        calls=sum(cost.calls for cost in rounds),
        commandstats_us=median(cost.commandstats_us for cost in rounds),
        used_cpu_us=median(cost.used_cpu_us for cost in rounds),
    )


def _check_final_state(client: redis.Redis, count: int) -> None:
    """Check that every number is ready again and in the idle set once."""
    assert client.zcard("{bench}:idle:up") == count
    assert not any('"callstate":1' in state for state in client.hvals("{bench}:numstate"))
