"""A Redis that hangs, restarts or forgets its scripts, with a real Kamailio."""

import os
import signal

import pytest

from tests.integrations.kamailio.phone import Message, Phone
from tests.integrations.kamailio.stage import Stage, make_admin
from tests.integrations.kamailio.test_kamailio_calls import CALLEE, connected
from tests.support.waiting import until

pytestmark = [pytest.mark.prove, pytest.mark.needs("kamailio")]


def refused(agent: Phone) -> Message:
    """Request a call that is not possible. Return the answer."""
    agent.invite(CALLEE)
    return agent.wait(503)


def test_a_hung_redis_is_503_and_nothing_is_lost(stage: Stage, agent: Phone, callee: Phone) -> None:
    mine, _, _ = connected(agent, callee)
    process = stage.redis.process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    try:
        answer = refused(agent)
        assert "No Number Available" in answer.start
        assert int(answer.get("Retry-After")) >= 1
        # A hangup waits for nothing: the answer to the BYE comes at once, the event later.
        agent.bye(mine)
        callee.reply(callee.wait("BYE"), 200, "OK")
        agent.wait(200)
    finally:
        os.kill(process.pid, signal.SIGCONT)
    until(lambda: stage.idle(2), evidence=stage.said)
    connected(agent, callee)
    assert stage.bench.problems() == []


def test_functions_that_are_forgotten_are_503_until_they_are_loaded(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    mine, _, _ = connected(agent, callee)
    stage.bench.client.function_flush()
    assert "No Number Available" in refused(agent).start
    agent.bye(mine)
    callee.reply(callee.wait("BYE"), 200, "OK")
    agent.wait(200)
    assert not stage.idle(2)
    stage.load_scripts()
    until(lambda: stage.idle(2), evidence=stage.said)
    connected(agent, callee)


def test_a_redis_that_restarts_goes_on_with_its_calls(
    stage: Stage, agent: Phone, callee: Phone
) -> None:
    mine, _, first = connected(agent, callee)
    stage.redis.kill()
    assert "No Number Available" in refused(agent).start
    stage.redis.start()
    make_admin(stage.redis)
    stage.load_scripts()
    stage.make_user()
    _, _, second = connected(agent, callee)
    assert first.number() != second.number()
    agent.bye(mine)
    callee.reply(callee.wait("BYE"), 200, "OK")
    agent.wait(200)
    until(lambda: stage.bench.figures().idle_up == 1, evidence=stage.said)
