"""Many processes on one wallet: exactly what the money covers is held, to the unit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from billing import wallet
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import QUOTE, SLUG, request, wallet_on

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[3]
CALLER = Path(__file__).with_name("wallet_caller.py")
PROCESSES = 8
HOLDS, RECHARGES = 5_000, 200


@pytest.mark.parametrize(
    ("opening", "amount", "credit", "granted"),
    [
        (100 * QUOTE.quoted, 1, 0, 0),
        (0, QUOTE.quoted // 2, 0, 0),
        (0, 1, 100 * QUOTE.quoted, 0),
        (0, 1, 0, 100 * QUOTE.quoted),
    ],
    ids=[
        "money for 100 messages from the start",
        "money for 100 messages by the recharges",
        "credit for 100 messages",
        "promotional credit for 100 messages",
    ],
)
def test_exactly_the_affordable_holds_are_made(
    clean_redis: RedisServer, opening: int, amount: int, credit: int, granted: int
) -> None:
    """200 recharges and 5 000 holds from 8 processes at once, many of them sent twice."""
    with wallet_on(clean_redis.url) as bench:
        bench.create(opening, credit_limit=credit)
        if granted:
            ends = bench.balance().as_of_us + 3_600_000_000
            assert bench.run(wallet.grant(SLUG, "grant:7", 7, granted, ends)).applied
        share = (str(HOLDS // PROCESSES), str(RECHARGES // PROCESSES), str(amount))
        callers = [
            subprocess.Popen(
                [sys.executable, CALLER, clean_redis.url, f"caller{n}", *share],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            for n in range(PROCESSES)
        ]
        for caller in callers:
            assert caller.stdout is not None
            assert caller.stdout.readline() == "ready\n"
        for caller in callers:  # all are loaded: now let all of them start
            assert caller.stdin is not None
            caller.stdin.write("go\n")
            caller.stdin.flush()
        logs = [caller.communicate()[0].split() for caller in callers]
        assert [caller.returncode for caller in callers] == [0] * PROCESSES
        held = [name for log in logs for name in log[1:]]
        assert all(int(log[0]) >= -credit for log in logs)

        money = opening + RECHARGES * amount + granted
        now = bench.balance()
        assert len(held) == len(set(held))
        assert now.held == len(held) * QUOTE.quoted
        assert now.bal == money - now.held
        _assert_none_was_refused_needlessly(bench.changes(), opening, credit)
        assert bench.run(wallet.hold(SLUG, request("one-more"))).answer == (
            "held" if now.spendable >= QUOTE.quoted else "insufficient balance"
        )
        bench.prove()
        if amount == 1:  # the recharges together are worth less than one message
            assert len(held) == 100


def _assert_none_was_refused_needlessly(
    changes: tuple[wallet.WalletChange, ...], opening: int, credit: int
) -> None:
    """Check, by the log's order of all changes, that no step of it is below the limit."""
    bal = opening
    for change in changes:
        bal += change.spendable
        assert bal >= -credit
    assert sum(change.kind == "recharge" for change in changes) == RECHARGES
