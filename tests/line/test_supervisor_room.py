"""A supervisor in a room: whispers that visitors never get, joining, leaving, taking over."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache
from django.test import Client

from poolsite import hotpath
from poolsite.access import principal_of_user
from poolsite.access.models import AuditEntry, User
from poolsite.access.services import membership_set, token_create, user_create
from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk as commands
from queueing.line.models import Agent, Message, RoomEvent, RoomGuest
from queueing.line.selectors import stories
from queueing.line.services import desks, visits
from queueing.line.topics.visit import RoomTopic, TalkTopic
from tests.line.line_world import LineWorld, make_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
JSON = "application/json"
SECRET = "Offer the refund"


@dataclass
class Room:
    """A visitor with an agent, and a supervisor who is about to come in."""

    line: LineWorld
    agent: Agent
    visit: str
    token: str
    boss: User

    def of(self, user: User) -> Client:
        client = Client()
        client.force_login(user, backend="poolsite.access.backends.NameOrEmailBackend")
        return client

    def does(self, verb: str, by: User | None = None, **body: Any) -> Any:
        url = f"/api/v1/desks/support/visits/{self.visit}/{verb}"
        return self.of(by or self.boss).post(url, body, JSON)

    def visitor_gets(self, path: str) -> str:
        headers = {"Authorization": f"Bearer {self.token}"}
        return Client().get(f"/api/v1/visits/{self.visit}{path}", headers=headers).text

    def events(self) -> list[tuple[str, str]]:
        self.line.drain()
        rows = RoomEvent.objects.filter(kind__startswith="guest_").order_by("seq")
        return list(rows.values_list("kind", "actor"))

    def audits(self) -> list[str]:
        rows = AuditEntry.objects.filter(action__startswith="line.room_").order_by("pk")
        return list(rows.values_list("action", flat=True))


@pytest.fixture
def room() -> Room:
    cache.clear()
    line = make_line()
    agent = line.agent("li", online=True)
    joined = visits.visit_join(queue=line.queue, name="Ann")
    line.drain()
    boss = user_create(username="zhao", actor="test", full_name="Zhao Min")
    membership_set(user=boss, account=line.account, roles=["supervisor"], actor="test")
    return Room(line, agent, joined.visit.public_id, joined.token, User.objects.get(pk=boss.pk))


def words_of(topic: type[TalkTopic], visit: str) -> list[dict[str, Any]]:
    async def read() -> Any:
        made = topic(visit)
        return [(await made.snapshot()).data, await made.changes(0)]

    snapshot, changes = async_to_sync(read)()
    told = changes.data["messages"] if changes.data is not None else []
    assert told == snapshot["messages"]
    found: list[dict[str, Any]] = snapshot["messages"]
    return found


# -- whisper ---------------------------------------------------------------------------------------


def test_a_whisper_reaches_the_agent_with_the_supervisors_name(room: Room) -> None:
    said = room.does("whisper", id="1", text=SECRET).json()
    assert (said["author"], said["name"], said["text"]) == ("whisper", "Zhao Min", SECRET)
    assert room.does("whisper", id="1", text=SECRET).json()["number"] == said["number"]
    (told,) = words_of(RoomTopic, room.visit)
    assert (told["author"], told["name"], told["text"]) == ("whisper", "Zhao Min", SECRET)
    assert room.events() == [("guest_whispered", "Zhao_Min")]
    assert room.audits() == ["line.room_whisper"]


def test_no_face_of_the_visitor_shows_a_whisper(room: Room) -> None:
    room.does("whisper", id="1", text=SECRET)
    room.line.drain()
    assert words_of(TalkTopic, room.visit) == []
    for path in ("/messages", "/messages?after=0", "/transcript", "", "/why"):
        told = room.visitor_gets(path)
        assert SECRET not in told
        assert "whisper" not in told, path
        assert "zhao" not in told.lower(), path


def test_a_machine_that_only_visits_sees_no_whisper(room: Room) -> None:
    room.does("whisper", id="1", text=SECRET)
    made = token_create(
        name="widget",
        account=room.line.account,
        resources=["*"],
        actions=["line.visit"],
        actor="test",
    )
    headers = {"Authorization": f"Bearer {made[1]}"}
    for path in ("messages", "transcript"):
        url = f"/api/v1/visits/{room.visit}/{path}"
        answer = Client().get(url, headers=headers)
        assert answer.status_code == 200
        assert SECRET not in answer.text


def test_a_whisper_publishes_nothing_to_the_visitors_sockets(
    room: Room, clean_redis: RedisServer
) -> None:
    with clean_redis.client() as client, client.pubsub() as heard:
        heard.psubscribe("live:to:visitor:*")
        assert heard.get_message(timeout=5)["type"] == "psubscribe"
        room.does("whisper", id="1", text=SECRET)
        room.does("join")
        told = heard.get_message(timeout=5)  # the first message is the join's
        assert json.loads(told["data"])["kind"] == "line.guest_joined"


@pytest.mark.parametrize("author", list(Message.Author))
def test_each_kind_of_message_is_for_the_visitor_or_not(room: Room, author: str) -> None:
    """A new kind must be added to one of the two sides here, too."""
    heard = {"visitor": 1, "agent": 1, "system": 1, "supervisor": 1, "note": 0, "whisper": 0}
    Message.objects.create(
        visit=visits.Visit.objects.get(), number=1, author=author, client_id="1", text=SECRET,
        at="2026-03-02T04:00Z",
    )  # fmt: skip
    assert len(words_of(TalkTopic, room.visit)) == heard[author]
    assert room.visitor_gets("/messages").count(SECRET) == heard[author]
    assert room.visitor_gets("/transcript").count(SECRET) == heard[author]
    assert len(words_of(RoomTopic, room.visit)) == 1


# -- join and leave --------------------------------------------------------------------------------


def test_a_supervisor_joins_speaks_and_leaves_and_both_sides_are_told(room: Room) -> None:
    refused = room.does("messages", id="1", text="Hello")
    assert (refused.status_code, refused.json()["type"]) == (409, "not-joined")
    joined = room.does("join")
    assert joined.json() == {"visit": room.visit, "joined": True, "guests": ["Zhao Min"]}
    assert room.does("join").json() == joined.json()
    assert room.does("messages", id="1", text="Hello").json()["name"] == "Zhao Min"
    assert room.does("leave").json()["guests"] == []
    assert room.does("leave").status_code == 200
    assert room.does("messages", id="2", text="Hello?").json()["type"] == "not-joined"
    told = [
        (each["author"], each["name"], each["text"]) for each in words_of(TalkTopic, room.visit)
    ]
    assert told == [
        ("system", "Zhao Min", "joined"),
        ("supervisor", "Zhao Min", "Hello"),
        ("system", "Zhao Min", "left"),
    ]
    assert words_of(RoomTopic, room.visit) == words_of(TalkTopic, room.visit)
    assert room.events() == [("guest_joined", "Zhao_Min"), ("guest_left", "Zhao_Min")]
    assert room.audits() == ["line.room_join", "line.room_leave"]
    lines = room.visitor_gets("/transcript").splitlines()
    assert [line.split("  ", 1)[1] for line in lines][-3:] == [
        "* Zhao Min joined",
        "Zhao Min: Hello",
        "* Zhao Min left",
    ]
    reader = principal_of_user(room.boss)
    story = [line.text for line in stories.story(visits.Visit.objects.get(), reader)]
    assert "Zhao Min joined the room." in story


def test_nobody_joins_or_whispers_where_there_is_no_room(room: Room) -> None:
    hotpath.run(commands.finish("support", room.agent.user_id, room.visit))
    for verb, body in (("join", {}), ("whisper", {"id": "1", "text": "x"})):
        refused = room.does(verb, **body)
        assert (refused.status_code, refused.json()["type"]) == (409, "not-in-room")
    assert not RoomGuest.objects.exists()
    assert not Message.objects.exists()


# -- take over -------------------------------------------------------------------------------------


def seat(room: Room, **given: Any) -> Agent:
    """Make the supervisor's own seat at the desk."""
    return desks.agent_create(
        actor="test",
        desk=room.line.desk,
        user=room.boss,
        name="Min",
        queues=[room.line.queue],
        **given,
    )


