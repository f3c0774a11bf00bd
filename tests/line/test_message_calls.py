"""Calling visitors who left a message, through a number of the pool: once, and returned."""

import itertools
import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from numbers import pool as pool_commands
from numbers import services as numbers
from numbers.models import Pool
from poolsite import hotpath
from poolsite.access.models import AuditEntry
from poolsite.runtime.redis_server import RedisServer
from queueing.line.errors import LineError
from queueing.line.models import LeftMessage, MessageCall
from queueing.line.services import erasing, left_messages, message_calls
from tests.line.line_world import make_line
from tests.live.servers import Site
from tests.numbers.people import make_pool
from tests.support.parts import starts_processes

PROGRAM = "tests/line/message_call_process.py"
COUNT = itertools.count(1)
CALLEE = "+86 139-0000 1111"


class MessageWorld:
    """A desk with a pool of two numbers, two agents, and messages that were left."""

    def __init__(self) -> None:
        self.line = make_line()
        make_pool("calls", account=self.line.account, numbers=2)
        self.line.desk.callback_pool = "calls"
        self.line.desk.save()
        self.li, self.bo = self.line.agent("li"), self.line.agent("bo")
        self.message = self.left("Zoe", CALLEE)

    def left(self, name: str, contact: str) -> LeftMessage:
        return left_messages.message_leave(
            queue=self.line.queue, name=name, contact=contact, text="Hello", wants_call=True
        )

    def call(self, message: LeftMessage | None = None, agent: str = "li") -> MessageCall:
        who = getattr(self, agent)
        return message_calls.message_call(actor="test", agent=who, message=message or self.message)

    def busy(self) -> int:
        figures = hotpath.run(pool_commands.show("calls"))
        assert figures is not None
        return figures.busy_up

    def later(self, **past: float) -> None:
        """Make the next check due, and the call this old."""
        MessageCall.objects.update(
            look_at=timezone.now(), began_at=timezone.now() - timedelta(**past)
        )
        message_calls.sweep_message_calls(0, 1)


@pytest.fixture
def world(clean_redis: RedisServer, transactional_db: None) -> MessageWorld:
    return MessageWorld()


def test_a_call_takes_a_number_once_and_its_end_gives_it_back(world: MessageWorld) -> None:
    call = world.call()
    assert (call.callee, bool(call.number)) == ("+8613900001111", True)
    assert world.call().number == call.number
    world.later(minutes=5)
    assert world.busy() == 1
    with pytest.raises(LineError, match="Another agent is already calling"):
        world.call(agent="bo")
    with pytest.raises(LineError, match="Another agent is already calling"):
        message_calls.message_call_end(actor="test", agent=world.bo, message=world.message)
    with pytest.raises(LineError, match="End your other call first"):
        world.call(world.left("Yi", "13900002222"))
    for _ in range(2):
        message_calls.message_call_end(actor="test", agent=world.li, message=world.message)
    assert (world.busy(), MessageCall.objects.count()) == (0, 0)
    log = AuditEntry.objects.filter(action__startswith="line.message_call")
    assert [each.action for each in log.order_by("pk")] == [
        *("line.message_call", "line.message_call_end")
    ]
    assert "1390000" not in "".join(f"{each.before}{each.after}" for each in log)


def test_many_clicks_at_once_are_one_call(world: MessageWorld) -> None:
    other = world.left("Yi", "13900002222")

    def click(number: int) -> str:
        try:
            return world.call(other if number % 4 == 3 else world.message).number
        except LineError as error:
            return error.detail
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(click, range(8)))
    call = MessageCall.objects.get()
    clicks = 6 if call.message == world.message else 2
    assert answers.count(call.number) == clicks
    assert answers.count("End your other call first.") == 8 - clicks
    assert world.busy() == 1


def test_a_message_that_was_handled_meanwhile_is_not_called(world: MessageWorld) -> None:
    stale = LeftMessage.objects.select_related("queue__desk").get(pk=world.message.pk)
    left_messages.message_handle(actor="test", message=world.message)
    with pytest.raises(LineError, match="Reopen it first"):
        world.call(stale)
    left_messages.message_reopen(actor="test", message=world.message)
    assert world.call(stale).number
    LeftMessage.objects.filter(pk=stale.pk).delete()
    with pytest.raises(LineError, match="Message not found"):
        world.call(stale)


