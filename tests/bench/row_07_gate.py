"""Row 7: gate acquire and release with 10 000 holders in flight.

Load: one client, pipelines of 500 calls: a holder releases its permit, another acquires one. The
cap is 10 001, so that the gate is never full; the line is empty (default settings: in turn, no
rate). Three forms: FCALL one by one, as our processes call an operation on Redis 7 and Valkey (the
library is loaded, only the tag is a key); lists of 32 requests by FCALL, as they call it for
requests that arrive together, where the figure is for each request; EVALSHA one by one, as on all
other servers. Five rounds; each round runs the forms and the no-op in turn. Compared: Redis' CPU
(used_cpu), the median of the rounds, against an EVALSHA that returns 1, without key or argument.
Also reported: the no-op with the keys and arguments of an acquire, and all by INFO commandstats.
After each form exactly 10 000 permits are held. Left out: AOF, the drain.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import redis

from poolsite.hotpath import Command
from poolsite.hotpath.planner import read_reply
from queueing.admission import gate
from tests.bench.gates import SLUG, TAG, fill, holder
from tests.bench.pools import library_words, private_redis, words
from tests.bench.redis_cpu import CommandCost, measure_calls, no_op_cost, send_pipelined
from tests.bench.result import Row, Verdict, at_most

HOLDERS, TURNS, ROUNDS = 10_000, 10_000, 5
LIST = gate.REQUESTS_LIMIT

Words = Callable[[redis.Redis, Sequence[Command]], Iterator[tuple[object, ...]]]


@dataclass(frozen=True)
class Form:
    """A form of the command, and what each request cost in the rounds so far."""

    command: str
    words: Words
    requests_per_call: int = 1
    costs: list[CommandCost] = field(default_factory=list)

    def commands(self, asked: list[gate.Request[Any]]) -> list[Command]:
        size = self.requests_per_call
        if size == 1:
            return [request.command(SLUG) for request in asked]
        starts = range(0, len(asked), size)
        return [gate.requests(SLUG, asked[start : start + size]) for start in starts]


def run() -> list[Row]:
    """Measure rounds of releases and acquires in each form, with the no-op."""
    single = Form("fcall", library_words)
    listed = Form("fcall", library_words, LIST)
    script = Form("evalsha", words)
    bare: list[CommandCost] = []
    worded: list[CommandCost] = []
    with private_redis() as client:
        tokens = dict(enumerate(fill(client, HOLDERS, cap=HOLDERS + 1)))
        for _ in range(ROUNDS):
            for form in (single, listed, script):
                form.costs.append(_round(client, tokens, form))
                assert client.zcard(f"{TAG}:permits") == HOLDERS
            bare.append(no_op_cost(client, (0,)))
            worded.append(no_op_cost(client, _words_of_an_acquire()))
    no_op, with_words = _median(bare), _median(worded)
    name = f"gate acquire and release, {HOLDERS:,} holders"
    beside = f"; no-op with an acquire's keys and arguments {with_words.used_cpu_us:.2f} µs"
    return [
        _row(name, single, no_op, limit=7.0),
        _row(f"the same, in lists of {LIST}", listed, no_op, limit=4.0),
        _row("the same one by one, by EVALSHA", script, no_op, beside=beside),
    ]


def _row(
    name: str, form: Form, no_op: CommandCost, *, limit: float | None = None, beside: str = ""
) -> Row:
    mine = _median(form.costs)
    ratio = mine.used_cpu_us / no_op.used_cpu_us
    verdict: Verdict = "not judged" if limit is None else at_most(limit, ratio)
    return Row(
        row="7",
        name=name,
        ours=f"{mine.used_cpu_us:.2f} µs",
        reference=f"no-op {no_op.used_cpu_us:.2f} µs",
        ratio=ratio,
        mark="reported" if limit is None else f"≤ {limit:g}×",
        verdict=verdict,
        notes=(
            f"by commandstats {mine.commandstats_us:.2f} µs against"
            f" {no_op.commandstats_us:.2f} µs{beside}"
        ),
        figures={"commandstats_us": mine.commandstats_us},
    )


def _round(client: redis.Redis, tokens: dict[int, int], form: Form) -> CommandCost:
    """Release the oldest permits and acquire as many. Tokens are read outside the measurement."""
    leaving = list(tokens)[:TURNS]
    first_new = max(tokens) + 1
    asked: list[gate.Request[Any]] = []
    for place, index in enumerate(leaving):
        asked.append(gate.to_release(holder(index), tokens[index]))
        asked.append(gate.to_acquire(holder(first_new + place)))
    commands = form.commands(asked)
    sent = list(form.words(client, commands))
    replies: list[object] = []
    cost = measure_calls(client, lambda: replies.extend(send_pipelined(client, sent)), form.command)
    answers = _answers(commands, replies, form)
    assert all(ended.done for ended in answers[0::2])
    for index in leaving:
        del tokens[index]
    for place, permit in enumerate(answers[1::2]):
        assert permit.granted, permit
        tokens[first_new + place] = permit.token
    client.delete(f"{TAG}:log")  # as if drained; the sequence continues in the settings' hash
    client.hset(TAG, "drained", client.hget(TAG, "seq"))
    return _for_each(cost, len(asked))


def _answers(commands: list[Command], replies: list[object], form: Form) -> list[Any]:
    """Return each request's answer, in the order of the requests."""
    read = [read_reply(*pair) for pair in zip(commands, replies, strict=True)]
    if form.requests_per_call == 1:
        return read
    return [answer for answers in read for answer in answers]


def _for_each(cost: CommandCost, requests: int) -> CommandCost:
    """Return the cost of a request; one call may have carried several."""
    share = cost.calls / requests
    return CommandCost(requests, cost.commandstats_us * share, cost.used_cpu_us * share)


def _words_of_an_acquire() -> tuple[object, ...]:
    command = gate.acquire(SLUG, holder(1))
    return (len(command.keys), *command.keys, *command.args)


def _median(costs: list[CommandCost]) -> CommandCost:
    return CommandCost(
        calls=sum(cost.calls for cost in costs),
        commandstats_us=median(cost.commandstats_us for cost in costs),
        used_cpu_us=median(cost.used_cpu_us for cost in costs),
    )
