"""Calling a visitor back through a pool's number: once, and returned, whichever process dies."""

import itertools
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from numbers import pool as pool_commands
from numbers import services as numbers
from numbers.models import Pool
from numbers.services import NumbersError
from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.models import Agent, RoomEvent, Visit
from queueing.line.services import calling, rooms, visits
from tests.line.line_world import LineWorld, make_line
from tests.live.servers import Site
from tests.numbers.people import make_pool
from tests.support.parts import starts_processes

PROGRAM = "tests/line/call_process.py"
COUNT = itertools.count(1)
CALLEE = "+86 139 0000 1111"


class CallWorld:
    """A desk with a pool of two numbers, and an agent with a visitor in the room."""

    def __init__(self, line: LineWorld, numbers_there: int = 2) -> None:
        self.line = line
        self.pool = make_pool("calls", account=line.account, numbers=numbers_there)
        line.desk.callback_pool = "calls"
        line.desk.save()
        self.agent: Agent = line.agent("li", online=True)
        self.visit: Visit = visits.visit_join(queue=line.queue, contact=CALLEE).visit

    def call(self, **given: Any) -> commands.CallBack:
        return calling.call_back(actor="test", agent=self.agent, visit=self.visit, **given)

    def end(self) -> None:
        calling.call_end(actor="test", agent=self.agent, visit=self.visit.public_id)

    def calls(self) -> list[commands.CallBack]:
        return hotpath.run(commands.calls_of(self.line.desk.slug, [self.visit.public_id]))

    def busy(self) -> int:
        figures = hotpath.run(pool_commands.show("calls"))
        assert figures is not None
        return figures.busy_up


@pytest.fixture
def world(clean_redis: RedisServer, transactional_db: None) -> CallWorld:
    return CallWorld(make_line())


def test_a_call_back_takes_a_number_once_and_gives_it_back(world: CallWorld) -> None:
    call = world.call()
    assert (call.state, call.callee, call.in_room) == ("running", "+8613900001111", True)
    assert world.call().number == call.number
    assert world.busy() == 1
    world.line.drain()
    world.visit.refresh_from_db()
    assert world.visit.callback_call_id == call.operation
    assert RoomEvent.objects.filter(visit=world.visit, kind="called").count() == 1
    calling.sweep_calls(0, 1)
    assert world.busy() == 1
    world.end()
    world.end()
    assert (world.busy(), world.calls()) == (0, [])
    assert world.call().operation != call.operation


def test_a_rooms_end_gives_the_number_back(world: CallWorld) -> None:
    world.call()
    rooms.room_finish(world.agent, world.visit.public_id)
    assert calling.sweep_calls(0, 1) == {"calls": 1, "failed": 0}
    assert (world.busy(), world.calls()) == (0, [])


def test_a_call_that_is_refused_by_the_pool_leaves_nothing_behind(
    clean_redis: RedisServer, transactional_db: None
) -> None:
    world = CallWorld(make_line(), numbers_there=0)
    with pytest.raises(LineError) as refused:
        world.call()
    assert refused.value.kind == "no-number"
    assert world.calls() == []


def test_what_must_not_be_called_is_refused_and_nothing_is_claimed(world: CallWorld) -> None:
    other = world.line.agent("bo", online=True)
    with pytest.raises(LineError, match="belongs to another agent"):
        calling.call_back(actor="test", agent=other, visit=world.visit)
    for number in ("", "call me", "+", "12", "٣٤٥٦"):
        world.visit.contact = ""
        with pytest.raises(LineError, match="digits"):
            world.call(number=number)
    world.line.desk.callback_pool = "another"
    world.line.desk.save()
    world.agent.refresh_from_db()
    with pytest.raises(LineError, match="aren't set up"):
        world.call(number="12345")
    assert (world.busy(), world.calls()) == (0, [])


