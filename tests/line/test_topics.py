"""After each action of a desk the old snapshot plus the changes is the new one, in every topic."""

from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from poolsite import hotpath
from poolsite.access import ANONYMOUS, Decision, Principal, principal_of_user
from poolsite.live import Changes, Topic
from queueing.line import desk as commands
from queueing.line.models import Agent, Visit
from queueing.line.selectors import wallboard, why
from queueing.line.services import beats, desk_settings, desks, erasing, healing, rooms, visits
from queueing.line.topics import visit as visit_topics
from queueing.line.topics.agent import AgentTopic
from queueing.line.topics.desk import DeskListTopic, DeskTopic
from queueing.line.topics.queue import QueueTopic, WaitingTopic
from queueing.line.topics.visit import RoomTopic, TalkTopic, VisitTopic
from tests.access.world import make_world
from tests.line.line_world import make_line
from tests.live.helpers import as_the_browser_gets_it
from tests.support.timers import let_time_pass

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


class Busy:
    """A desk with two agents online, a room, two visitors who wait, and a second queue."""

    def __init__(self) -> None:
        self.line = make_line()
        self.sales = desks.queue_create(
            actor="test", desk=self.line.desk, slug="sales", name="Sales", wrap_up_seconds=30
        )
        self.li = self.line.agent("li", capacity=1, online=True)
        self.room, self.first, self.second = (
            visits.visit_join(queue=self.line.queue, name=name).visit for name in "abc"
        )
        self.wu = self.line.agent("wu", self.sales, online=True)
        self.line.drain()

    @property
    def desk(self) -> Any:
        return self.line.desk

    def fresh(self, visit: Visit) -> Visit:
        return Visit.objects.select_related("desk", "queue").get(pk=visit.pk)

    def agent(self, agent: Agent) -> Agent:
        return Agent.objects.select_related("desk").get(pk=agent.pk)


def say(busy: Busy, author: str, text: str = "Hello") -> None:
    visit = busy.fresh(busy.room)
    agent = busy.li if author != "visitor" else None
    rooms.message_send(visit=visit, author=author, client_id=text, text=text, agent=agent)


def sup(busy: Busy, verb: Callable[..., Any], visit: Visit, **more: Any) -> None:
    verb(actor="test", visit=busy.fresh(visit), **more)


ACTIONS: dict[str, Callable[[Busy], Any]] = {
    "join": lambda busy: visits.visit_join(queue=busy.line.queue, name="d"),
    "join and room": lambda busy: visits.visit_join(queue=busy.sales, name="e"),
    "beat": lambda busy: beats.visit_beat(desk=busy.desk, visit=busy.first.public_id),
    "leave": lambda busy: visits.visit_leave(desk=busy.desk, visit=busy.first.public_id),
    "leave the room": lambda busy: visits.visit_leave(desk=busy.desk, visit=busy.room.public_id),
    "finish": lambda busy: rooms.room_finish(busy.li, busy.room.public_id),
    "pause": lambda busy: rooms.agent_pause(busy.wu, "Lunch"),
    "asked pause": lambda busy: rooms.agent_pause(busy.li, "Lunch"),
    "logout": lambda busy: rooms.agent_logout(busy.wu),
    "log out now": lambda busy: rooms.agent_log_out_now(actor="test", agent=busy.li, reason="x"),
    "transfer": lambda busy: rooms.visit_transfer(
        actor="test", visit=busy.fresh(busy.room), queue=busy.sales
    ),
    "transfer to agent": lambda busy: sup(busy, rooms.visit_take_over, busy.room, agent=busy.wu),
    "move": lambda busy: sup(busy, rooms.visit_move, busy.second, queue=busy.sales),
    "front": lambda busy: sup(
        busy, rooms.visit_move, busy.second, queue=busy.line.queue, front=True
    ),
    "end by supervisor": lambda busy: sup(
        busy, rooms.visit_end_by_supervisor, busy.first, reason="x"
    ),
    "the visitor's words": lambda busy: say(busy, "visitor"),
    "the agent's words": lambda busy: say(busy, "agent"),
    "a note": lambda busy: say(busy, "note"),
    "many words": lambda busy: [say(busy, "visitor", f"word {n}") for n in range(210)],
    "rate": lambda busy: visits.visit_rate(visit=busy.fresh(busy.room), stars=4),
    "configure": lambda busy: desks.queue_configure(
        actor="test", queue=busy.line.queue, max_length=3, longest_wait_alarm_seconds=5
    ),
    "another queue": lambda busy: desks.queue_create(
        actor="test", desk=busy.desk, slug="third", name="Third"
    ),
    "agent configured": lambda busy: desks.agent_configure(
        actor="test", agent=busy.li, capacity=2, queues=[busy.line.queue, busy.sales]
    ),
    "another agent": lambda busy: busy.line.agent("bo", online=True),
    "close": lambda busy: desk_settings.closure_save(
        actor="test", queue=busy.line.queue, day=busy.room.joined_at.date(), spans=[]
    ),
    "sweep": lambda busy: let_time_pass("line.desk"),
    "drain": lambda busy: busy.line.drain(),
    "end and erase": lambda busy: [
        visits.visit_leave(desk=busy.desk, visit=busy.first.public_id),
        busy.line.drain(),
        erasing.visitor_erase(
            actor="test", desk=busy.desk, visit=busy.first.public_id, reason="wish"
        ),
    ],
}


