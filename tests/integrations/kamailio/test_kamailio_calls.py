"""What one call through a real Kamailio does to its number, message by message."""

from dataclasses import replace

import pytest

from numbers import pool
from tests.integrations.kamailio.conftest import NUMBERS, MakeStage
from tests.integrations.kamailio.phone import Call, Message, Phone
from tests.integrations.kamailio.stage import Stage
from tests.numbers.pool_support import KEYS
from tests.support import programs
from tests.support.waiting import until

pytestmark = [pytest.mark.prove, pytest.mark.needs("kamailio")]
CALLEE = "13912345678"


def connected(agent: Phone, callee: Phone) -> tuple[Call, Call, Message]:
    """Return an answered call: the caller's end, the callee's, and the callee's INVITE."""
    mine = agent.invite(CALLEE)
    invite = callee.wait("INVITE")
    theirs = callee.reply(invite, 200, "OK")
    agent.answered(mine)
    callee.wait("ACK")
    return mine, theirs, invite


def test_the_callee_sees_the_number_and_not_the_agent(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    mine = agent.invite(CALLEE, "P-Asserted-Identity: <sip:boss@example.com>", "Privacy: id")
    invite = callee.wait("INVITE")
    assert invite.number() in NUMBERS
    assert invite.all("P-Asserted-Identity") == [f"<sip:{invite.number()}@127.0.0.1>"]
    assert invite.get("Privacy") == ""
    state = stage.bench.state(invite.number())
    assert state is not None
    assert state.busy
    callee.reply(invite, 200, "OK")
    answer = agent.answered(mine)
    assert answer.number() == "alice"  # for the agent it is still the agent's call


def test_a_bye_of_either_end_gives_the_number_back_after_its_answer(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    mine, _, _ = connected(agent, callee)
    agent.bye(mine)
    bye = callee.wait("BYE")
    assert not stage.idle(2)
    callee.reply(bye, 200, "OK")
    agent.wait(200)
    until(lambda: stage.idle(2), evidence=stage.said)

    _, theirs, _ = connected(agent, callee)
    callee.bye(theirs)
    bye = agent.wait("BYE")
    assert not stage.idle(2)
    agent.reply(bye, 200, "OK")
    callee.wait(200)
    until(lambda: stage.idle(2), evidence=stage.said)


def test_a_refused_call_and_a_cancelled_one_give_the_number_back(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    agent.invite(CALLEE)
    callee.reply(callee.wait("INVITE"), 486, "Busy Here")
    assert agent.wait(486).get("Call-ID")
    until(lambda: stage.idle(2), evidence=stage.said)

    mine = agent.invite(CALLEE)
    invite = callee.wait("INVITE")
    callee.reply(invite, 180, "Ringing")
    agent.wait(180)
    agent.cancel(mine)
    agent.wait(200)
    callee.reply(callee.wait("CANCEL"), 200, "OK")
    assert not stage.idle(2)  # until the callee has confirmed the end
    callee.reply(invite, 487, "Request Terminated")
    agent.wait(487)
    until(lambda: stage.idle(2), evidence=stage.said)
    ended = [change for change in stage.bench.changes() if change.event == "hangup"]
    assert [(change.cause, change.answered) for change in ended] == [("486", "0"), ("487", "0")]


def test_a_callee_that_never_answers_gives_the_number_back(make_stage: MakeStage) -> None:
    stage = make_stage(settings={"SETUP_MS": "1000"})
    with (
        Phone(stage.sip_port, "alice") as agent,
        Phone(stage.sip_port, "callee", stage.callee_port) as callee,
    ):
        agent.register()
        agent.invite(CALLEE)
        callee.reply(callee.wait("INVITE"), 180, "Ringing")
        agent.wait(180)
        agent.wait(408)
        until(lambda: stage.idle(2), evidence=stage.said)


def test_a_full_pool_answers_503_and_when_to_ask_again(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    calls = [connected(agent, callee) for _ in NUMBERS]
    assert {invite.number() for _, _, invite in calls} == set(NUMBERS)
    agent.invite(CALLEE)
    refused = agent.wait(503)
    assert "All Numbers Busy" in refused.start
    assert 1 <= int(refused.get("Retry-After")) <= 5
    assert stage.bench.figures().blocked == 1


def test_who_is_not_registered_gets_no_number(stage: Stage, callee: Phone) -> None:
    with Phone(stage.sip_port, "mallory") as stranger:
        stranger.invite(CALLEE)
        stranger.wait(403)
    assert stage.bench.figures().carried == 0


def test_the_same_call_by_another_way_gets_no_second_number(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    mine, _, _ = connected(agent, callee)
    agent.invite(CALLEE, call_id=mine.call_id)
    agent.wait(482)
    assert stage.bench.figures().carried == 1


def test_what_a_phone_writes_never_becomes_a_command(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    for call_id in ('x"force', "%s%d%n", "{x}$au", "a" * 200):
        mine = agent.invite(CALLEE, call_id=call_id)
        invite = callee.wait("INVITE")
        assert invite.number() in NUMBERS
        callee.reply(invite, 200, "OK")
        agent.answered(mine)
        callee.wait("ACK")
        agent.bye(mine)
        callee.reply(callee.wait("BYE"), 200, "OK")
        agent.wait(200)
        until(lambda: stage.idle(2), evidence=stage.said)
    ids = [change.call_id for change in stage.bench.changes() if change.event == "call"]
    assert ids[:3] == ['x"force/1', "%s%d%n/1", "{x}$au/1"]
    assert len(ids[3]) == 34  # a longer one than the pool takes is named by its digest


def test_a_bye_without_an_answer_gives_the_number_back(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    mine, _, _ = connected(agent, callee)
    agent.bye(mine)
    callee.wait("BYE")
    callee.wait("BYE")  # repeated, because no answer came
    assert not stage.idle(2)
    agent.wait(408)
    until(lambda: stage.idle(2), evidence=stage.said)


def test_a_bye_that_the_other_end_does_not_know_gives_the_number_back(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    mine, _, _ = connected(agent, callee)
    agent.bye(mine)
    callee.reply(callee.wait("BYE"), 481, "Call/Transaction Does Not Exist")
    agent.wait(481)
    until(lambda: stage.idle(2), evidence=stage.said)


def test_a_live_list_renews_what_runs(stage: Stage, agent: Phone, callee: Phone) -> None:
    _, _, invite = connected(agent, callee)
    lease = stage.bench.client.zscore(KEYS.timers, invite.number())
    until(lambda: stage.bench.client.zscore(KEYS.timers, invite.number()) > lease)


def test_redis_62_is_called_by_the_sha_of_a_script(make_stage: MakeStage) -> None:
    names = {"EVENT_CALL": "event", "LIST_CALL": "live_list"}
    calls = {call: f"EVALSHA {pool.SCRIPTS[name].sha1}" for call, name in names.items()}
    stage = make_stage(settings=calls, program=programs.redis_62())
    with (
        Phone(stage.sip_port, "alice") as agent,
        Phone(stage.sip_port, "callee", stage.callee_port) as callee,
    ):
        agent.register()
        mine, _, invite = connected(agent, callee)
        lease = stage.bench.client.zscore(KEYS.timers, invite.number())
        until(lambda: stage.bench.client.zscore(KEYS.timers, invite.number()) > lease)
        agent.bye(mine)
        callee.reply(callee.wait("BYE"), 200, "OK")
        until(lambda: stage.idle(2), evidence=stage.said)


def test_a_forged_bye_gives_no_number_back(stage: Stage, agent: Phone, callee: Phone) -> None:
    mine, _, _ = connected(agent, callee)
    with Phone(stage.sip_port, "mallory") as mallory:
        forged = replace(mine, local="<sip:alice@127.0.0.1>;tag=guessed", routes=list(mine.routes))
        mallory.bye(forged)
        callee.reply(callee.wait("BYE"), 481, "Call/Transaction Does Not Exist")
        mallory.wait(481)
    until(lambda: not stage.waiting_events(), evidence=stage.said)
    assert not stage.idle(2)
    agent.bye(mine)
    callee.reply(callee.wait("BYE"), 200, "OK")
    agent.wait(200)
    until(lambda: stage.idle(2), evidence=stage.said)
    (ended,) = [change for change in stage.bench.changes() if change.event == "hangup"]
    assert (ended.cause, ended.answered) == ("BYE", "1")
    assert int(ended.talk_seconds) >= 0
