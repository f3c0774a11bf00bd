"""Joins that Django serves at the same moment reach their desk in lists, each with its answer."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.db import connection
from django.utils import timezone

from poolsite import hotpath
from poolsite.access.services import token_create
from poolsite.api.gather import ITEMS_PER_COMMAND, PIPELINES_LIMIT
from poolsite.runtime.redis_server import RedisServer
from queueing.line.api import joining
from queueing.line.models import Visit
from tests.line.line_world import LineWorld, make_line
from tests.numbers.people import in_thread
from tests.support.waiting import eventually

pytestmark = [pytest.mark.django_db(transaction=True)]
VISITORS = 60


class Holding(hotpath.HotPath):
    """Notes how many visitors each list has, and holds lists back until all have joined."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.lists: list[int] = []
        self.awaited = 0

    async def arun_batch(self, commands: Sequence[hotpath.Command[Any]]) -> list[Any]:
        assert {command.script.title for command in commands} == {"line/joins"}
        self.lists += [len(command.args) for command in commands]
        waiting = joining._gatherer()._waiting
        await eventually(lambda: sum(self.lists) + len(waiting) >= self.awaited)
        return await super().arun_batch(commands)


@pytest.fixture(autouse=True)
def _a_connection_for_each_visitor(transactional_db: None) -> Iterator[None]:
    """A request keeps its SQL connection while its join is held back, and PostgreSQL's pool has 8.

    At the end the pool is closed, with the connections of the requests' threads.
    """
    pool = connection.settings_dict["OPTIONS"].get("pool")
    if pool is None:
        yield
        return
    most = pool["max_size"]
    connection.close()
    connection.close_pool()
    pool["max_size"] = VISITORS + 10
    yield
    connection.close()
    connection.close_pool()
    pool["max_size"] = most


@pytest.fixture
def path(clean_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Holding]:
    path = Holding(clean_redis.url)
    monkeypatch.setattr(hotpath, "_default", path)
    yield path
    path.close()


@pytest.fixture
async def line(path: Holding) -> AsyncIterator[LineWorld]:
    yield await in_thread(make_line)(max_length=VISITORS - 10)
    await path.aclose()


@pytest.fixture
async def client(line: LineWorld) -> AsyncIterator[httpx.AsyncClient]:
    from poolsite.asgi import application

    _, secret = await in_thread(token_create)(
        name="acd",
        account=line.account,
        resources=["desk:support"],
        actions=["line.visit"],
        expires_at=timezone.now() + timedelta(days=1),
        actor="test",
    )
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=application),
        base_url="http://localhost",
        headers={"Authorization": f"Bearer {secret}"},
    ) as client:
        yield client


async def test_joins_of_one_moment_travel_together_and_each_gets_its_own_answer(
    client: httpx.AsyncClient, path: Holding, line: LineWorld
) -> None:
    path.awaited = VISITORS
    where = f"/api/v1/queues/{line.queue.slug}/join"
    answers = await asyncio.gather(
        *(client.post(where, json={"name": f"Name {place}"}) for place in range(VISITORS))
    )
    assert sum(path.lists) == VISITORS
    assert len(path.lists) <= PIPELINES_LIMIT + VISITORS // ITEMS_PER_COMMAND + 1
    came = [answer.json() for answer in answers if answer.status_code == 200]
    refused = [answer.json()["type"] for answer in answers if answer.status_code != 200]
    assert refused == ["queue-full"] * 10
    assert sorted(each["ahead"] for each in came) == list(range(VISITORS - 10))
    names = {each["visit"]: place for place, each in enumerate(came)}
    assert len(names) == VISITORS - 10
    rows = await in_thread(lambda: {row.public_id: row for row in Visit.objects.all()})()
    assert rows.keys() == names.keys()
    for each in came:
        assert rows[each["visit"]].place_at_join == each["ahead"]
    for place, answer in enumerate(answers):
        if answer.status_code == 200:
            assert rows[answer.json()["visit"]].name == f"Name {place}"


async def test_a_visitor_who_hangs_up_while_joining_is_written_down_all_the_same(
    client: httpx.AsyncClient, path: Holding, line: LineWorld
) -> None:
    path.awaited = 2
    where = f"/api/v1/queues/{line.queue.slug}/join"
    gone = asyncio.create_task(client.post(where, json={"name": "Ann"}))
    await eventually(lambda: path.lists)
    gone.cancel()
    assert (await client.post(where, json={"name": "Bo"})).status_code == 200
    with pytest.raises(asyncio.CancelledError):
        await gone
    names = await in_thread(lambda: sorted(Visit.objects.values_list("name", flat=True)))()
    assert names == ["Ann", "Bo"]


async def test_without_redis_every_join_is_refused(
    client: httpx.AsyncClient, path: Holding, line: LineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed pipeline fails all its joins."""

    async def away(_commands: Sequence[hotpath.Command[Any]]) -> list[Any]:
        raise hotpath.Unavailable("away")

    monkeypatch.setattr(path, "arun_batch", away)
    where = f"/api/v1/queues/{line.queue.slug}/join"
    answers = await asyncio.gather(*(client.post(where, json={}) for _ in range(3)))
    assert [(each.status_code, each.json()["type"]) for each in answers] == [
        (503, "unavailable")
    ] * 3