@pytest.fixture
def busy() -> Busy:
    return Busy()


def topics(busy: Busy) -> list[Topic]:
    found: list[tuple[type[Topic], str]] = [
        (DeskTopic, busy.desk.slug),
        (QueueTopic, busy.line.queue.slug),
        (QueueTopic, busy.sales.slug),
        (WaitingTopic, busy.line.queue.slug),
        (WaitingTopic, busy.sales.slug),
        (AgentTopic, str(busy.li.user_id)),
        (AgentTopic, str(busy.wu.user_id)),
        *((VisitTopic, each.public_id) for each in (busy.room, busy.first, busy.second)),
        (TalkTopic, busy.room.public_id),
        (RoomTopic, busy.room.public_id),
    ]
    return [kind(key) for kind, key in found]


@pytest.mark.parametrize("name", list(ACTIONS))
async def test_a_snapshot_and_its_changes_are_the_new_snapshot(name: str, busy: Busy) -> None:
    operator = await sync_to_async(operator_of_world)()
    watched = topics(busy)
    for topic in watched:
        assert await topic.allowed(operator) is Decision.ALLOW
    before = [await topic.snapshot() for topic in watched]
    await sync_to_async(ACTIONS[name], thread_sensitive=True)(busy)
    wallboard._DAY.clear()
    why._STANDS.clear()
    for topic, old in zip(watched, before, strict=True):
        if isinstance(topic, DeskTopic):
            topic._read_at = float("-inf")  # its next reading is due
        if isinstance(topic, QueueTopic):
            topic._counted_at = float("-inf")  # so is its next count of agents
        await assert_follows(topic, old, operator)


async def assert_follows(topic: Topic, before: Any, operator: Any) -> None:
    changes = await topic.changes(before.version)
    assert changes is not None, topic.address
    state = as_the_browser_gets_it(before.data)
    for part in [*changes.before, *([] if changes.data is None else [changes.data])]:
        state = topic.apply(state, as_the_browser_gets_it(part))
    other = type(topic)(topic.key)
    await other.allowed(operator)
    after = await other.snapshot()
    assert still(topic, state) == still(topic, as_the_browser_gets_it(after.data)), topic.address


def still(topic: Topic, state: Any) -> Any:
    """Return the state without what other topics send (line.visit's place: by line.queue)."""
    if isinstance(topic, VisitTopic):
        return {name: state[name] for name in state if name not in ("seq", "ahead", "estimate")}
    if isinstance(topic, QueueTopic):
        return {name: state[name] for name in state if name != "seq"}
    return state


def operator_of_world() -> Any:
    return principal_of_user(make_world().users["looker"])


