"""A desk's visits over the API: listed, read with the transcript, moved, given an outcome."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from poolsite import hotpath
from poolsite.access.services import token_create
from queueing.line import desk as commands
from queueing.line.models import Agent, Visit
from queueing.line.services import desks, outcomes, rooms
from queueing.line.services.visits import visit_rate
from tests.line.line_world import LineWorld, make_line
from tests.line.test_api import acts, agent_of, joins
from tests.line.test_desk_setup_api import Person, asks, audited

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


def served(line: LineWorld) -> tuple[Client, Visit]:
    """Return an agent who has served a visitor and has another one in the room."""
    _, joined = joins(line, name="Ann")
    joins(line, name="Bo")
    agent = agent_of(line, "li")
    assert acts(agent, "login").status_code == 200
    line.drain()
    for what, text in (("messages", "Hello"), ("notes", "Wants an invoice")):
        assert acts(agent, what, visit=joined["visit"], id=what, text=text).status_code == 200
    assert acts(agent, "finish", visit=joined["visit"]).status_code == 200
    line.drain()
    visit = Visit.objects.get(public_id=joined["visit"])
    visit_rate(visit=visit, stars=4, comment="Fine")
    return agent, visit


def names(told: Any) -> list[str]:
    return [row["name"] for row in told["data"]]


def test_visits_are_filtered_and_paged(line: LineWorld) -> None:
    _agent, visit = served(line)
    joins(line, name="Cy")
    line.drain()
    viewer = Person(line, "sue", "supervisor")
    user = Agent.objects.get(name="Li").user_id
    soon = (timezone.now() + timedelta(hours=1)).isoformat().replace("+", "%2B")
    for query, found in (
        ("", ["Cy", "Bo", "Ann"]),
        ("?state=ended", ["Ann"]),
        ("?state=room", ["Bo"]),
        ("?state=waiting", ["Cy"]),
        ("?rating=4", ["Ann"]),
        ("?rating=5", []),
        (f"?agent={user}", ["Bo", "Ann"]),
        ("?queue=support-help&limit=2", ["Cy", "Bo"]),
        (f"?joined_from={soon}", []),
        (f"?joined_until={soon}", ["Cy", "Bo", "Ann"]),
    ):
        assert names(viewer.asks("get", f"/visits{query}")) == found, query
    first = viewer.asks("get", "/visits?limit=2")
    assert names(viewer.asks("get", f"/visits?limit=2&cursor={first['next']}")) == ["Ann"]
    row = viewer.asks("get", "/visits?state=ended")["data"][0]
    assert (row["visit"], row["end"], row["rating"]) == (visit.public_id, "served", 4)
    for bad in ("?state=x", "?rating=9", "?nothing=1", "?joined_from=2026-01-01"):
        assert viewer.asks("get", f"/visits{bad}", status=422)["type"] == "malformed"
    assert viewer.asks("get", "/visits?queue=none", status=404)["type"] == "unknown-queue"


def test_a_transcript_is_read_by_who_may_see_the_notes(line: LineWorld) -> None:
    agent, visit = served(line)
    path = f"desks/support/visits/{visit.public_id}"
    told = asks(Person(line, "sue", "supervisor").client, "get", path)
    assert [(row["author"], row["text"]) for row in told["messages"]][-2:] == [
        ("agent", "Hello"),
        ("note", "Wants an invoice"),
    ]
    assert {row["kind"] for row in told["events"]} >= {"room", "end"}
    assert [room["name"] for room in told["rooms"]] == ["Li"]
    assert (told["state"], told["comment"]) == ("ended", "Fine")
    stranger = Person(make_line("other"), "eve", "owner")
    assert asks(stranger.client, "get", path, status=404)["type"] == "unknown-visit"
    assert asks(stranger.client, "get", path.replace("support", "other"), status=404)
    # the agent has left this room, and has the next visitor's
    assert asks(agent, "get", path, status=403)["type"] == "forbidden"
    running = Visit.objects.get(name="Bo")
    assert asks(agent, "get", f"desks/support/visits/{running.public_id}")["state"] == "room"
    for action, status in (("line.view", 200), ("line.visit", 403)):
        _, token = token_create(
            name=action, account=line.account, resources=["*"], actions=[action], actor="test"
        )
        asks(Client(headers={"authorization": f"Bearer {token}"}), "get", path, status=status)


def test_a_supervisor_moves_a_visitor_and_sets_an_outcome(line: LineWorld) -> None:
    _agent, visit = served(line)
    other = desks.queue_create(actor="test", desk=line.desk, slug="returns", name="Returns")
    outcomes.outcomes_usual(actor="test", desk=line.desk)
    code = line.desk.outcome_codes.first()
    assert code is not None
    _, waiting = joins(line, name="Cy")
    line.drain()
    supervisor, owner = Person(line, "sue", "supervisor"), Person(line, "ada", "owner")
    moved = f"/visits/{waiting['visit']}/move"
    owner.asks("post", moved, {"queue": "returns"}, 403)
    assert supervisor.asks("post", moved, {"queue": "none"}, 404)["type"] == "unknown-queue"
    supervisor.asks("post", moved, {"queue": "returns", "reason": "Wrong queue"})
    assert hotpath.run(commands.place("support", waiting["visit"])).queue == other.pk
    assert audited("line.visit_move").reason == "Wrong queue"
    over = supervisor.asks("post", f"/visits/{visit.public_id}/move", {"queue": "returns"}, 409)
    assert over["type"] == "visit-ended"
    part = f"/visits/{visit.public_id}/outcome"
    owner.asks("post", part, {"outcome": code.pk}, 403)
    assert supervisor.asks("post", part, {"outcome": code.pk})["outcome"] == code.pk
    visit.refresh_from_db()
    assert visit.outcome_code == code
    assert supervisor.asks("post", part, {"outcome": 999}, 404)["type"] == "no-such-outcome"
    assert supervisor.asks("post", part, {"outcome": None})["outcome"] is None
    assert supervisor.asks("post", part, {}, 422)["type"] == "malformed"


def test_an_agent_reads_its_own_history(line: LineWorld) -> None:
    agent, visit = served(line)
    running = Visit.objects.get(name="Bo")
    rooms.message_send(visit=running, author="visitor", client_id="1", text="x")
    (room,) = asks(agent, "get", "agent/history")["data"]
    assert (room["visit"], room["rating"]) == (visit.public_id, 4)
    assert asks(agent, "get", "agent/history?q=invoice&stars=4")["data"] == [room]
    assert asks(agent, "get", "agent/history?stars=3")["data"] == []
    assert asks(agent, "get", "agent/history?days=999", status=422)["type"] == "malformed"
    told = asks(agent, "get", f"agent/history/{visit.public_id}")
    assert (told["messages"][-1]["text"], told["may_choose"]) == ("Wants an invoice", True)
    assert (
        asks(agent, "get", f"agent/history/{running.public_id}", status=404)["type"]
        == "unknown-visit"
    )
    user = Agent.objects.get(name="Li").user_id
    _, token = token_create(name="t", account=line.account, resources=["*"], actor="test")
    machine = Client(headers={"authorization": f"Bearer {token}"})
    assert asks(machine, "get", f"agent/history?agent={user}")["data"] == [room]
    assert asks(machine, "get", "agent/history", status=404)["type"] == "unknown-agent"