def test_handling_or_erasing_the_message_ends_its_call(world: MessageWorld) -> None:
    world.call()
    left_messages.message_handle(actor="test", message=world.message)
    assert (world.busy(), MessageCall.objects.count()) == (0, 0)
    world.call(world.left("Yi", "13900002222"))
    erasing.visitor_erase(
        actor="test", desk=world.line.desk, contact="13900002222", reason="asked for"
    )
    assert message_calls.sweep_message_calls(0, 1) == {"calls": 1, "failed": 0}
    assert (world.busy(), MessageCall.objects.count()) == (0, 0)


def test_a_forgotten_call_and_one_that_the_pool_took_back_end(world: MessageWorld) -> None:
    world.call()
    world.later(hours=2)
    assert (world.busy(), MessageCall.objects.count()) == (0, 0)
    call = world.call()
    numbers.claim_release(
        actor="test", pool=Pool.objects.get(slug="calls"), operation=call.operation
    )
    world.later(minutes=1)
    assert MessageCall.objects.count() == 0


def test_what_cannot_be_called_is_refused_and_leaves_nothing(world: MessageWorld) -> None:
    with pytest.raises(LineError, match="digits"):
        world.call(world.left("Mail", "zoe@example.org"))
    for number in range(2):
        other = world.line.agent(f"other{number}")
        words = world.left(f"N{number}", f"1390000333{number}")
        message_calls.message_call(actor="test", agent=other, message=words)
    with pytest.raises(LineError, match="No number is free"):
        world.call()
    world.line.desk.callback_pool = "another"
    world.line.desk.save()
    world.li.desk.refresh_from_db()
    with pytest.raises(LineError, match="aren't set up"):
        world.call()
    assert (world.busy(), MessageCall.objects.count()) == (2, 2)


def test_the_page_calls_and_ends(world: MessageWorld) -> None:
    client, other = Client(), Client()
    client.force_login(world.li.user)
    other.force_login(world.bo.user)
    world.left("Mail", "zoe@example.org")
    path = "/desks/support/messages/"
    assert client.get(path).content.count(b'value="call"') == 1  # a mail address has no number
    act = f"{path}{world.message.pk}/"
    assert client.post(act, {"verb": "call"}).status_code == 302
    call = MessageCall.objects.get()
    shown = client.get(path).content.decode()
    assert f"Call {call.callee} from {call.number}" in shown
    assert "Li is calling" in other.get(path).content.decode()
    assert 'value="end-call"' not in other.get(path).content.decode()
    other.post(act, {"verb": "end-call"})
    assert world.busy() == 1
    client.post(act, {"verb": "end-call"})
    assert (world.busy(), MessageCall.objects.count()) == (0, 0)
    world.line.desk.callback_pool = ""
    world.line.desk.save()
    assert b'value="call"' not in client.get(path).content


# -- killed between every two steps ----------------------------------------------------------------


@pytest.fixture(scope="module")
@starts_processes
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("floor")
    redis = RedisServer(folder=folder / "redis", append_only=False).start()
    site = Site(folder / "site", redis.url)
    site.migrate()
    yield site
    redis.stop()


@pytest.mark.parametrize(
    ("point", "verb", "lent"),
    [
        ("after_ask", "call", 0),
        ("after_claim", "call", 1),
        ("after_end", "end", 1),
        ("after_release", "end", 1),
    ],
)
def test_a_process_that_dies_leaves_no_number_taken(
    floor: Site, point: str, verb: str, lent: int
) -> None:
    slug = f"desk{next(COUNT)}"
    crash = {"POOLSITE_CRASH_AT": f"line.message_call.{point}", "POOLSITE_CHAOS": "1"}
    done = floor.forked(PROGRAM, verb, slug, **crash)
    assert done.returncode == -signal.SIGKILL, f"{point}: {done.stdout}\n{done.stderr[-2000:]}"
    told = json.loads(floor.run(PROGRAM, "recover", slug).splitlines()[-1])
    assert told == {"calls": [], "busy": 0, "lent": lent}
