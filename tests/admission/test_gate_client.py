"""The gate's client against the application: lost answers leak nothing and take nothing twice."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from integrations.poolsite_client import (
    AsyncDevice,
    AsyncGate,
    Device,
    Gate,
    PermitLost,
    Refused,
    RejectedError,
    Task,
    UnreachableError,
    clock,
    lease,
    retrying,
    steps,
)
from poolsite import hotpath
from queueing.admission import gate as commands
from queueing.admission.models import Gate as GateRow
from tests.admission.people import make_batch, make_gate, show, token_for
from tests.numbers.people import in_thread
from tests.support.lossy import URL, Blocked, Line
from tests.support.waiting import eventually, patient

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_SECONDS", 0.001)


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
async def gate() -> GateRow:
    return await in_thread(make_gate)(cap=2, fair=False)


@pytest.fixture
async def secret(gate: GateRow) -> str:
    return str(await in_thread(token_for)(gate))


@pytest.fixture
async def client(line: Line, secret: str) -> AsyncIterator[AsyncGate]:
    async with AsyncGate(URL, secret, "tower", transport=line) as client:
        yield client


async def brief_gate() -> GateRow:
    """A gate whose permits are renewed after a second on a quiet machine."""
    seconds = math.ceil(patient(3))
    return await in_thread(make_gate)("brief", permit_seconds=seconds, margin_seconds=0)


async def used() -> int:
    return int((await in_thread(show)()).used)


async def test_lost_answers_give_one_permit_and_one_release(client: AsyncGate, line: Line) -> None:
    line.lose = 3
    permit = await client.acquire("h")
    assert (line.asked, await used()) == (["acquire"] * 4, 1)
    line.lose = 2
    await client.renew(permit)
    line.lose = 2
    assert await client.release(permit) is False  # the first attempt was processed
    figures = await in_thread(show)()
    assert (figures.used, figures.granted, figures.released) == (0, 1, 1)


async def test_a_client_without_a_server_gives_up_with_one_clear_error(
    client: AsyncGate, line: Line
) -> None:
    line.cut = True
    with pytest.raises(UnreachableError, match="no answer to /api/v1/gates/tower/acquire"):
        await client.acquire("h")


async def test_a_full_gate_refuses_or_is_waited_for(client: AsyncGate, line: Line) -> None:
    first, second = await client.acquire("a"), await client.acquire("b")
    with pytest.raises(Refused) as refused:
        await client.acquire("c")
    assert (refused.value.reason, refused.value.retry_after > 0) == ("full", True)
    await client.release(first)
    assert (await client.acquire("c", wait_seconds=30)).token > second.token
    assert await used() == 2


async def test_the_gate_itself_waits_and_a_lost_answer_gives_the_same_permit(
    client: AsyncGate, line: Line
) -> None:
    first = await client.acquire("a", weight=2)
    line.asked.clear()
    waiting = asyncio.create_task(client.acquire("b", wait_seconds=90))
    await eventually(lambda: in_thread(lambda: show().used == 2 and line.asked == ["acquire"])())
    line.lose = 1  # of the answers to the release, and then to the permit's request
    await client.release(first)
    line.lose = 1
    permit = await waiting
    assert permit.remaining_seconds > 200
    figures = await in_thread(show)()
    assert (figures.used, figures.granted) == (1, 2)


def test_a_permit_lasts_from_its_granting_though_the_question_waited_longer() -> None:
    asked_at = clock.now() - 50  # and 50 s later the gate granted a permit of 30 s
    body = {"token": 1, "deadline": 1, "waited_ms": 49_900, "remaining_ms": 30_000}
    terms = lease.terms_of(steps.Answer(body, asked_at))
    assert 25 < terms.ends_at - asked_at - 49.9 <= 30


async def test_a_weight_is_part_of_the_permit(client: AsyncGate) -> None:
    async with client.permit("h", weight=2) as permit:
        assert (permit.weight, await used()) == (2, 2)
        await client.renew(permit)
        with pytest.raises(RejectedError, match="weight-conflict"):
            await client.acquire("h")
        with pytest.raises(RejectedError, match="weight-over-limit"):
            await client.acquire("i", weight=3)
    assert await used() == 0


async def test_a_permit_is_released_whatever_happens_inside(client: AsyncGate) -> None:
    async with client.permit("h") as permit:
        assert permit.remaining_seconds > 200
        assert await used() == 1
    assert await used() == 0
    with pytest.raises(ZeroDivisionError):
        async with client.permit("h"):
            raise ZeroDivisionError
    assert await used() == 0
    inside = asyncio.Event()

    async def hold() -> None:
        async with client.permit("h"):
            inside.set()
            await asyncio.Event().wait()

    holding = asyncio.create_task(hold())
    await inside.wait()
    holding.cancel()
    await asyncio.gather(holding, return_exceptions=True)
    assert await used() == 0


async def test_a_permit_is_renewed_while_it_is_held(line: Line) -> None:
    secret = await in_thread(token_for)(await brief_gate())
    async with AsyncGate(URL, secret, "brief", transport=line) as client:
        async with client.permit("h") as permit:
            first = permit.deadline
            await eventually(lambda: line.asked.count("renew") >= 3)
            assert permit.deadline > first
            permit.check()
        assert line.asked[-1] == "release"


async def test_work_is_cancelled_when_the_permit_is_freed_or_its_deadline_passes(
    line: Line,
) -> None:
    secret = await in_thread(token_for)(await brief_gate())

    async def freed(client: AsyncGate) -> None:
        async with client.permit("h") as permit:
            await hotpath.arun(commands.free("brief", "h", permit.token, "test"))
            await asyncio.Event().wait()

    async def cut(client: AsyncGate) -> None:
        async with client.permit("i"):
            line.cut = True
            await asyncio.Event().wait()

    async with AsyncGate(URL, secret, "brief", transport=line) as client:
        with pytest.raises(PermitLost, match="not held"):
            await freed(client)
        with pytest.raises(PermitLost, match="past its deadline"):
            await cut(client)


async def test_a_bad_token_and_an_unknown_gate_are_told_at_once(line: Line, secret: str) -> None:
    for token, name, status in (("no", "tower", 401), (secret, "none", 404)):
        line.asked.clear()
        async with AsyncGate(URL, token, name, transport=line) as client:
            with pytest.raises(RejectedError) as rejected:
                await client.acquire("h")
        assert (rejected.value.status, len(line.asked)) == (status, 1)


async def test_a_blocking_client_does_the_same(line: Line, secret: str) -> None:
    transport = Blocked(line)

    def work() -> tuple[int, str]:
        with Gate(URL, secret, "tower", transport=transport) as client:
            line.lose = 1
            with client.permit("h") as permit:
                permit.check()
                token = permit.token
                again = client.acquire("h")
            try:
                permit.check()
            except PermitLost as error:
                return token - again.token, str(error)
        return 0, "held"

    assert await asyncio.to_thread(work) == (0, "released")
    figures = await in_thread(show)()
    assert (figures.used, figures.granted, figures.released) == (0, 1, 1)


# -- devices -------------------------------------------------------------------------------------


@asynccontextmanager
async def running(device: AsyncDevice, handler: Callable[[Task], Any]) -> AsyncIterator[None]:
    work = asyncio.create_task(device.run(handler))
    try:
        yield
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        await device.close()


async def test_a_device_carries_its_task_out_once_though_every_answer_is_lost_once(
    line: Line, secret: str, gate: GateRow
) -> None:
    await in_thread(make_batch)(gate, ["a"])
    done: list[str] = []

    async def handler(task: Task) -> dict[str, int]:
        done.append(task.payload)
        line.lose = 2
        return {"mbps": 93}

    line.lose = 2
    async with running(AsyncDevice(URL, secret, "a", transport=line), handler):
        await eventually(lambda: line.asked.count("report") >= 6)
        await eventually(lambda: in_thread(lambda: show().done == 1)())
    figures = await in_thread(show)()
    assert (done, figures.done, figures.used, figures.late) == (["do a"], 1, 0, 0)


async def test_a_restarted_device_gets_the_same_task(
    line: Line, secret: str, gate: GateRow
) -> None:
    await in_thread(make_batch)(gate, ["a"])
    tokens = []
    for _ in range(2):
        async with AsyncDevice(URL, secret, "a", transport=line) as device:
            told = await device.report()
            assert told.task is not None
            tokens.append(told.task.token)
    assert tokens[0] == tokens[1]
    async with AsyncDevice(URL, secret, "a", transport=line) as device:
        device.done(told.task, data={"n": 1})
        assert (await device.report()).outcomes == ((told.task.name, "accepted"),)
    assert await used() == 0


async def test_a_long_task_is_renewed_and_one_that_is_lost_is_stopped_without_a_result(
    line: Line,
) -> None:
    row = await brief_gate()
    secret = await in_thread(token_for)(row)
    await in_thread(make_batch)(row, ["a"])
    stopped: list[str] = []

    async def handler(task: Task) -> None:
        first = task.deadline
        await eventually(lambda: task.deadline > first)
        await hotpath.arun(commands.free("brief", "@a", task.token, "test"))
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(task.name)

    device = AsyncDevice(URL, secret, "a", transport=line)
    async with running(device, handler):
        await eventually(lambda: stopped)
    assert device.state.results == []


async def test_a_blocking_device_stops_after_its_task(
    line: Line, secret: str, gate: GateRow
) -> None:
    await in_thread(make_batch)(gate, ["a"])
    transport = Blocked(line)

    def work() -> None:
        with Device(URL, secret, "a", gate="tower", transport=transport) as device:

            def handler(task: Task) -> str:
                device.stop()
                line.lose = 1
                return task.payload

            device.run(handler)

    await asyncio.to_thread(work)
    figures = await in_thread(show)()
    assert (figures.done, figures.used) == (1, 0)
