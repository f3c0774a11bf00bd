"""Each started interval is charged once: held before it starts, returned if it never starts."""

import json
import threading
from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from billing import servers
from billing import wallet as commands
from numbers import pool as pool_commands
from numbers import services
from numbers.errors import NumbersError
from numbers.pool import Due, Note
from poolsite import hotpath
from tests.billing.calls.call_support import PRICE, Line, make_line
from tests.numbers.people import send
from tests.support.clock import ScriptClock
from tests.support.waiting import until

INTERVAL = 4  # the next one is held in its second half
STEP, STEPS = 0.1, 200


@pytest.fixture
def line(transactional_db: None, test_clock: ScriptClock) -> Line:
    """A pool whose calls are charged every four seconds, by a clock that tests move."""
    return make_line(charge_interval_seconds=INTERVAL, lease_seconds=60)


def begin(line: Line, call_id: str = "a", callee: str = "") -> None:
    """Begin a call as the hot lane does."""
    from billing.services import calls
    from numbers.services import charging
    from numbers.services.charging_intervals import Charged
    from numbers.services.charging_sweep import run

    payer = calls.payer_of(line.shop.account.pk)
    assert payer is not None
    charged = Charged(line.slug, INTERVAL, payer)
    hold_id = calls.hold_id_of(line.slug, call_id, 1)
    interval = charged.first(pool_commands.Event.of("call", call_id=call_id, callee=callee))
    run(charging._hold(charged, hold_id, interval))
    assert run(charging._admit(charged, hold_id, call_id, 20))
    sent = send(line.slug, "call", call_id=call_id, paid=hold_id, switch="fs1", incarnation="b1")
    assert sent.ok
    run(charging.settle(charged, hold_id, call_id))


def pass_until(clock: ScriptClock, condition: Callable[[], object]) -> float:
    """Let time pass until the condition is true. Return the seconds."""
    for step in range(STEPS):
        if condition():
            return step * STEP
        clock.advance(STEP)
    raise AssertionError(f"it did not come about in {STEPS * STEP:.0f} s")


def sweep_until(clock: ScriptClock, line: Line, states: list[tuple[str, str]]) -> float:
    def reached() -> bool:
        line.sweep()
        return line.states()[: len(states)] == states

    return pass_until(clock, reached)


def test_the_next_interval_is_held_before_it_starts_and_settled_when_it_does(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line)
    line.sweep()
    assert line.states() == [("1", "settled")]
    took = sweep_until(test_clock, line, [("1", "settled"), ("2", "held")])
    assert took == pytest.approx(INTERVAL / 2)
    took += sweep_until(test_clock, line, [("1", "settled"), ("2", "settled")])
    assert took == pytest.approx(INTERVAL)
    took += sweep_until(test_clock, line, [("1", "settled"), ("2", "settled"), ("3", "held")])
    assert took == pytest.approx(1.5 * INTERVAL)
    line.shop.check()


def test_a_call_that_ends_before_its_next_interval_gets_the_hold_back(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line)
    sweep_until(test_clock, line, [("1", "settled"), ("2", "held")])
    send(line.slug, "hangup", call_id="a")
    pass_until(test_clock, lambda: line.sweep() and line.notes() == [])
    assert line.states() == [("1", "settled"), ("2", "cancelled")]
    assert (line.spent(), line.shop.balance().held) == (PRICE, 0)


def test_intervals_that_nobody_looked_after_are_charged_all_the_same(
    line: Line, test_clock: ScriptClock
) -> None:
    """The sweep was away for three intervals while the call ran."""
    begin(line)
    test_clock.advance(2 * INTERVAL + 0.2)
    line.sweep()
    assert line.states()[:3] == [("1", "settled"), ("2", "settled"), ("3", "settled")]


def test_a_call_that_ended_while_nobody_looked_pays_what_it_had_started(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line)
    test_clock.advance(2 * INTERVAL + 0.2)
    send(line.slug, "hangup", call_id="a")
    test_clock.advance(INTERVAL)
    for _ in range(2):
        line.sweep()
    assert line.states() == [("1", "settled"), ("2", "settled"), ("3", "settled")]
    assert line.notes() == []
    assert line.spent() == 3 * PRICE


def test_a_held_interval_that_had_started_when_the_call_ended_is_charged(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line)
    sweep_until(test_clock, line, [("1", "settled"), ("2", "held")])
    test_clock.advance(INTERVAL / 2 + 0.1)
    send(line.slug, "hangup", call_id="a")
    line.sweep()
    assert line.notes() == []
    assert (line.spent(), line.shop.balance().held) == (2 * PRICE, 0)
    line.shop.check()


