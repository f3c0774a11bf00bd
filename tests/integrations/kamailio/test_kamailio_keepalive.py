"""Calls that end without a BYE of either end, by a real Kamailio. Most of it is waiting."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.integrations.kamailio.conftest import MakeStage
from tests.integrations.kamailio.phone import NoMessageError, Phone
from tests.integrations.kamailio.stage import Stage
from tests.integrations.kamailio.test_kamailio_calls import connected
from tests.support.waiting import until

CALLS = 40
pytestmark = [pytest.mark.prove, pytest.mark.needs("kamailio")]


def test_two_ends_that_are_gone_give_the_number_back(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    """No BYE ever comes: the keep-alive finds out with two requests, 30 s apart."""
    connected(agent, callee)
    agent.wait("OPTIONS", seconds=60)
    assert not stage.idle(2)
    until(lambda: stage.idle(2), seconds=150, evidence=stage.said)
    over = [change for change in stage.bench.changes() if change.event == "hangup"]
    assert [change.reason for change in over] == ["no answer to keep-alive, or too long"]


def test_a_call_that_lasts_too_long_is_ended_at_both_ends(make_stage: MakeStage) -> None:
    """Neither end answers before both got a BYE ("A call that is too long" in the README)."""
    stage = make_stage(settings={"CALL_MAX_SECONDS": "2"})
    with (
        Phone(stage.sip_port, "alice") as agent,
        Phone(stage.sip_port, "callee", stage.callee_port) as callee,
    ):
        agent.register()
        connected(agent, callee)
        byes = [(phone, phone.wait("BYE", seconds=30)) for phone in (agent, callee)]
        for phone, bye in byes:
            phone.reply(bye, 200, "OK")
        assert not stage.idle(2)
        until(lambda: stage.idle(2), evidence=stage.said)


def test_answers_that_overtake_the_end_of_a_call_leave_no_number_behind(
    make_stage: MakeStage,
) -> None:
    """Both ends answer the BYEs at once, so their answers race the process that ends the calls."""
    numbers = [f"138{index:08d}" for index in range(CALLS)]
    stage = make_stage(*numbers, settings={"CALL_MAX_SECONDS": "2"})
    with (
        Phone(stage.sip_port, "alice") as agent,
        Phone(stage.sip_port, "callee", stage.callee_port) as callee,
        ThreadPoolExecutor(2) as both,
    ):
        agent.register()
        for _ in range(CALLS):
            connected(agent, callee)
        over = threading.Event()
        answering = [both.submit(answer_byes, phone, over) for phone in (agent, callee)]
        try:
            until(lambda: stage.idle(CALLS), evidence=stage.said)
        finally:
            over.set()
        assert all(each.result() for each in answering)


def answer_byes(phone: Phone, over: threading.Event) -> int:
    """Answer BYEs until it is over. Return how many came.

    Not every call sends one to both ends: Kamailio leaves out the second if the first is answered
    before it is sent.
    """
    count = 0
    while not over.is_set():
        try:
            phone.reply(phone.wait("BYE", seconds=0.2), 200, "OK")
            count += 1
        except NoMessageError:
            continue
    return count
