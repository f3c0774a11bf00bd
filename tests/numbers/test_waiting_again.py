"""A switch that lost its connection repeats a call before the loss of the first is noticed."""

import asyncio

import pytest

from numbers import pool as commands
from numbers.api import waiting
from numbers.models import Pool
from numbers.pool import Event
from poolsite import hotpath
from tests.numbers.people import in_thread, make_pool, send
from tests.support.waiting import eventually, patient

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

ASKED = Event.of("call", call_id="w", wait_ms=30_000)


@pytest.fixture
async def pool() -> Pool:
    """A pool whose only number is in a call."""
    made = await in_thread(make_pool)("east", numbers=1)
    assert (await in_thread(send)("east", "call", call_id="first")).ok
    return made


async def one_waits() -> bool:
    figures = await hotpath.arun(commands.show("east"))
    return figures is not None and figures.waiting == 1


async def lost(task: asyncio.Task[commands.EventOutcome]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_lost_request_does_not_end_the_call_that_waits_again(pool: Pool) -> None:
    first = asyncio.create_task(waiting.call("east", ASKED))
    await eventually(one_waits)
    second = asyncio.create_task(waiting.call("east", ASKED))
    await asyncio.sleep(0)
    await lost(first)
    await in_thread(send)("east", "hangup", call_id="first")
    outcome = await asyncio.wait_for(second, patient(5))
    assert (outcome.ok, outcome.number) == (True, "+8613800000000")


async def test_the_lost_request_does_not_end_the_call_that_has_begun(pool: Pool) -> None:
    first = asyncio.create_task(waiting.call("east", ASKED))
    await eventually(one_waits)
    both = [Event.of("hangup", call_id="first"), Event.of("call", call_id="w")]
    ended, begun = await hotpath.arun(commands.events("east", both))
    assert (ended.ok, begun.ok, begun.reason) == (True, True, "")
    if not first.done():
        await lost(first)
    assert (await in_thread(send)("east", "call", call_id="other")).reason == "exhausted"


async def test_a_request_that_is_lost_leaves_the_line(pool: Pool) -> None:
    first = asyncio.create_task(waiting.call("east", ASKED))
    await eventually(one_waits)
    await lost(first)
    assert not await one_waits()
    await in_thread(send)("east", "hangup", call_id="first")
    assert (await in_thread(send)("east", "call", call_id="other")).ok