def test_a_foreign_pool_is_as_good_as_none(world: CallWorld) -> None:
    make_pool("foreign", numbers=1, first=13900000000)  # the platform's
    world.line.desk.callback_pool = "foreign"
    world.line.desk.save()
    world.agent.refresh_from_db()
    with pytest.raises(LineError, match="aren't set up"):
        world.call()


def test_a_number_that_the_pool_took_back_ends_the_call(world: CallWorld) -> None:
    call = world.call()
    pool = Pool.objects.get(slug="calls")
    numbers.claim_release(actor="test", pool=pool, operation=call.operation)
    tag = world.line.desk.tag
    with hotpath.client() as client:
        client.zadd(f"{tag}:calls", {world.visit.public_id: 1})  # time to renew
    calling.sweep_calls(0, 1)
    assert world.calls() == []


def test_a_claim_that_comes_after_its_undoing_is_refused(world: CallWorld) -> None:
    asked = hotpath.run(
        commands.call_ask(
            *(world.line.desk.slug, world.agent.user_id, world.visit.public_id, "123456"),
            pool="calls",
            look_after_seconds=600,
        )
    )
    rooms.room_finish(world.agent, world.visit.public_id)
    calling.sweep_calls(0, 1)
    assert world.calls() == []
    with pytest.raises(NumbersError, match="ended"):
        numbers.number_claim(
            actor="test", pool=world.pool, operation=asked.operation, agent="1", callee="123456"
        )
    assert world.busy() == 0


# -- killed between every two steps ----------------------------------------------------------------


class Floor:
    """A database and a Redis, and processes that call back on them."""

    def __init__(self, folder: Path, redis_url: str) -> None:
        self.site = Site(folder, redis_url)
        folder.mkdir()
        self.site.migrate()

    def killed(self, point: str, verb: str, slug: str) -> None:
        """Run until the process dies at that point."""
        crash = {"POOLSITE_CRASH_AT": point, "POOLSITE_CHAOS": "1"}
        done = self.site.forked(PROGRAM, verb, slug, **crash)
        assert done.returncode == -signal.SIGKILL, f"{point}: {done.stdout}\n{done.stderr[-2000:]}"

    def recover(self, slug: str, room: str) -> dict[str, Any]:
        """Return the result after the surviving processes have recovered."""
        return dict(json.loads(self.site.run(PROGRAM, "recover", slug, room).splitlines()[-1]))


@pytest.fixture(scope="module")
@starts_processes
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    folder = tmp_path_factory.mktemp("floor")
    redis = RedisServer(folder=folder / "redis", append_only=False).start()
    try:
        yield Floor(folder / "site", redis.url)
    finally:
        redis.stop()


@pytest.mark.parametrize("point", ["after_ask", "after_claim", "after_keep"])
def test_a_call_whose_process_dies_is_finished_while_the_room_lasts(
    floor: Floor, point: str
) -> None:
    slug = f"desk{next(COUNT)}"
    floor.killed(f"line.call.{point}", "call", slug)
    told = floor.recover(slug, "room")
    assert told == {"calls": ["running"], "number": True, "busy": 1, "lent": 1}


@pytest.mark.parametrize(
    ("point", "lent"), [("after_ask", 0), ("after_claim", 1), ("after_keep", 1)]
)
def test_a_call_whose_process_dies_is_undone_when_the_room_is_over(
    floor: Floor, point: str, lent: int
) -> None:
    slug = f"desk{next(COUNT)}"
    floor.killed(f"line.call.{point}", "call", slug)
    told = floor.recover(slug, "over")
    assert told == {"calls": [], "number": False, "busy": 0, "lent": lent}


@pytest.mark.parametrize("point", ["after_end", "after_release"])
def test_an_end_whose_process_dies_is_finished(floor: Floor, point: str) -> None:
    slug = f"desk{next(COUNT)}"
    floor.killed(f"line.call.{point}", "end", slug)
    told = floor.recover(slug, "room")
    assert told == {"calls": [], "number": False, "busy": 0, "lent": 1}
