"""The line over HTTP: a visitor's whole visit, an agent's whole turn, a machine's, and refusals."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from poolsite import hotpath
from poolsite.access.services import token_create
from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk as commands
from queueing.line.api.credentials import COMES_PER_MINUTE
from queueing.line.models import LeftMessage, Message, Visit
from queueing.line.services.desks import queue_configure, queue_create
from tests.line.line_world import LineWorld, make_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
JSON = "application/json"


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


class Caller:
    """A client with a token, or without any credentials."""

    def __init__(self, token: str = "", address: str = "10.1.0.1") -> None:
        self.client = Client(REMOTE_ADDR=address)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def get(self, path: str) -> Any:
        return self.client.get(f"/api/v1/{path}", headers=self.headers)

    def post(self, path: str, **body: Any) -> Any:
        return self.client.post(f"/api/v1/{path}", body, JSON, headers=self.headers)


def joins(line: LineWorld, **body: Any) -> tuple[Caller, dict[str, Any]]:
    answer = Caller(address=body.pop("address", "10.1.0.1")).post(
        f"queues/{line.queue.slug}/join", **body
    )
    assert answer.status_code == 200, answer.content
    return Caller(answer.json()["token"]), answer.json()


def agent_of(line: LineWorld, name: str, **given: Any) -> Client:
    """Return an agent's browser, logged in by session. CSRF is checked."""
    made = line.agent(name, **given)
    client = Client(enforce_csrf_checks=True)
    client.force_login(made.user, backend="poolsite.access.backends.NameOrEmailBackend")
    return client


def acts(client: Client, what: str, **body: Any) -> Any:
    assert client.get("/profile/").status_code == 200
    csrf = client.cookies["csrf"].value
    return client.post(f"/api/v1/agent/{what}", body, JSON, headers={"X-CSRFToken": csrf})


def test_a_visit_from_joining_to_its_transcript(line: LineWorld) -> None:
    visitor, joined = joins(line, name="Ann\x00 <b>", topic="bill")
    assert (joined["answer"], joined["ahead"], joined["queue"]) == ("waiting", 0, "support-help")
    path = f"visits/{joined['visit']}"
    again = visitor.post("queues/support-help/join", name="Ann").json()
    assert (again["visit"], again["ticket"]) == (joined["visit"], joined["ticket"])
    agent = agent_of(line, "li")
    state = acts(agent, "login").json()
    assert [(slot["kind"], slot["visit"]) for slot in state["slots"]] == [("room", joined["visit"])]
    assert "agent became free" in state["slots"][0]["why"]
    line.drain()
    beat = visitor.post(f"{path}/beat", place=joined["place"]).json()
    assert (beat["answer"], beat["agent"]) == ("room", "Li")
    said = visitor.post(f"{path}/messages", id="m1", text="<script>1</script>").json()
    assert visitor.post(f"{path}/messages", id="m1", text="again").json() == said
    assert acts(agent, "messages", visit=joined["visit"], id="a1", text="Hello").status_code == 200
    assert acts(agent, "notes", visit=joined["visit"], id="n1", text="secret").status_code == 200
    seen = visitor.get(f"{path}/messages").json()["messages"]
    assert [row["text"] for row in seen] == ["<script>1</script>", "Hello"]
    assert visitor.post(f"{path}/typing").status_code == 200
    assert acts(agent, "finish", visit=joined["visit"]).json()["slots"] == []
    line.drain()
    assert visitor.get(path).json()["answer"] == "ended"
    assert visitor.post(f"{path}/rating", stars=5).json()["stars"] == 5
    text = visitor.get(f"{path}/transcript")
    assert text["Content-Type"].startswith("text/plain")
    assert b"<script>1</script>" in text.content
    assert b"secret" not in text.content


def test_a_long_conversation_is_read_page_by_page(line: LineWorld) -> None:
    visitor, joined = joins(line, name="Ann")
    row = Visit.objects.get(public_id=joined["visit"])
    same = {"visit": row, "author": "agent", "text": "x", "at": row.joined_at}
    Message.objects.bulk_create(Message(number=n, client_id=n, **same) for n in range(1, 431))
    found: list[int] = []
    while True:
        after = found[-1] if found else 0
        some = visitor.get(f"visits/{row.public_id}/messages?after={after}").json()["messages"]
        found += [each["number"] for each in some]
        if len(some) < 200:
            break
    assert found == list(range(1, 431))


