"""The agent's page by its API: targets for a transfer, and read receipts of both sides."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from poolsite.access import principal_of_user
from queueing.line.models import ReadReceipt, Visit
from queueing.line.services import rooms
from queueing.line.services.desk_settings import skill_create
from queueing.line.services.desks import queue_create
from queueing.line.services.receipts import messages_read
from queueing.line.topics.visit import TalkTopic
from tests.access.world import make_world
from tests.line.line_world import LineWorld, fresh_line
from tests.line.test_api import acts, agent_of, joins
from tests.live.helpers import as_the_browser_gets_it

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    return fresh_line()


def colleagues(client: Any) -> Any:
    answer = client.get("/api/v1/agent/colleagues")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_colleagues_say_who_is_free_with_skills_and_rooms_and_who_is_full(line: LineWorld) -> None:
    skill_create(actor="test", desk=line.desk, slug="billing", name="Billing")
    delivery = queue_create(actor="test", desk=line.desk, slug="delivery", name="Delivery")
    me = agent_of(line, "me", capacity=2)
    line.agent("full", delivery, online=True)
    line.agent("free", delivery, capacity=3, skills={"billing": 3})
    line.agent("off")
    acts(me, "login")
    _, first = joins(line, name="a")
    assert acts(me, "transfer", visit=first["visit"], queue="delivery").status_code == 200
    full, free = (line.desk.agents.get(name=name) for name in ("Full", "Free"))
    assert rooms.agent_login(free).state == "online"
    found = colleagues(me)
    assert [each["agent"] for each in found["agents"]] == [free.user_id, full.user_id]
    assert found["agents"][0] == {
        "agent": free.user_id,
        "name": "Free",
        "free": 3,
        "rooms": 0,
        "capacity": 3,
        "reason": "free",
        "skills": [{"slug": "billing", "name": "Billing", "level": 3}],
    }
    busy = found["agents"][1]
    assert (busy["free"], busy["rooms"], busy["reason"]) == (0, 1, "at_capacity")
    _, second = joins(line, name="b")
    refused = acts(me, "transfer", visit=second["visit"], agent=full.user_id)
    assert refused.json()["type"] == "no-room"  # as the list shows


def test_colleagues_say_who_waits_in_each_queue_and_since_when(line: LineWorld) -> None:
    queue_create(actor="test", desk=line.desk, slug="delivery", name="Delivery")
    me = agent_of(line, "me")
    _, joined = joins(line, name="a")
    joins(line, name="b")
    queues = {each["slug"]: each for each in colleagues(me)["queues"]}
    visit = Visit.objects.get(public_id=joined["visit"])
    assert queues["support-help"]["waiting"] == 2
    assert queues["support-help"]["oldest_ms"] == round(visit.joined_at.timestamp() * 1e6) // 1000
    assert (queues["delivery"]["waiting"], queues["delivery"]["oldest_ms"]) == (0, 0)


def test_both_sides_tell_how_far_they_have_read_and_it_only_grows(line: LineWorld) -> None:
    me = agent_of(line, "me")
    visitor, joined = joins(line, name="a")
    acts(me, "login")
    visit = joined["visit"]
    path = f"visits/{visit}"
    for number in range(3):
        visitor.post(f"{path}/messages", id=f"m{number}", text="Hello")
    assert visitor.get(f"{path}/messages").json()["reads"] == {"visitor": None, "agent": None}
    told = acts(me, "read", visit=visit, number=2).json()
    assert (told["agent"]["number"], told["visitor"]) == (2, None)
    assert acts(me, "read", visit=visit, number=1).json() == told  # with the previous time
    assert acts(me, "read", visit=visit, number=99).json()["agent"]["number"] == 3
    seen = visitor.post(f"{path}/read", number=3).json()
    assert (seen["visitor"]["number"], seen["agent"]["number"]) == (3, 3)
    assert visitor.get(f"{path}/messages").json()["reads"] == seen


def test_receipts_are_refused_to_others_and_for_nonsense(line: LineWorld) -> None:
    me, other = agent_of(line, "me"), agent_of(line, "other")
    visitor, joined = joins(line, name="a")
    stranger, _ = joins(line, name="b")
    acts(me, "login")
    path = f"visits/{joined['visit']}/read"
    assert stranger.post(path, number=1).status_code == 404
    assert acts(other, "read", visit=joined["visit"], number=1).json()["type"] == "not-yours"
    for number in (0, -1, 10**9, "one", "1", True, 1.0):
        assert visitor.post(path, number=number).status_code == 422, number
    assert visitor.post(path, number=1).json() == {"visitor": None, "agent": None}
    assert not ReadReceipt.objects.exists()  # no message has been sent yet


async def test_watchers_of_a_room_are_told_of_a_receipt_once(line: LineWorld) -> None:
    def begin() -> tuple[Any, Visit]:
        _, joined = joins(line, name="a")
        visit = Visit.objects.get(public_id=joined["visit"])
        for text in ("one", "two"):
            rooms.message_send(visit=visit, author="visitor", client_id=text, text=text)
        return principal_of_user(make_world().users["looker"]), visit

    operator, visit = await sync_to_async(begin)()
    topic = TalkTopic(visit.public_id)
    await topic.allowed(operator)
    before = await topic.snapshot()
    read = sync_to_async(messages_read)
    assert await read(visit=visit, side="agent", number=2)
    assert not await read(visit=visit, side="agent", number=2)
    changes = await topic.changes(before.version)
    assert changes is not None
    assert changes.data["messages"] == []
    now = topic.apply(as_the_browser_gets_it(before.data), as_the_browser_gets_it(changes.data))
    assert (now["reads"]["agent"]["number"], len(now["messages"])) == (2, 2)
    again = await topic.changes(changes.version)
    assert again is not None
    assert again.data is None