@pytest.mark.parametrize("reading", ["last_number", "messages_after"])
async def test_what_is_said_while_a_transcript_is_read_reaches_its_watchers(
    reading: str, busy: Busy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message between the first reading and the second is not behind the snapshot's version."""
    read = getattr(visit_topics, reading)

    def read_and_say(*given: Any) -> Any:
        monkeypatch.undo()
        found = read(*given)
        say(busy, "visitor", "meanwhile")
        return found

    topic = RoomTopic(busy.room.public_id)
    await topic.allowed(await sync_to_async(operator_of_world)())
    monkeypatch.setattr(visit_topics, reading, read_and_say)
    before = await topic.snapshot()
    changes = await topic.changes(before.version)
    assert changes is not None
    now = before.data if changes.data is None else topic.apply(before.data, changes.data)
    assert [each["text"] for each in now["messages"]] == ["meanwhile"]


async def test_foreign_desks_look_missing(busy: Busy) -> None:
    world = await sync_to_async(lambda: make_world().with_everybody())()
    for topic in topics(busy):
        for reader in ("owner", "agent", "roleless"):
            principal = await sync_to_async(principal_of_user)(world.users[reader])
            assert await topic.allowed(principal) is Decision.HIDDEN, topic.address
        assert await topic.allowed(ANONYMOUS) is Decision.LOGIN, topic.address


async def test_the_place_of_who_waits_follows_the_moves_of_the_queue(busy: Busy) -> None:
    """Do what a visitor's page does: its own place plus every move before it."""
    topic = QueueTopic(busy.line.queue.slug)
    await topic.allowed(await sync_to_async(operator_of_world)())
    place = commands.place(busy.desk.slug, busy.second.public_id)
    standing = await hotpath.arun(place)
    before = await topic.snapshot()
    act = sync_to_async(ACTIONS["leave"], thread_sensitive=True)
    await act(busy)
    changes = await topic.changes(before.version)
    assert changes is not None
    mine = (standing.priority, standing.ticket)
    moves = [move for part in [*changes.before, changes.data] for move in part["moves"]]
    ahead = standing.ahead + sum(step for _, c, t, step in moves if (c, t) < mine)
    assert ahead == (await hotpath.arun(place)).ahead == 0


async def test_a_heartbeat_says_whether_the_visit_is_to_be_read_again(busy: Busy) -> None:
    topic = VisitTopic(busy.first.public_id)
    visitor = Principal(kind="visitor", id=busy.first.public_id)
    assert await topic.allowed(await sync_to_async(operator_of_world)()) is Decision.ALLOW
    assert not await topic.beat(visitor)  # no one has read it yet
    before = await topic.snapshot()
    assert not await topic.beat(visitor)
    await sync_to_async(rooms.room_finish)(busy.li, busy.room.public_id)
    assert await topic.beat(visitor)
    changes = await topic.changes(before.version)
    assert changes is not None
    assert (changes.data["answer"], changes.data["agent"]) == ("room", busy.li.name)
    assert not await topic.beat(visitor)


async def test_a_rebuilt_desks_place_replaces_the_one_of_before(busy: Busy) -> None:
    """Its numbers begin again: an old one would be later than every move that follows."""
    topic = VisitTopic(busy.second.public_id)
    assert await topic.allowed(await sync_to_async(operator_of_world)()) is Decision.ALLOW
    before = await topic.snapshot()
    assert before.data["answer"] == "waiting"
    await sync_to_async(lose_and_rebuild, thread_sensitive=True)()
    assert await topic.beat(Principal(kind="visitor", id=busy.second.public_id))
    changes = await topic.changes(before.version)
    assert changes is not None
    assert changes.version != before.version
    now = await hotpath.arun(commands.place(busy.desk.slug, busy.second.public_id))
    assert changes.data["seq"] == now.seq < before.data["seq"]
    assert {**changes.data, "seq": 0, "estimate": 0} == {**before.data, "seq": 0, "estimate": 0}
    assert (await topic.changes(changes.version)) == Changes(changes.version, None)


def lose_and_rebuild() -> None:
    hotpath.client().flushall()
    assert healing.watch_desks(0, 1)["rebuilt"] == 1


async def test_the_list_of_desks_tells_who_may_watch_what_changed(busy: Busy) -> None:
    slug, account_id = busy.desk.slug, busy.desk.account_id
    topic = DeskListTopic(str(account_id))
    world = await sync_to_async(lambda: make_world().with_everybody())()
    readers = [
        await sync_to_async(principal_of_user)(world.users[name]) for name in ("looker", "owner")
    ]
    assert [await topic.allowed(each) for each in readers] == [Decision.ALLOW, Decision.HIDDEN]
    assert await DeskListTopic("all").allowed(readers[1]) is Decision.FORBIDDEN
    before = await topic.snapshot()
    row = dict(before.data["rows"][slug])
    assert row.pop("oldest_ms") > 0
    assert row == {
        "name": busy.desk.name, "status": "open", "queues": 2, "waiting": 2, "free": 1,
    }  # fmt: skip
    await sync_to_async(ACTIONS["leave"])(busy)
    change = await topic.changes(before.version)
    assert change is not None
    assert change.data["set"][slug]["waiting"] == 1