@pytest.mark.parametrize("drained", [True, False], ids=["SQL knows", "only Redis knows"])
def test_whoever_was_lost_in_a_room_is_at_the_head_again_once(
    line: LineWorld, drained: bool
) -> None:
    def ends(visit: str, outcome: str) -> None:
        assert hotpath.run(commands.leave(line.desk.slug, visit, outcome)).answer == "ended"
        if drained:
            line.drain()

    visitor, lost = joins(line, name="Ann")
    joins(line, name="Bo")
    ends(lost["visit"], "visitor lost")
    again = visitor.post("queues/support-help/join").json()
    assert (again["answer"], again["ahead"], again["ticket"]) == ("waiting", 0, lost["ticket"])
    assert visitor.post("queues/support-help/join").json()["visit"] == again["visit"]
    ends(again["visit"], "left")
    new = visitor.post("queues/support-help/join").json()
    assert (new["answer"], new["ahead"]) == ("waiting", 1)


def test_a_token_opens_its_own_visit_and_nothing_else(line: LineWorld) -> None:
    first, _ = joins(line, name="a")
    _, other = joins(line, name="b")
    for part in ("beat", "leave", "messages", "rating", "typing"):
        assert first.post(f"visits/{other['visit']}/{part}").status_code == 404
        assert Caller().post(f"visits/{other['visit']}/{part}").status_code == 401
    assert first.get(f"visits/{other['visit']}/transcript").status_code == 404
    assert first.post("agent/login").status_code == 403
    assert Visit.objects.filter(ended_at=None).count() == 2


@pytest.mark.processes
def test_without_redis_a_visitor_is_told_to_try_again(
    line: LineWorld, clean_redis: RedisServer
) -> None:
    """A visitor's identity is read from Redis, too, by a middleware before any route."""
    visitor, visit = joins(line, name="Ann")
    visitor.client.raise_request_exception = False
    clean_redis.kill()
    try:
        refused = visitor.post(f"visits/{visit['visit']}/leave")
    finally:
        clean_redis.start()
    assert (refused.status_code, refused.json()["type"]) == (503, "unavailable")
    assert refused["Retry-After"]
    assert not Visit.objects.exclude(ended_at=None).exists()


def test_a_session_without_the_csrf_token_changes_nothing(line: LineWorld) -> None:
    client = agent_of(line, "li")
    assert client.post("/api/v1/agent/login", {}, JSON).status_code == 401
    assert client.get("/api/v1/agent/rooms").json()["state"] == "offline"


def test_a_machine_joins_with_a_class_and_serves_for_an_agent(line: LineWorld) -> None:
    agent = line.agent("li")
    _, secret = token_create(
        name="acd",
        account=line.account,
        resources=["desk:support"],
        actions=["line.visit", "line.serve"],
        expires_at=timezone.now() + timedelta(days=1),
        actor="test",
    )
    acd = Caller(secret)
    joined = acd.post("queues/support-help/join", name="Call 7", priority=1).json()
    assert joined["priority"] == 1
    assert acd.post("agent/login").json()["type"] == "unknown-agent"
    rooms = acd.post(f"agent/login?agent={agent.user_id}").json()
    assert rooms["slots"][0]["visit"] == joined["visit"]
    assert acd.post(f"visits/{joined['visit']}/beat").json()["answer"] == "room"
    foreign = make_line("other").agent("wu")
    assert acd.post(f"agent/login?agent={foreign.user_id}").status_code == 404
    assert acd.post("queues/other-help/join").json()["type"] == "unknown-queue"


def test_an_offer_is_declined_and_accepted_and_late(line: LineWorld) -> None:
    queue_create(actor="test", desk=line.desk, slug="offers", name="Offers", mode="offer")
    queue = line.desk.queues.get(slug="offers")
    agent = line.agent("li", queue)
    client = Client(enforce_csrf_checks=True)
    client.force_login(agent.user, backend="poolsite.access.backends.NameOrEmailBackend")
    acts(client, "login")
    joined = Caller().post("queues/offers/join", name="a").json()
    state = client.get("/api/v1/agent/rooms").json()
    assert [slot["kind"] for slot in state["slots"]] == ["offer"]
    body = {"visit": joined["visit"], "token": "wrong"}
    assert acts(client, "accept", **body).json()["type"] == "offer-over"
    body["token"] = state["offer_token"]
    assert acts(client, "accept", **body).json()["slots"][0]["kind"] == "room"