def test_many_sweeps_at_once_charge_an_interval_once(line: Line, test_clock: ScriptClock) -> None:
    """Sweeps are fenced, but two that overlap must not charge twice."""
    begin(line)
    next_moment = threading.Barrier(3, lambda: test_clock.advance(INTERVAL / 4))

    def work() -> None:
        for _ in range(4):
            next_moment.wait()
            for _again in range(3):
                line.sweep()
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    settled = [interval for interval, state in line.states() if state == "settled"]
    assert settled == ["1", "2"]
    send(line.slug, "hangup", call_id="a")
    pass_until(test_clock, lambda: line.sweep() and line.notes() == [])
    command = commands.sweep(line.shop.slug)
    servers.path(line.shop.wallet).run(command)
    line.shop.check()


@pytest.fixture
def told(line: Line) -> Iterator[list[dict[str, str]]]:
    """The events that switches of the pool receive."""
    client = hotpath.client()
    channel = client.pubsub(ignore_subscribe_messages=True)
    channel.subscribe("{east}:hangups")
    found: list[dict[str, str]] = []

    class Told(list[dict[str, str]]):
        def read(self) -> "Told":
            while message := channel.get_message(timeout=0.1):
                self.append(json.loads(message["data"]))
            return self

    yield Told(found)
    channel.close()


def test_a_refused_interval_ends_the_call_its_switch_is_told_to_hang_up(
    line: Line, told: list[dict[str, str]], test_clock: ScriptClock
) -> None:
    begin(line)
    command = commands.move(line.shop.slug, "out", "debit", 1_000_000 - PRICE - PRICE + 1)
    servers.path(line.shop.wallet).run(command)
    pass_until(test_clock, lambda: line.sweep()["ended"])
    until(told.read)
    assert told == [
        {
            "switch": "fs1",
            "number": "+8613800000000",
            "call_id": "a",
            "reason": "insufficient balance",
        }
    ]
    assert line.notes() == []
    listed = hotpath.run(
        pool_commands.live_list(
            "east",
            "fs1",
            "b1",
            0,
            [pool_commands.Listed("a", "+8613800000000")],
            first=True,
            last=True,
        )
    )
    assert (listed.renewed, [each.call_id for each in listed.hang_up]) == (0, ["a"])
    assert hotpath.run(pool_commands.show("east")).blocked == 0


def test_a_wallet_in_safe_mode_ends_no_call_and_charges_later(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line)
    path = servers.path(line.shop.wallet)
    path.run(commands.status(line.shop.slug, "recovering", "test", "op-1"))
    pass_until(test_clock, lambda: line.sweep()["failed"])
    assert line.states() == [("1", "settled")]
    path.run(commands.status(line.shop.slug, "open", "test", "op-2"))
    sweep_until(test_clock, line, [("1", "settled"), ("2", "settled")])
    assert send(line.slug, "hangup", call_id="a").ok


def test_a_pool_that_is_free_from_now_on_forgets_what_was_to_be_paid(
    line: Line, test_clock: ScriptClock
) -> None:
    begin(line)
    services.pool_configure(actor="test", pool=line.pool, charged=False)
    pass_until(test_clock, lambda: line.sweep() and line.notes() == [])
    assert line.states() == [("1", "settled")]


@pytest.mark.parametrize(
    "note",
    [
        Note("v", "call with spaces", hold="east/x/1.ab"),
        Note("t", "a", hold="east/x/1.ab"),
        Note("c", "a", 7),
        Note("c", "a b", 7, "east/a/6.ffff"),
        Note("d", "a b", 3, "east/a/3.ffff"),
        Note("s", "a b", 3, "east/a/3.ffff", 180),
    ],
)
def test_a_note_is_read_as_it_was_written(note: Note) -> None:
    assert Note.read(note.text) == note
    assert Due(note, 1, False, "", None).note == note


def test_an_agent_s_callback_is_charged_like_any_call(line: Line, test_clock: ScriptClock) -> None:
    claim = services.number_claim(actor="test", pool=line.pool, operation="op-1", agent="li")
    again = services.number_claim(actor="test", pool=line.pool, operation="op-1", agent="li")
    assert again.number == claim.number
    services.number_use(actor="test", pool=line.pool, operation="op-1")
    assert line.states() == [("1", "settled")]
    services.claim_release(actor="test", pool=line.pool, operation="op-1")
    pass_until(test_clock, lambda: line.sweep() and line.notes() == [])
    assert line.spent() == PRICE


def test_a_callback_that_nobody_can_pay_is_refused(line: Line) -> None:
    command = commands.move(line.shop.slug, "out", "debit", 1_000_000)
    servers.path(line.shop.wallet).run(command)
    with pytest.raises(NumbersError) as refused:
        services.number_claim(actor="test", pool=line.pool, operation="op-1", agent="li")
    assert refused.value.kind == "insufficient-balance"
