"""What phones that register, refresh, leave and stop responding do to their numbers."""

import contextlib
import hashlib
import sqlite3

import pytest

from tests.integrations.kamailio.conftest import NUMBERS, MakeStage
from tests.integrations.kamailio.phone import Phone
from tests.integrations.kamailio.stage import Stage
from tests.numbers.pool_support import KEYS
from tests.support.waiting import until

pytestmark = [pytest.mark.prove, pytest.mark.needs("kamailio")]


@pytest.fixture
def stage(make_stage: MakeStage) -> Stage:
    """Two numbers whose phones have not registered yet."""
    return make_stage(up=False)


def is_up(stage: Stage, number: str) -> bool:
    state = stage.bench.state(number)
    assert state is not None
    return state.up


def test_registering_and_leaving_move_the_number(stage: Stage) -> None:
    number = NUMBERS[0]
    with Phone(stage.sip_port, number) as phone:
        assert phone.register().status == 200
        until(lambda: is_up(stage, number), evidence=stage.said)
        assert not is_up(stage, NUMBERS[1])
        assert phone.register(expires=0).status == 200
        until(lambda: not is_up(stage, number), evidence=stage.said)


def test_a_number_is_up_while_any_of_its_phones_is_there(stage: Stage) -> None:
    number = NUMBERS[0]
    with Phone(stage.sip_port, number) as one, Phone(stage.sip_port, number) as two:
        one.register()
        two.register()
        until(lambda: len(contacts(stage, number)) == 2, evidence=stage.said)
        one.register(expires=0)
        until(lambda: contacts(stage, number) == [two.contact], evidence=stage.said)
        assert is_up(stage, number)
        two.register(expires=0, contact="*")
        until(lambda: not is_up(stage, number), evidence=stage.said)


def test_a_refresh_prolongs_and_silence_ends_it(stage: Stage) -> None:
    number = NUMBERS[0]
    with Phone(stage.sip_port, number) as phone:
        phone.register(expires=600)
        until(lambda: is_up(stage, number), evidence=stage.said)
        phone.register(expires=1)
        until(lambda: not is_up(stage, number), evidence=stage.said)
    left = [change for change in stage.bench.changes() if change.event == "unreg"]
    assert len(left) == 1


def test_an_agents_extension_is_no_number_of_the_pool(stage: Stage) -> None:
    with Phone(stage.sip_port, "1001") as phone:
        assert phone.register().status == 200
        until(lambda: not stage.waiting_events(), evidence=stage.said)
        assert phone.options()
    assert stage.bench.state("1001") is None


def test_phones_prove_who_they_are(make_stage: MakeStage) -> None:
    stage = make_stage(defines=("WITH_AUTH",))
    ha1 = hashlib.md5(b"alice:127.0.0.1:open sesame", usedforsecurity=False).hexdigest()
    with contextlib.closing(sqlite3.connect(stage.state_file)) as state:
        row = ("alice", "127.0.0.1", ha1)
        state.execute("INSERT INTO subscriber (username, domain, ha1) VALUES (?, ?, ?)", row)
        state.commit()
    with (
        Phone(stage.sip_port, "alice") as alice,
        Phone(stage.sip_port, "callee", stage.callee_port) as callee,
    ):
        assert alice.register().status == 401
        assert alice.register(password="guessed").status == 401
        assert alice.register(password="open sesame").status == 200
        call = alice.invite("13912345678")
        alice.invite_again(call, alice.wait(407), "open sesame")
        invite = callee.wait("INVITE")
        assert invite.number() in NUMBERS
        assert invite.get("Proxy-Authorization") == ""
        callee.reply(invite, 486, "Busy Here")
        alice.wait(486)
    until(lambda: stage.idle(2), evidence=stage.said)
    assert stage.bench.figures().carried == 1


def contacts(stage: Stage, number: str) -> list[str]:
    """Return the valid contacts of the number in the pool; gone contacts have the time 0."""
    known = stage.bench.client.hget(KEYS.tag, f"r:{number}") or ""
    lines = [line.split(" ") for line in known.splitlines()]
    return sorted(contact for times, contact in lines if int(times[:16]))
