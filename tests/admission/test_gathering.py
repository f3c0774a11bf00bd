"""Requests that are made together travel together (poolsite/api/gather.py), on a real gate."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from poolsite import hotpath
from poolsite.api.gather import ITEMS_PER_COMMAND, Gatherer
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate

GENERATION = 1_600_000_000_000_000


class Watched(hotpath.HotPath):
    """Notes how many rows each command of each pipeline had, and then runs it."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.sent: list[list[int]] = []
        self.leaves = asyncio.Semaphore(0)

    async def arun_batch(self, commands: Sequence[hotpath.Command[Any]]) -> list[Any]:
        self.sent.append([len(command.args) for command in commands])
        self.leaves.release()
        return await super().arun_batch(commands)


@pytest.fixture
async def path(clean_redis: RedisServer) -> AsyncIterator[Watched]:
    path = Watched(clean_redis.url)
    for slug in ("tower", "mast"):
        await path.arun(gate.create(slug, GENERATION, gate.GateSettings(cap=1_000)))
    yield path
    await path.aclose()
    path.close()


def gatherer(path: Watched) -> Gatherer[gate.Request[Any], Any]:
    return Gatherer(gate.requests, path)


async def test_one_alone_leaves_at_once(path: Watched) -> None:
    permit = await gatherer(path).run("tower", gate.to_acquire("a"))
    assert permit.granted
    assert path.sent == [[1]]


async def test_those_of_one_moment_leave_together_in_their_order(path: Watched) -> None:
    asked = gatherer(path)
    names = [f"h-{place}" for place in range(ITEMS_PER_COMMAND + 8)]
    permits = await asyncio.gather(
        *(asked.run("tower", gate.to_acquire(name)) for name in names),
        asked.run("mast", gate.to_acquire("a")),
    )
    assert path.sent == [[ITEMS_PER_COMMAND, 8, 1]]
    tokens = [permit.token for permit in permits[:-1]]
    assert tokens == sorted(set(tokens))
    held = await path.arun(gate.holders("tower"))
    assert {row.holder: row.token for row in held.rows} == dict(zip(names, tokens, strict=True))


async def test_each_gets_its_own_answer_or_refusal(path: Watched) -> None:
    asked = gatherer(path)
    runs: list[Any] = [
        asked.run("tower", gate.to_acquire("a")),
        asked.run("tower", gate.to_acquire("not a name")),
        asked.run("tower", gate.to_release("b", GENERATION)),
        asked.run("nowhere", gate.to_acquire("a")),
    ]
    outcomes: list[Any] = await asyncio.gather(*runs, return_exceptions=True)
    first, bad, second, missing = outcomes
    assert first.granted
    assert isinstance(bad, gate.GateRefusedError)
    assert bad.reason == "malformed holder"
    assert (second.done, second.reason) == (False, "not held")
    assert isinstance(missing, gate.GateRefusedError)
    assert missing.reason == "no such gate"


async def test_a_server_that_hangs_holds_up_no_others(
    path: Watched, clean_redis: RedisServer
) -> None:
    """Requests made while a pipeline is under way leave without its answer."""
    asked = gatherer(path)
    with clean_redis.client() as client:
        client.client_pause(30_000, all=False)
        first = asyncio.ensure_future(asked.run("tower", gate.to_acquire("a")))
        await path.leaves.acquire()
        second = asyncio.ensure_future(asked.run("tower", gate.to_acquire("b")))
        await path.leaves.acquire()
        assert not first.done()
        client.client_unpause()
    assert (await first).granted
    assert (await second).granted


async def test_a_caller_that_is_cancelled_disturbs_nobody(path: Watched) -> None:
    asked = gatherer(path)
    tasks = [asyncio.ensure_future(asked.run("tower", gate.to_acquire(f"h-{n}"))) for n in range(3)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    outcomes: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
    first, gone, last = outcomes
    assert first.granted
    assert last.granted
    assert isinstance(gone, asyncio.CancelledError)
