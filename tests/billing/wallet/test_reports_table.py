"""data/message_reports.csv, cell by cell: 8 states by 12 events."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from billing import wallet
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.wallet_support import (
    HOURS_72,
    QUOTE,
    SLUG,
    WalletUnderTest,
    wallet_on,
)
from tests.support.clock import ScriptClock

DATA = Path(__file__).resolve().parents[2] / "data" / "message_reports.csv"
SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "message_reports.csv"
RICH, POOR = 10_000, 100
# What each event does; None if the table states that it cannot happen.
IN_QUOTE, OUTSIDE, FAILED = "yuexin_text", "video", "failed"
Act = Callable[[WalletUnderTest], Any]


def rows() -> list[dict[str, str]]:
    with DATA.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


EVENTS: dict[str, Act] = {
    "hold": lambda bench: bench.hold(),
    "hold with another body": lambda bench: bench.hold(body_hash="other"),
    "hold beyond the balance": lambda bench: bench.hold(),
    "sent": lambda bench: bench.sent(),
    "interim report": lambda bench: bench.report("interim"),
    "final report: delivered by a quoted mode": lambda bench: bench.report(IN_QUOTE),
    "final report: delivered by a mode outside the quote": lambda bench: bench.report(OUTSIDE),
    "final report: failed": lambda bench: bench.report(FAILED),
    "report without a readable mode": lambda bench: bench.report("unreadable"),
    "72 h passed": lambda bench: _pass(bench, HOURS_72 + 0.001),
    "unsent deadline passed": lambda bench: _pass(bench, 600.001),
    "cancel": lambda bench: bench.cancel(),
}


def _pass(bench: WalletUnderTest, seconds: float) -> None:
    bench.pass_time(seconds)
    bench.sweep()


def _expire(bench: WalletUnderTest) -> None:
    bench.hold(sent=True)
    _pass(bench, HOURS_72 + 0.001)


# Every way into each state: a rule must not depend on how the state was reached.
WAYS: dict[str, dict[str, Act]] = {
    "none": {"": lambda bench: None},
    "parked": {
        IN_QUOTE: lambda bench: bench.report(IN_QUOTE),
        OUTSIDE: lambda bench: bench.report(OUTSIDE),
        FAILED: lambda bench: bench.report(FAILED),
    },
    "held": {"": lambda bench: bench.hold()},
    "sent": {
        "in the hold": lambda bench: bench.hold(sent=True),
        "marked": lambda bench: (bench.hold(), bench.sent()),
        "by an interim report": lambda bench: (bench.hold(), bench.report("interim")),
        "by an unreadable one": lambda bench: (bench.hold(), bench.report("unreadable")),
    },
    "settled": {
        IN_QUOTE: lambda bench: (bench.hold(sent=True), bench.report(IN_QUOTE)),
        OUTSIDE: lambda bench: (bench.hold(sent=True), bench.report(OUTSIDE)),
        "from parked": lambda bench: (bench.report(IN_QUOTE), bench.hold()),
    },
    "failed": {
        "": lambda bench: (bench.hold(sent=True), bench.report(FAILED)),
        "from parked": lambda bench: (bench.report(FAILED), bench.hold()),
    },
    "expired": {"": _expire},
    "cancelled": {
        "": lambda bench: (bench.hold(), bench.cancel()),
        "by its deadline": lambda bench: (bench.hold(), _pass(bench, 600.001)),
    },
}
STATES = list(WAYS)
CELLS = [(row, way) for row in rows() for way in WAYS[row["state"]]]
SAME_AS: dict[str, str] = {
    "final report: delivered by a quoted mode": IN_QUOTE,
    "final report: delivered by a mode outside the quote": OUTSIDE,
    "final report: failed": FAILED,
}


@pytest.fixture
def bench(test_clock: ScriptClock, clean_redis: RedisServer) -> Iterator[WalletUnderTest]:
    with wallet_on(clean_redis.url, test_clock) as bench:
        yield bench


def test_the_table_has_eight_states_by_twelve_events() -> None:
    table = rows()
    assert len(table) == 96
    assert {row["state"] for row in table} == set(WAYS)
    assert {row["event"] for row in table} == set(EVENTS)
    assert len({(row["state"], row["event"]) for row in table}) == 96


def test_the_kept_table_is_the_given_one() -> None:
    if SHARED.exists():
        assert DATA.read_bytes() == SHARED.read_bytes()
    assert DATA.read_text(encoding="utf-8").startswith("state,event,next_state,money,flag")


def _returned(money: str, way: str) -> int:
    """Return what the table's sentence gives back, less what it takes."""
    quoted = QUOTE.quoted
    settled = {IN_QUOTE: quoted - 400, OUTSIDE: quoted - 450, FAILED: quoted}
    return {
        "none": lambda: 0,
        "charge quoted": lambda: -quoted,
        "charge quoted then as from sent": lambda: -quoted + settled[way],
        "return all": lambda: quoted,
        "return quoted minus its stored price": lambda: quoted - 400,
        "return quoted minus its price (never below 0)": lambda: quoted - 450,
    }[money]()


def _flag(text: str, way: str, event: str) -> str:
    if text.startswith("repeat if"):
        return (
            "repeat"
            if SAME_AS[event] == (IN_QUOTE if way == "from parked" else way)
            else ("contradiction")
        )
    if text.startswith("refused; unpaid"):
        return "refused" if way == FAILED else "unpaid"
    if text == "" and event == "hold" and way == OUTSIDE:
        return "unexpected mode"  # "then as from sent"
    return text


@pytest.mark.parametrize(
    ("row", "way"), CELLS, ids=[f"{row['state']} {way}: {row['event']}" for row, way in CELLS]
)
def test_every_cell_of_the_table_holds(
    bench: WalletUnderTest, row: dict[str, str], way: str
) -> None:
    state, event = row["state"], row["event"]
    bench.create(RICH)
    WAYS[state][way](bench)
    assert bench.state() == state
    if event == "hold beyond the balance":
        bench.move("debit", bench.balance().bal - POOR)
    before, log = bench.balance(), bench.changes()
    if row["next_state"] == "impossible":
        _assert_impossible(bench, state, event)
        return

    charge = EVENTS[event](bench)

    next_state = row["next_state"]
    if next_state == "settled or failed as the parked report says":
        next_state = "failed" if way == FAILED else "settled"
    assert bench.state() == next_state
    after, new = bench.balance(), bench.changes()[len(log) :]
    assert after.bal - before.bal == _returned(row["money"], way)
    assert sum(change.spendable for change in new) == after.bal - before.bal
    flag = _flag(row["flag"], way, event)
    if charge is not None:
        assert charge.flag == flag
        assert (charge.state or "none") == next_state
        assert (charge.bal, charge.seq) == (after.bal, after.seq)
    listed = [change.flag for change in new if change.flag]
    again = flag == "unreadable" and way == "by an unreadable one"  # it is in the list already
    assert listed == ([flag] if flag in wallet.reasons.LISTED and not again else [])
    if state != next_state:
        assert new
    elif not listed:
        assert new == ()
    bench.prove()


def _assert_impossible(bench: WalletUnderTest, state: str, event: str) -> None:
    """Check that the system cannot produce the event.

    No hold has another body, and no such time is watched.
    """
    everything = bench.everything()
    if "passed" in event:
        bench.pass_time(600.001 if event.startswith("unsent") else 0)
        everything = bench.everything()
        swept = bench.run(wallet.sweep(SLUG))
        assert swept.count == 0
        assert bench.everything() == everything
        assert bench.state() == state
    else:
        assert state in ("none", "parked")  # there is no body to compare with
