"""A shard: while it is held, it visits what is due, at the times that aggregates report."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from poolsite import hotpath, timers
from poolsite.hotpath.clock import pace
from poolsite.timers import registry
from poolsite.timers.shard import Shard
from tests.support.waiting import eventually

TAG = "{toy.one}"


@dataclass(frozen=True)
class Answer:
    more: bool = False
    now_us: int = 1_000_000
    next_us: int = 1_000_000


class Toy:
    """A kind of aggregate, and its Redis: it counts visits, and the test sets the answers."""

    def __init__(self) -> None:
        self.answer: Callable[[], Any] = Answer
        self.visits: list[float] = []

    def visit(self, slug: str) -> Any:
        assert slug == "one"
        return slug

    async def arun_batch(self, commands: list[str]) -> list[Any]:
        self.visits += [pace()] * len(commands)
        return [self.answer() for _ in commands]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Toy:
    toy = Toy()
    monkeypatch.setattr(registry, "_KINDS", {})
    timers.register(timers.TimerKind("toy", "toy.", toy.visit, idle_seconds=600.0))
    return toy


@asynccontextmanager
async def running(toy: Toy, *, allowed: bool = True) -> AsyncIterator[Shard]:
    async def may_visit() -> bool:
        return allowed

    shard = Shard(0, lambda: toy, may_visit)  # type: ignore[return-value]  # a double
    task = asyncio.create_task(shard.run())
    try:
        yield shard
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_new_hold_begins_with_a_visit_to_everything(toy: Toy) -> None:
    toy.answer = lambda: Answer(next_us=900_000_000)
    async with running(toy) as shard:
        shard.hold(1, pace() + 60, [TAG])
        await eventually(lambda: len(toy.visits) == 1)
        shard.hold(1, pace() + 60, [TAG])  # renewed
        shard.know([TAG])
        shard.hold(2, pace() + 60, [TAG])
        await eventually(lambda: len(toy.visits) == 2)


async def test_it_comes_back_when_something_is_due_and_not_before(toy: Toy) -> None:
    toy.answer = lambda: Answer(next_us=1_200_000)
    async with running(toy) as shard:
        shard.hold(1, pace() + 60, [TAG])
        await eventually(lambda: len(toy.visits) >= 4)
    waits = [later - sooner for sooner, later in zip(toy.visits, toy.visits[1:], strict=False)]
    assert min(waits) >= 0.199
    assert shard.late_seconds


async def test_what_has_more_is_visited_at_once_and_what_is_gone_no_more(toy: Toy) -> None:
    answers = iter([Answer(more=True), Answer(more=True), None])
    toy.answer = lambda: next(answers)
    async with running(toy) as shard:
        shard.hold(1, pace() + 60, [TAG])
        await eventually(lambda: len(toy.visits) == 3)
        await eventually(lambda: len(shard) == 0)


async def test_an_announcement_brings_a_visit_forward(toy: Toy) -> None:
    toy.answer = lambda: Answer(next_us=900_000_000)
    async with running(toy) as shard:
        shard.hold(1, pace() + 60, [TAG])
        await eventually(lambda: len(toy.visits) == 1)
        shard.bring_forward([TAG])
        await eventually(lambda: len(toy.visits) == 2)


@pytest.mark.parametrize("error", [hotpath.Unavailable("away"), hotpath.ScriptFailed("bad")])
async def test_a_visit_that_failed_is_planned_again(toy: Toy, error: Exception) -> None:
    toy.answer = lambda: error
    async with running(toy) as shard:
        shard.hold(1, pace() + 60, [TAG])
        await eventually(lambda: len(toy.visits) >= 1 and len(shard) == 1)


async def test_without_the_lease_nothing_is_visited(toy: Toy) -> None:
    async with running(toy) as shard:
        shard.bring_forward([TAG])
        shard.hold(1, pace() - 1, [TAG])
        await asyncio.sleep(0)
        shard.drop()
        shard.know([TAG])
        await asyncio.sleep(0)
        assert not shard.held
    assert toy.visits == []


async def test_while_the_clock_is_in_doubt_nothing_is_visited(toy: Toy) -> None:
    async with running(toy, allowed=False) as shard:
        shard.hold(1, pace() + 60, [TAG])
        await eventually(lambda: not shard._changed.is_set())  # it has checked
        assert len(shard) == 1
    assert toy.visits == []
