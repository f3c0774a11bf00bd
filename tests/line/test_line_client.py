"""The line's clients against the application: visitors and agents, despite lost answers."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.utils import timezone

from integrations.poolsite_client import (
    Agent,
    AsyncAgent,
    AsyncQueue,
    AsyncVisit,
    Queue,
    RejectedError,
    Standing,
    Visit,
    retrying,
)
from poolsite.access.services import token_create
from queueing.line.models import Message
from queueing.line.models import Visit as VisitRow
from tests.line.line_world import LineWorld, make_line
from tests.numbers.people import in_thread
from tests.support.lossy import URL, Blocked, Line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

QUEUE = "support-help"


@dataclass
class Desk:
    """A desk with one agent, who is offline, and the token of an ACD."""

    world: LineWorld
    agent: int
    secret: str


def make_desk() -> Desk:
    world = make_line()
    agent = world.agent("li")
    _, secret = token_create(
        name="acd",
        account=world.account,
        resources=["desk:support"],
        actions=["line.visit", "line.serve"],
        expires_at=timezone.now() + timedelta(days=1),
        actor="test",
    )
    return Desk(world, agent.user_id, secret)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_SECONDS", 0.001)


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
async def desk() -> Desk:
    return await in_thread(make_desk)()


@pytest.fixture
async def queue(desk: Desk, line: Line) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue(URL, desk.secret, QUEUE, transport=line) as queue:
        yield queue


@pytest.fixture
async def agent(desk: Desk, line: Line) -> AsyncIterator[AsyncAgent]:
    async with AsyncAgent(URL, desk.secret, desk.agent, transport=line) as agent:
        yield agent


async def test_a_visitor_waits_is_served_and_talks(
    queue: AsyncQueue, agent: AsyncAgent, line: Line
) -> None:
    first = await queue.join(name="Ann", anyway=True)
    second = await queue.join(name="Bo", anyway=True, priority=9)
    assert (first.answer, first.ahead, second.ahead) == ("waiting", 0, 1)
    online = await agent.login()
    assert [(room.kind, room.visit) for room in online.rooms] == [("room", first.visit)]
    async with AsyncVisit(URL, first.token, first.visit, place=first.place, transport=line) as ann:
        assert (await ann.beat()).answer == "room"
        line.lose = 2
        said = await ann.say("Hello")
        line.lose = 1
        answered = await agent.say(first.visit, "Good morning")
        assert [(each.author, each.text) for each in await ann.messages()] == [
            ("visitor", "Hello"),
            ("agent", "Good morning"),
        ]
        assert (said.number, answered.number) == (1, 2)
        line.lose = 1
        done = await agent.finish(first.visit)
        assert [room.visit for room in done.rooms] == [second.visit]
        assert (await ann.look()).answer == "ended"


async def test_a_lost_answer_takes_one_visitor(
    queue: AsyncQueue, agent: AsyncAgent, desk: Desk, line: Line
) -> None:
    await agent.login()
    await agent.pause(await in_thread(_pause_reason)(desk))
    for name in ("Ann", "Bo"):
        await queue.join(name=name, anyway=True)
    line.lose = 1
    await agent.login()
    assert len((await agent.rooms()).rooms) == 1


async def test_a_join_whose_answer_was_lost_says_so_and_is_one_visit(
    queue: AsyncQueue, line: Line
) -> None:
    line.lose = 1
    with pytest.raises(RejectedError) as unknown:
        await queue.join(name="Ann", anyway=True)
    assert unknown.value.kind == "idempotency-done"
    assert await in_thread(VisitRow.objects.count)() == 1


async def test_blocking_calls_do_the_same(desk: Desk, line: Line) -> None:
    blocked = Blocked(line)

    def talk() -> Standing:
        with Queue(URL, desk.secret, QUEUE, transport=blocked) as queue:
            came = queue.join(name="Ann", anyway=True)
        with Agent(URL, desk.secret, desk.agent, transport=blocked) as agent:
            agent.login()
            agent.say(came.visit, "Hello")
        with Visit(URL, came.token, came.visit, transport=blocked) as visit:
            visit.say("Bye")
            visit.leave()
            return visit.look()

    assert (await in_thread(talk)()).answer == "ended"
    assert await in_thread(Message.objects.count)() == 2


def _pause_reason(desk: Desk) -> str:
    from queueing.line import pauses

    return pauses.read_reasons(desk.world.desk.pause_reasons)[0].text
