"""A desk without timers and without a worker: the web process handles what is due.

In this process, by real time: agents are heard on their topic as on a socket, visitors by polls.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async

from poolsite import hotpath, timers
from poolsite.access import principal_of_user
from poolsite.timers.hearing import Hearing
from queueing.line import desk as commands
from queueing.line.models import Agent
from queueing.line.services import keeping, rooms, visits
from queueing.line.topics.agent import AgentTopic
from tests.line.line_world import LineWorld, make_line
from tests.support.waiting import eventually, patient

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
TTL_SECONDS = round(patient(2))  # shorter than the setting allows, to keep the tests' waits short


@pytest.fixture
def hearing(monkeypatch: pytest.MonkeyPatch) -> Hearing:
    """What this process has heard since its start."""
    here = Hearing(timers.WEB_KEPT_SECONDS)
    monkeypatch.setattr(timers, "here", here)
    return here


class Floor:
    """A desk and the people who are heard at it."""

    def __init__(self, line: LineWorld, hearing: Hearing, client: httpx.AsyncClient) -> None:
        self.line, self._hearing, self._client = line, hearing, client
        self.slug = line.desk.slug
        self._heard: dict[str, Callable[[], Any]] = {}

    async def queue(self, **settings: Any) -> None:
        """Set the queue's settings from now on."""
        given = {"ttl_seconds": TTL_SECONDS, "agent_grace_seconds": TTL_SECONDS + 1, **settings}
        words = commands.QueueSettings(**given)
        await hotpath.arun(commands.queue_write(self.slug, self.line.queue.pk, words))

    async def agent(self, name: str, skills: dict[str, int] | None = None) -> Agent:
        """Let an agent go online, and be heard on its topic until `falls_silent`."""
        agent = await sync_to_async(self.line.agent)(name)
        written = commands.AgentSettings(
            queues=[self.line.queue.pk], skills=skills or {}, ttl_seconds=TTL_SECONDS
        )
        await hotpath.arun(commands.agent_write(self.slug, agent.user_id, written))
        await sync_to_async(rooms.agent_login)(agent)
        principal = await sync_to_async(principal_of_user)(agent.user)
        topic = AgentTopic(str(agent.user_id))
        assert await topic.allowed(principal)
        self._heard[name] = lambda: topic.beat(principal)
        return agent

    async def visitor(self, name: str, **given: Any) -> str:
        """Let a visitor join, and poll until `falls_silent`."""
        joined = await sync_to_async(visits.visit_join)(queue=self.line.queue, name=name, **given)
        path = f"/api/v1/visits/{joined.visit.public_id}/beat"
        headers = {"Authorization": f"Bearer {joined.token}"}
        self._heard[name] = lambda: self._client.post(path, json={}, headers=headers)
        return joined.visit.public_id

    def falls_silent(self, name: str) -> None:
        del self._heard[name]

    async def beats(self) -> None:
        """Leave the marks of a web process and send everyone's heartbeats, repeatedly."""
        while True:
            self._hearing.note(await sync_to_async(hotpath.default().now)())
            for beat in list(self._heard.values()):
                await beat()
            await asyncio.sleep(TTL_SECONDS / 8)  # waits: their own pace

    async def stands(self, visit: str) -> str:
        return (await hotpath.arun(commands.place(self.slug, visit))).answer

    async def record(self, agent: Agent) -> commands.AgentRecord:
        _, found = await hotpath.arun(commands.agents(self.slug))
        return next(each for each in found if each.agent == agent.user_id)

    async def until(self, visit: str, answer: str) -> None:
        async def stands_so() -> bool:
            return await self.stands(visit) == answer

        await eventually(stands_so)


@pytest.fixture
async def floor(hearing: Hearing) -> AsyncIterator[Floor]:
    from poolsite.asgi import application

    line = await sync_to_async(make_line)()
    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        floor = Floor(line, hearing, client)
        await floor.queue()
        beats = asyncio.create_task(floor.beats())
        yield floor
        assert not beats.done()
        beats.cancel()


async def test_a_silent_agents_visitor_is_in_the_line_again(floor: Floor) -> None:
    agent = await floor.agent("li")
    visit = await floor.visitor("Ann")
    assert await floor.stands(visit) == "room"
    floor.falls_silent("li")

    async def is_away() -> bool:
        return (await floor.record(agent)).away_since_ms > 0

    await eventually(is_away)
    assert await floor.stands(visit) == "room"
    await floor.until(visit, "waiting")
    assert (await floor.record(agent)).state == "offline"


async def test_an_offer_past_its_time_is_withdrawn_and_counts(floor: Floor) -> None:
    await floor.queue(mode="offer", offer_seconds=1, misses_limit=2)
    agent = await floor.agent("li")
    visit = await floor.visitor("Ann")
    assert await floor.stands(visit) == "offered"
    await floor.until(visit, "waiting")
    record = await floor.record(agent)
    assert (record.state, record.misses) == ("paused", 2)


async def test_a_skill_is_relaxed(floor: Floor) -> None:
    await floor.queue(skills_relax_seconds=1)
    await floor.agent("li", {"tax": 1})
    visit = await floor.visitor("Ann", skills={"tax": 3})
    assert await floor.stands(visit) == "waiting"
    await floor.until(visit, "room")


async def test_who_is_heard_no_more_is_noticed_though_nobody_else_is_heard(floor: Floor) -> None:
    visit = await floor.visitor("Ann", anyway=True)
    await asyncio.sleep(0)
    floor.falls_silent("Ann")
    await floor.until(visit, "away")


async def test_nobody_is_silent_while_this_process_was_held_up(
    floor: Floor, hearing: Hearing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was stopped for a minute: by its own clock a check is late, so silence counts from now."""
    visit = await floor.visitor("Ann", anyway=True)
    floor.falls_silent("Ann")
    noted = hearing.since_ms
    now = keeping.pace
    monkeypatch.setattr(keeping, "pace", lambda: now() + 60)
    await eventually(lambda: hearing.since_ms not in (None, noted))
    assert await floor.stands(visit) == "waiting"
    await floor.until(visit, "away")


async def test_a_keeper_goes_on_after_redis_was_away(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = 2

    async def away() -> tuple[str, str]:
        nonlocal fails
        fails -= 1
        if fails >= 0:
            raise hotpath.Unavailable("away")
        return "", ""

    monkeypatch.setattr(timers, "what_is_said", away)
    visit = await floor.visitor("Ann", anyway=True)
    await eventually(lambda: fails < 0)
    floor.falls_silent("Ann")
    await floor.until(visit, "away")


async def test_a_desk_with_nobody_is_let_go_and_kept_again_when_somebody_is_heard(
    floor: Floor,
) -> None:
    keeper = keeping.DeskKeeper()
    keeper.keep(floor.slug)
    assert keeper.keeps == {floor.slug}
    await eventually(lambda: not keeper.keeps)
    await hotpath.arun(commands.join(floor.slug, "ann", floor.line.queue.pk, anyway=True))
    keeper.keep(floor.slug)
    await eventually(lambda: keeper.looks > 2)
    assert keeper.keeps == {floor.slug}


async def test_nothing_is_done_by_a_clock_in_doubt(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def in_doubt(self: timers.ClockGuard) -> bool:
        return False

    monkeypatch.setattr(timers.ClockGuard, "in_order", in_doubt)
    keeper = keeping.DeskKeeper()
    keeper.keep(floor.slug)
    await eventually(lambda: keeper.looks > 1)
    assert await hotpath.aclient().hget(floor.line.desk.tag, "walked") is None
