"""Row 4: hold and settle on one account.

Load: one client, pipelines of 500; each hold with body hash, chatbot, tariff, three quoted prices
and two outside the quote, sent at once; 200 open at any moment. Every hold is settled by its final
report: two of three are delivered, by each mode in turn. Then the same number of messages in list
commands of 32. By FCALL, as our processes call an operation on Redis 7 and Valkey (the library is
loaded, only the tag is a key); one by one also by EVALSHA, as on all other servers. Five rounds;
each round runs all of these and the no-op in turn. Compared as in row 1: Redis' CPU per call
(used_cpu), the median of the rounds, against an EVALSHA that returns 1, without key or argument,
in the same pipelines. Also reported: the no-op with the keys and arguments of a hold, holds and
reports separately, and INFO commandstats. At the end the balance is what the stored prices give
and nothing is held. Left out: AOF, the persistence.
"""

from statistics import median

import redis

from billing import wallet
from poolsite.hotpath.planner import read_reply
from tests.bench.pools import library_words, private_redis, words
from tests.bench.redis_cpu import CommandCost, measure_calls, no_op_cost, send_pipelined
from tests.bench.result import Row, at_most
from tests.bench.wallets import (
    MONEY,
    SLUG,
    charged,
    figures,
    final_report,
    hold_request,
    holds,
    holds_and_settlements,
    open_wallet,
    persist,
    settlements,
)

MESSAGES, ROUNDS, LOADS = 9_600, 5, 4
SIZE = wallet.BATCH_LIMIT


def run() -> list[Row]:
    """Measure everything in turn.

    The verdicts are on single commands and on each item of a list.
    """
    costs = _costs()
    used = {name: median(cost.used_cpu_us for cost in rounds) for name, rounds in costs.items()}
    inside = {n: median(cost.commandstats_us for cost in rounds) for n, rounds in costs.items()}
    single = used["mixed"] / used["no-op"]
    listed = used["lists"] / SIZE
    return [
        Row(
            row="4",
            name="hold and settle on one account",
            ours=f"{used['mixed']:.2f} µs",
            reference=f"no-op {used['no-op']:.2f} µs",
            ratio=single,
            mark="≤ 10×",
            verdict=at_most(10.0, single),
            notes=(
                f"hold {used['hold']:.2f}, report {used['report']:.2f} µs; no-op with a hold's "
                f"words {used['words']:.2f} µs: {used['mixed'] / used['words']:.1f}×; by "
                f"commandstats {inside['mixed']:.2f} µs: {inside['mixed'] / inside['no-op']:.1f}×, "
                f"{inside['mixed'] / inside['words']:.1f}× that with the words"
            ),
            figures={"commandstats_us": inside["mixed"], "rounds": len(costs["mixed"])},
        ),
        Row(
            row="4",
            name=f"the same, each of {SIZE} in one command",
            ours=f"{listed:.2f} µs",
            reference=f"no-op {used['no-op']:.2f} µs",
            ratio=listed / used["no-op"],
            mark="≤ 6×",
            verdict=at_most(6.0, listed / used["no-op"]),
            notes=f"by commandstats {inside['lists'] / SIZE:.2f} µs",
        ),
        Row(
            row="4",
            name="the same one by one, by EVALSHA",
            ours=f"{used['script']:.2f} µs",
            reference=f"no-op {used['no-op']:.2f} µs",
            ratio=used["script"] / used["no-op"],
            mark="reported",
            verdict="not judged",
            notes=f"by commandstats {inside['script']:.2f} µs",
        ),
    ]


def _costs() -> dict[str, list[CommandCost]]:
    """Return each round's costs: mixed, hold, report, lists, script, no-op, words."""
    costs: dict[str, list[CommandCost]] = {}
    first = 0
    with private_redis() as client:
        open_wallet(client)
        call = next(words(client, holds(0, 1)))[2:]
        for place in range(ROUNDS + 1):  # the first round warms up
            found: dict[str, CommandCost] = {}
            for name, commands in _loads(first):
                found[name] = _cost(client, commands, "evalsha" if name == "script" else "fcall")
            found["no-op"] = no_op_cost(client, (0,), 2 * MESSAGES)
            found["words"] = no_op_cost(client, call, 2 * MESSAGES)
            first += LOADS * MESSAGES
            if place:
                for name, cost in found.items():
                    costs.setdefault(name, []).append(cost)
            _check_final_state(client, first)
    return costs


def _loads(first: int) -> list[tuple[str, list]]:
    second, third = first + MESSAGES, first + 2 * MESSAGES
    listed: list = []
    for start in range(third, third + MESSAGES, SIZE):
        part = range(start, start + SIZE)
        listed.append(wallet.hold_many(SLUG, [hold_request(index) for index in part]))
        listed.append(wallet.report_many(SLUG, [final_report(index) for index in part]))
    return [
        ("mixed", holds_and_settlements(first, MESSAGES)),
        ("hold", holds(second, MESSAGES)),
        ("report", settlements(second, MESSAGES)),
        ("lists", listed),
        ("script", holds_and_settlements(third + MESSAGES, MESSAGES)),
    ]


def _cost(client: redis.Redis, commands: list, how: str) -> CommandCost:
    form = library_words if how == "fcall" else words
    sent = list(form(client, commands))
    replies: list = []
    cost = measure_calls(client, lambda: replies.extend(send_pipelined(client, sent)), how)
    read = [read_reply(*pair) for pair in zip(commands, replies, strict=True)]
    charges = [charge for one in read for charge in (one if isinstance(one, list) else [one])]
    bad = [charge for charge in charges if charge.answer not in ("held", "settled", "failed")]
    assert not bad, f"{len(bad)} refused, first {bad[0]}"
    return cost


def _check_final_state(client: redis.Redis, messages: int) -> None:
    """Check that every message has ended at its price.

    Then delete the log as if SQL had taken it.
    """
    now = figures(client)
    assert now["held"] == 0
    assert now["bal"] == MONEY - charged(range(messages))
    assert now["seq"] == 2 * messages
    persist(client)
    assert figures(client)["pend"] == 0
