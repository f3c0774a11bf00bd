"""What one call through a real Kamailio does to its number, message by message."""

import pytest

from tests.integrations.kamailio.conftest import NUMBERS
from tests.integrations.kamailio.phone import Call, Message, Phone
from tests.integrations.kamailio.stage import Stage
from tests.support.waiting import until

pytestmark = [pytest.mark.prove, pytest.mark.needs("kamailio")]
CALLEE = "13912345678"


def connected(agent: Phone, callee: Phone) -> tuple[Call, Call, Message]:
    """An answered call: the caller's end, the callee's, and the INVITE as the callee had it."""
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