def test_a_room_moves_to_the_supervisors_own_seat_with_a_reason(room: Room) -> None:
    mine = seat(room)
    hotpath.run(commands.login("support", mine.user_id))
    room.does("join")
    assert room.does("take-over", reason="").status_code == 422
    assert room.does("take-over", reason="Angry customer").json() == {"answer": "ok"}
    standing = hotpath.run(commands.place("support", room.visit))
    assert (standing.answer, standing.agent) == ("room", mine.user_id)
    assert room.does("take-over", reason="Again").json() == {"answer": "ok"}
    entry = AuditEntry.objects.filter(action="line.visit_take_over").earliest("pk")
    assert (entry.reason, entry.after) == ("Angry customer", {"agent": "Min"})
    assert not RoomGuest.objects.filter(left_at=None).exists()


def test_a_take_over_is_refused_with_the_reason(room: Room) -> None:
    assert room.does("take-over", reason="x").json()["type"] == "not-an-agent"
    mine = seat(room)
    for prepare, detail in (
        (lambda: None, "You are offline. Go online first."),
        (lambda: _fill(room, mine), "You have no free room: 1 of 1 in use."),
        (lambda: hotpath.run(commands.pause("support", mine.user_id, "Lunch")), "You are about to"),
    ):
        prepare()
        refused = room.does("take-over", reason="x").json()
        assert refused["type"] == "no-room"
        assert refused["detail"].startswith(detail)
    assert hotpath.run(commands.place("support", room.visit)).agent == room.agent.user_id