def test_a_transcript_says_in_sentences_what_concerns_the_visitor(line: LineWorld) -> None:
    queue_configure(actor="test", queue=line.queue, mode="offer")
    li, wu = agent_of(line, "li"), agent_of(line, "wu")
    acts(li, "login")
    visitor, joined = joins(line, name="Ann")
    token = li.get("/api/v1/agent/rooms").json()["offer_token"]
    acts(wu, "login")
    acts(li, "decline", visit=joined["visit"], token=token)
    token = wu.get("/api/v1/agent/rooms").json()["offer_token"]
    acts(wu, "accept", visit=joined["visit"], token=token)
    acts(wu, "finish", visit=joined["visit"])
    line.drain()
    text = visitor.get(f"visits/{joined['visit']}/transcript").content.decode()
    assert [each.partition("  ")[2] for each in text.splitlines()] == [
        "Ann joined Help",
        "* Room with Wu started.",
        "* The visit ended: served.",
    ]


def test_a_transfer_leaves_the_own_room_alone_to_others(line: LineWorld) -> None:
    second = queue_create(actor="test", desk=line.desk, slug="second", name="Second")
    owner, other = agent_of(line, "li"), agent_of(line, "wu")
    _, joined = joins(line, name="a")
    acts(owner, "login")
    body = {"visit": joined["visit"], "queue": second.slug}
    assert acts(other, "transfer", **body).json()["type"] == "not-yours"
    assert acts(other, "messages", visit=joined["visit"], id="1", text="x").status_code == 409
    assert acts(owner, "transfer", visit=joined["visit"]).json()["type"] == "unknown-queue"
    assert acts(owner, "transfer", **body).json()["slots"] == []
    why = owner.get(f"/api/v1/agent/why/{joined['visit']}").json()
    assert why["state"] == "waiting"
    names = [row["name"] for row in owner.get("/api/v1/agent/colleagues").json()["queues"]]
    assert sorted(names) == ["Help", "Second"]
    assert Message.objects.count() == 0


def test_a_flood_from_one_address_is_refused_and_others_are_not(line: LineWorld) -> None:
    flooder = Caller(address="10.9.9.9")
    kinds = []
    while "too-many-requests" not in kinds and len(kinds) < 10 * COMES_PER_MINUTE:
        answer = flooder.post("queues/support-help/join").json()
        kinds.append(answer.get("type", answer.get("answer")))
    assert kinds.count("waiting") == 20  # the most that may wait from one address
    assert kinds.count("visitor-blocked") >= COMES_PER_MINUTE - 20
    assert kinds.count("visitor-blocked") + 21 == len(kinds)
    assert kinds[-1] == "too-many-requests"
    joins(line, name="b", address="10.9.9.8")


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("queues/support-help/join", {"name": "x" * 81}, "malformed"),
        ("queues/support-help/join", {"nane": "x"}, "malformed"),
        ("queues/support-help/join", {"name": ["x"]}, "malformed"),
        ("queues/nothing/join", {}, "unknown-queue"),
        ("queues/support-help/join", {"name": "x" * 70_000}, "too-large"),
        ("queues/support-help/left-messages", {"name": "", "contact": "1234"}, "malformed"),
        ("queues/support-help/left-messages", {"name": "a", "contact": "1234"}, "malformed"),
    ],
)
def test_what_is_wrong_is_told_and_changes_nothing(
    line: LineWorld, path: str, body: dict[str, Any], kind: str
) -> None:
    answer = Caller().post(path, **body)
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["type"] == kind
    assert not Visit.objects.exists()
    assert not LeftMessage.objects.exists()


def test_a_closed_queue_takes_a_message_once(line: LineWorld) -> None:
    line.queue.is_open = False
    line.queue.save()
    caller = Caller()
    assert caller.post("queues/support-help/join").json()["type"] == "queue-closed"
    assert caller.get("queues/support-help").json()["open"] is False
    for _ in range(2):
        left = caller.post(
            "queues/support-help/left-messages", name="Ann", contact="138", wants_call=True
        )
        assert left.status_code == 201
    assert LeftMessage.objects.count() == 1


async def test_the_hot_lane_answers_a_poll(line: LineWorld) -> None:
    from asgiref.sync import sync_to_async

    from poolsite.asgi import application

    visitor, joined = await sync_to_async(joins)(line, name="a")
    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        url = f"/api/v1/visits/{joined['visit']}/beat"
        good = await client.post(url, json={}, headers=visitor.headers)
        assert (good.status_code, good.json()["answer"]) == (200, "waiting")
        assert (await client.post(url, json={})).status_code == 401
        foreign = await client.post(
            "/api/v1/visits/somebodyelse/beat", json={}, headers=visitor.headers
        )
        assert foreign.json()["type"] == "unknown-visit"
        large = await client.post(url, content=b"{" + b" " * 70_000, headers=visitor.headers)
        assert large.status_code == 413
        wrong = await client.post(url, json={"place": 7}, headers=visitor.headers)
        assert wrong.json()["type"] == "malformed"
