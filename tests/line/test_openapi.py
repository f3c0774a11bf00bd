"""The OpenAPI document describes the line's requests and answers; the answers conform to it."""

from typing import Any

import jsonschema_rs
import pytest
from django.core.cache import cache
from django.test import Client

from poolsite.access.services import membership_set
from queueing.line.services.left_messages import message_leave
from tests.access.world import make_world
from tests.line.line_world import LineWorld, make_line
from tests.line.test_api import Caller, acts, agent_of, joins

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
PARTS = ("/api/v1/queues/", "/api/v1/visits/", "/api/v1/agent/", "/api/v1/desks/")
JSON = "application/json"


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


@pytest.fixture
def document() -> dict[str, Any]:
    found: dict[str, Any] = Client().get("/api/v1/openapi.json").json()
    return found


def schema_of(document: dict[str, Any], path: str, method: str, status: int) -> dict[str, Any]:
    answer = document["paths"][path][method]["responses"][str(status)]
    kind = JSON if status < 400 else "application/problem+json"
    found: dict[str, Any] = answer["content"][kind]["schema"]
    return {**found, "components": document["components"]}


def assert_told(document: dict[str, Any], path: str, method: str, answer: Any) -> Any:
    """Check that the answer conforms to the document's schema for its status. Return its body."""
    schema = schema_of(document, f"/api/v1/{path}", method, answer.status_code)
    faults = [
        str(fault) for fault in jsonschema_rs.validator_for(schema).iter_errors(answer.json())
    ]
    assert faults == [], (path, answer.json())
    return answer.json()


def test_every_answer_of_the_line_is_typed(document: dict[str, Any]) -> None:
    untyped = [
        (method, path, status)
        for path, methods in document["paths"].items()
        if path.startswith(PARTS)
        for method, operation in methods.items()
        for status, answer in operation["responses"].items()
        if "transcript" not in path and status != "204"
        if not all(
            "$ref" in each["schema"]
            for each in answer.get("content", {"": {"schema": {}}}).values()
        )
    ]
    assert untyped == []
    assert sum(path.startswith(PARTS) for path in document["paths"]) >= 28


def test_the_transcript_is_documented_as_the_text_that_it_is(
    line: LineWorld, document: dict[str, Any]
) -> None:
    visitor, joined = joins(line, name="Ann")
    answer = visitor.get(f"visits/{joined['visit']}/transcript")
    responses = document["paths"]["/api/v1/visits/{visit}/transcript"]["get"]["responses"]
    assert list(responses["200"]["content"]) == ["text/plain"]
    assert answer["Content-Type"].startswith("text/plain")


def test_every_route_of_an_agent_tells_how_a_token_names_the_agent(
    document: dict[str, Any],
) -> None:
    paths = [path for path in document["paths"] if path.startswith("/api/v1/agent/")]
    assert len(paths) >= 21
    for path in paths:
        for operation in document["paths"][path].values():
            named = [each for each in operation["parameters"] if each["name"] == "agent"]
            assert [each["in"] for each in named] == ["query"], path


def test_a_whole_visit_answers_as_the_document_says(
    line: LineWorld, document: dict[str, Any]
) -> None:
    visitor, joined = joins(line, name="Ann")
    path = f"visits/{joined['visit']}"
    told = Caller().post("queues/support-help/join", name="Bo")
    assert assert_told(document, "queues/{slug}/join", "post", told)["token"]
    again = assert_told(
        document, "queues/{slug}/join", "post", visitor.post("queues/support-help/join", name="Ann")
    )
    assert "token" not in again
    assert_told(document, "queues/{slug}", "get", visitor.get("queues/support-help"))
    left = visitor.post("queues/support-help/left-messages", name="A", contact="138", text="x")
    assert_told(document, "queues/{slug}/left-messages", "post", left)
    agent = agent_of(line, "li")
    for what in ("login", "beat"):
        assert_told(document, f"agent/{what}", "post", acts(agent, what))
    rooms = assert_told(document, "agent/rooms", "get", agent.get("/api/v1/agent/rooms"))
    assert rooms["slots"][0]["name"] == "Ann"
    assert_told(document, "agent/colleagues", "get", agent.get("/api/v1/agent/colleagues"))
    other = told.json()["visit"]
    why = assert_told(document, "agent/why/{visit}", "get", agent.get(f"/api/v1/agent/why/{other}"))
    assert why["agents"]
    said = acts(agent, "messages", visit=joined["visit"], id="1", text="Hello")
    assert_told(document, "agent/messages", "post", said)
    assert_told(document, "visits/{visit}/messages", "get", visitor.get(f"{path}/messages"))
    assert_told(document, "visits/{visit}/beat", "post", visitor.post(f"{path}/beat"))
    done = acts(agent, "finish", visit=joined["visit"])
    assert assert_told(document, "agent/finish", "post", done)["slots"][0]["visit"] == other
    line.drain()
    assert assert_told(document, "visits/{visit}", "get", visitor.get(path))["word"] == "served"
    assert_told(document, "visits/{visit}/rating", "post", visitor.post(f"{path}/rating", stars=4))
    for refused, known in (
        (visitor.get("visits/somebodyelse"), "visits/{visit}"),
        (visitor.get("queues/nothing"), "queues/{slug}"),
    ):
        assert refused.status_code == 404
        assert_told(document, known, "get", refused)


def test_a_desk_answers_as_the_document_says(line: LineWorld, document: dict[str, Any]) -> None:
    world = make_world()
    membership_set(user=world.users["foreign"], account=line.account, roles=["owner"], actor="test")
    client = world.client("foreign")
    joins(line, name="Ann")
    line.agent("li", online=True)
    line.drain()
    message = message_leave(queue=line.queue, name="A", contact="138", text="x", wants_call=True)
    desk = "/api/v1/desks/support"
    for by in ("time", "queue", "agent"):
        told = client.get(f"{desk}/report?by={by}&from=2026-01-01")
        report = assert_told(document, "desks/{slug}/report", "get", told)
        assert report["total"]["arrivals"] == 1
    for part in ("floor", "queues/support-help/why"):
        told = client.get(f"{desk}/{part}")
        assert_told(
            document, f"desks/{{slug}}/{part.replace('support-help', '{queue}')}", "get", told
        )
    for query in ("", "?at=1795000000000"):
        told = client.get(f"{desk}/board{query}")
        assert_told(document, "desks/{slug}/board", "get", told)
    listed = client.get(f"{desk}/left-messages")
    assert_told(document, "desks/{slug}/left-messages", "get", listed)
    handled = client.post(f"{desk}/left-messages/{message.pk}/handled", {}, JSON)
    assert_told(document, "desks/{slug}/left-messages/{message}/handled", "post", handled)
    erased = client.post(f"{desk}/erasures", {"contact": "138", "reason": "wish"}, JSON)
    assert_told(document, "desks/{slug}/erasures", "post", erased)
    assert client.get(f"{desk}/report?by=nothing").status_code == 422
    assert client.get(f"{desk}/report?queue=nothing").json()["type"] == "unknown-queue"
