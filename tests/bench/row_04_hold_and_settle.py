"""Row 4: hold and settle on one account.

Load: one client, pipelines of 500; each hold with body hash, chatbot, tariff, three quoted prices
and two outside the quote, sent at once; 200 open at any moment; every hold is settled by its final
report, two of three delivered, by each mode in turn. Compared: Redis' own time per EVALSHA (INFO
commandstats), against an EVALSHA that returns 1 and has one key and no argument: the verdict is on
that. Told beside: holds and reports by themselves, 32 of them in one list command, and used_cpu.
At the end the balance is what the stored prices say and nothing is held. Left out: AOF, the
network's part, the persistence.
"""

import redis

from billing import wallet
from tests.bench.pools import private_redis, words
from tests.bench.redis_cpu import CommandCost, measure_evalsha, no_op_cost, send_pipelined
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

MESSAGES = 20_000
TRIES = 3


def run() -> list[Row]:
    """Measure the mix thrice (the least counts), then holds, reports and list commands apart."""
    with private_redis() as client:
        open_wallet(client)
        first = 0
        mixed: list[CommandCost] = []
        for _ in range(TRIES + 1):  # the first one warms
            mixed.append(_cost(client, holds_and_settlements(first, MESSAGES)))
            persist(client)
            first += MESSAGES
        ours = min(mixed[1:], key=lambda cost: cost.commandstats_us)
        hold = _cost(client, holds(first, MESSAGES))
        settle = _cost(client, settlements(first, MESSAGES))
        first += MESSAGES
        listed = [_cost(client, commands) for commands in _lists(first)]
        first += MESSAGES
        no_op = no_op_cost(client)
        with_words = no_op_cost(client, next(words(client, holds(0, 1)))[2:])
        _check_final_state(client, first)
    each = [cost.commandstats_us / wallet.BATCH_LIMIT for cost in listed]
    ratio = ours.commandstats_us / no_op.commandstats_us
    return [
        Row(
            row="4",
            name="hold and settle on one account",
            ours=f"{ours.commandstats_us:.2f} µs",
            reference=f"no-op {no_op.commandstats_us:.2f} µs",
            ratio=ratio,
            mark="≤ 8×",
            verdict=at_most(8.0, ratio),
            notes=(
                f"hold {hold.commandstats_us:.2f} µs, report {settle.commandstats_us:.2f} µs; "
                f"in list commands of {wallet.BATCH_LIMIT} {each[0]:.2f} and {each[1]:.2f} µs each; "
                f"no-op with a hold's words {with_words.commandstats_us:.2f} µs; by used_cpu "
                f"{ours.used_cpu_us:.2f} µs: {ours.used_cpu_us / no_op.used_cpu_us:.1f}×"
            ),
            figures={"hold_us": hold.commandstats_us, "report_us": settle.commandstats_us},
        )
    ]


def _lists(first: int) -> list[list[object]]:
    size = wallet.BATCH_LIMIT
    parts = [range(start, start + size) for start in range(first, first + MESSAGES, size)]
    return [
        [wallet.hold_many(SLUG, [hold_request(index) for index in part]) for part in parts],
        [wallet.report_many(SLUG, [final_report(index) for index in part]) for part in parts],
    ]


def _cost(client: redis.Redis, commands: list) -> CommandCost:
    sent = list(words(client, commands))
    replies: list = []
    cost = measure_evalsha(client, lambda: replies.extend(send_pipelined(client, sent)))
    refused = [reply for reply in replies if reply[0] != "1" or not _went_well(reply)]
    assert not refused, f"{len(refused)} refused, first {refused[0]}"
    return cost


def _went_well(reply: list[str]) -> bool:
    return {*reply[3::5]} <= {"held", "settled", "failed"}


def _check_final_state(client: redis.Redis, messages: int) -> None:
    now = figures(client)
    assert now["held"] == 0
    assert now["bal"] == MONEY - charged(range(messages))
    persist(client)
    assert figures(client)["pend"] == now["bal"] - MONEY + (MONEY - now["bal"])
    assert now["seq"] == 2 * messages
