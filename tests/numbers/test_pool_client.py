"""The pool's client against the application: lost answers lend one number and end one call."""

from collections.abc import AsyncIterator

import pytest

from integrations.poolsite_client import AsyncPool, EventResult, Pool, RejectedError, retrying
from numbers import pool as commands
from numbers.models import Pool as PoolRow
from poolsite import hotpath
from tests.numbers.people import in_thread, make_pool, token_for
from tests.support.lossy import URL, Blocked, Line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

NUMBERS = {"+8613800000000", "+8613800000001"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_SECONDS", 0.001)


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
async def pool() -> PoolRow:
    return await in_thread(make_pool)(numbers=2, added_by_script="lend")


@pytest.fixture
async def secret(pool: PoolRow) -> str:
    return str(await in_thread(token_for)(pool))


@pytest.fixture
async def client(line: Line, secret: str) -> AsyncIterator[AsyncPool]:
    async with AsyncPool(URL, secret, "east", transport=line) as client:
        yield client


async def busy() -> int:
    figures = await in_thread(hotpath.run)(commands.show("east"))
    return int(figures.busy_up + figures.busy_down)


async def test_lost_answers_lend_one_number_and_end_one_call(client: AsyncPool, line: Line) -> None:
    line.lose = 3
    call = await client.call("c-1", agent="alice", callee="+8613912345678")
    assert (line.asked, await busy()) == (["events"] * 4, 1)
    assert (call.number in NUMBERS, call.reason) == (True, "repeat")
    assert call.lease_seconds
    line.lose = 2
    ended = await client.hangup("c-1", answered=True, talk_seconds=3)
    assert (ended.number, await busy()) == (call.number, 0)


async def test_a_full_pool_is_refused_at_once_with_its_reason(
    client: AsyncPool, line: Line
) -> None:
    for call_id in ("c-1", "c-2"):
        await client.call(call_id)
    line.asked.clear()
    with pytest.raises(RejectedError) as refused:
        await client.call("c-3")
    assert (refused.value.status, refused.value.kind) == (409, "exhausted")
    assert refused.value.body["reason"] == "exhausted"
    assert line.asked == ["events"]


async def test_a_batch_tells_each_event_and_keeps_its_order(client: AsyncPool, line: Line) -> None:
    line.lose = 1
    told = await client.send(
        [
            {"event": "call", "call_id": "c-1", "number": "+8613800000000"},
            {"event": "call", "call_id": "c-2", "number": "+8613800000000"},
            {"event": "call", "call_id": "c-3", "number": "+8613800000009"},
        ]
    )
    kinds = [each.kind if isinstance(each, RejectedError) else each.state for each in told]
    assert kinds == ["busy+up", "not-allowed", "unknown-number"]
    assert await busy() == 1
    line.lose = 1
    told = await client.send([{"event": "hangup", "call_id": "c-1"}])
    assert [each.state for each in told] == ["idle+up"]
    assert await busy() == 0


async def test_numbers_are_added_registered_and_deleted_once(client: AsyncPool, line: Line) -> None:
    line.lose = 1
    await client.add("13800000009")
    assert (await client.register("13800000009", contact="sip:a", expires=60)).state == "idle+up"
    assert (await client.unregister("13800000009", contact="sip:a")).state == "idle+down"
    line.lose = 1
    assert isinstance(await client.remove("13800000009"), EventResult)
    with pytest.raises(RejectedError, match="unknown-number"):
        await client.register("13800000009")


async def test_a_live_list_names_the_newest_time_and_tells_whom_to_hang_up(
    client: AsyncPool,
) -> None:
    call = await client.call("c-1", switch="fs1", incarnation="b1")
    told = await client.live("fs1", "b1", [("c-1", call.number), ("c-2", "")])
    assert (told.renewed, told.hang_up, told.conflict) == (1, (), ())
    assert told.call_without_lease == (("c-2", ""),)
    assert client.state.as_of == told.as_of >= call.as_of


async def test_blocking_calls_do_the_same(line: Line, secret: str) -> None:
    blocked = Blocked(line)

    def talk() -> tuple[EventResult, EventResult]:
        with Pool(URL, secret, "east", transport=blocked) as pool:
            return pool.call("c-1"), pool.hangup("c-1")

    line.lose = 1
    call, ended = await in_thread(talk)()
    assert call.number == ended.number
    assert await busy() == 0