def _fill(room: Room, mine: Agent) -> None:
    hotpath.run(commands.login("support", mine.user_id))
    assert visits.visit_join(queue=room.line.queue, name="Bo").standing.agent == mine.user_id


# -- rights ----------------------------------------------------------------------------------------


def test_agents_and_strangers_have_none_of_these_verbs(room: Room) -> None:
    stranger = user_create(username="stranger", actor="test")
    other = make_line("other")
    membership_set(user=stranger, account=other.account, roles=["supervisor"], actor="test")
    for verb, body in (
        ("whisper", {"id": "1", "text": "x"}),
        ("messages", {"id": "1", "text": "x"}),
        ("join", {}),
        ("leave", {}),
        ("take-over", {"reason": "x"}),
    ):
        assert room.does(verb, by=room.agent.user, **body).status_code == 403, verb
        assert room.does(verb, by=stranger, **body).status_code == 404, verb
    headers = {"Authorization": f"Bearer {room.token}"}
    url = f"/api/v1/desks/support/visits/{room.visit}/whisper"
    visitor = Client().post(url, {"id": "1", "text": "x"}, JSON, headers=headers)
    assert visitor.status_code in (403, 404)
    assert not Message.objects.exists()


def test_a_machine_with_the_right_supervises_under_its_own_name(room: Room) -> None:
    made = token_create(
        name="coach",
        account=room.line.account,
        resources=["*"],
        actions=["line.supervise"],
        actor="test",
    )
    headers = {"Authorization": f"Bearer {made[1]}"}
    url = f"/api/v1/desks/support/visits/{room.visit}/whisper"
    said = Client().post(url, {"id": "1", "text": "x"}, JSON, headers=headers)
    assert said.status_code == 200, said.content
    assert said.json()["name"].endswith("coach")


def test_a_supervisor_pauses_an_agent_after_the_rooms_and_logs_one_out(room: Room) -> None:
    client, desk = room.of(room.boss), f"/api/v1/desks/support/agents/{room.agent.user_id}"
    refused = client.post(f"{desk}/pause", {"reason": "Coffee"}, JSON)
    assert refused.json()["type"] == "pause-reason"
    assert client.post(f"{desk}/pause", {"reason": "Meeting"}, JSON).json() == {"answer": "ok"}
    state = hotpath.run(commands.agent_state("support", room.agent.user_id))
    assert (state.state, state.pending, state.word) == ("online", "pause", "Meeting")
    assert client.post(f"{desk}/logout", {"reason": "Shift is over"}, JSON).status_code == 200
    assert hotpath.run(commands.agent_state("support", room.agent.user_id)).state == "offline"
    actions = AuditEntry.objects.filter(action__startswith="line.agent_").values_list(
        "action", "reason"
    )
    assert ("line.agent_pause", "") in actions
    assert ("line.agent_log_out", "Shift is over") in actions
