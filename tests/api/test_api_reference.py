"""The API reference: how it shows the OpenAPI document, and its pages."""

from collections import Counter
from typing import Any

import pytest
from django.test import Client

from billing.api import hot as billing_hot
from numbers.api import hot as numbers_hot
from poolsite.access import principal_of_user
from poolsite.access.models import User
from poolsite.api import lane
from poolsite.api.reference_access import MACHINES, ROOT, WRITERS, accesses_of
from poolsite.api.reference_schema import Schemas
from poolsite.api.root import api
from poolsite.console import navigation
from poolsite.console.templatetags.reference_words import reference_words
from poolsite.reference.document import Operation, groups_of
from queueing.admission.api import hot as admission_hot
from queueing.line.api import hot as line_hot
from tests.access.world import make_world

TREE: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "maxLength": 8},
        "kind": {"anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "null"}]},
        "size": {"type": "integer", "default": 3, "minimum": 1},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
    },
}
SCHEMAS = Schemas({"components": {"schemas": {"Tree": TREE}}})
ONE = {"$ref": "#/components/schemas/Tree"}


def _shown() -> dict[tuple[str, str], Operation]:
    every = [
        each
        for group in groups_of(api.get_openapi_schema(), accesses_of(api))
        for each in group.operations
    ]
    return {(each.method.lower(), each.path): each for each in every}


def test_each_operation_stands_once_with_all_parameters_and_body_fields() -> None:
    document = api.get_openapi_schema()
    told = {(m, path): each for path, ways in document["paths"].items() for m, each in ways.items()}
    every = [each for group in groups_of(document, accesses_of(api)) for each in group.operations]
    assert len(every) == len(told)
    shown = _shown()
    assert set(shown) == set(told)
    assert max(Counter(each.anchor for each in every).values()) == 1
    for key, each in told.items():
        names = [row.field.path for row in shown[key].parameters]
        assert names == [row["name"] for row in each.get("parameters", ())]
        answers = [*shown[key].answers, *shown[key].failures]
        assert {str(row.status) for row in answers} == set(each["responses"])
        _assert_has_body(document, each, shown[key])


def _assert_has_body(document: Any, told: Any, shown: Operation) -> None:
    for content in told.get("requestBody", {}).get("content", {}).values():
        assert shown.body is not None
        paths = {field.path for field in shown.body.fields}
        schemas = Schemas(document)
        for choice in schemas.alternatives(content["schema"]):
            assert set(choice.get("properties", {})) <= paths
            items = schemas.resolved(choice.get("items", {}))
            assert set(items.get("properties", {})) <= paths


def test_fields_say_type_limits_choices_and_default() -> None:
    name, kind, size, children = SCHEMAS.fields(ONE)
    assert (name.required, name.limits) == (True, ("maximum length 8",))
    assert (kind.type, kind.choices, kind.required) == ("string or null", ("a", "b"), False)
    assert (size.default, size.limits) == ("3", ("at least 1",))
    assert children.type == "array of objects"


def test_one_or_many_have_their_fields_once_and_nested_ones_name_their_parents() -> None:
    many = {"anyOf": [ONE, {"type": "array", "items": ONE}]}
    assert [each.path for each in SCHEMAS.fields(many)] == ["name", "kind", "size", "children"]
    inner = {"type": "array", "items": {"properties": {"id": {"type": "integer"}}}}
    nested = SCHEMAS.fields({"properties": {"calls": inner}})
    assert [(each.path, each.depth) for each in nested] == [("calls", 0), ("calls[].id", 1)]


def test_the_example_request_reads_the_token_from_the_environment() -> None:
    request = _shown()["post", "/api/v1/pools/{slug}/events"].request
    assert request.startswith('curl "{base}/api/v1/pools/retail-east/events"')
    assert "Bearer $POOLSITE_TOKEN" in request
    assert '-d \'{\n  "event": "call",\n' in request


def test_the_example_request_has_the_query_that_is_needed_and_names_files() -> None:
    shown = _shown()
    asked = shown["get", "/api/v1/numbers/who-had"].request
    assert "?at=2026-03-01T10%3A32%3A07%2B08%3A00&number=%2B8613800000000" in asked
    sent = shown["post", "/api/v1/agent/attachments"].request
    assert '-F "file=@receipt.jpg"' in sent


def test_no_page_has_more_operations_than_one_can_look_over() -> None:
    pages = groups_of(api.get_openapi_schema(), accesses_of(api))
    assert [page.tag for page in pages if len(page.operations) > 30] == []
    assert [page.tag for page in pages] == [
        "numbers", "pools", "visits", "agents", "desks", "desk-setup", "desk-people", "gates",
        "batches", "groups", "billing", "payments", "statements", "invoices", "campaigns", "people",
        "access", "incidents", "webhooks", "jobs", "profile"
    ]  # fmt: skip


def test_each_operation_says_what_it_accepts() -> None:
    shown = _shown()
    expected: dict[tuple[str, str], tuple[tuple[str, ...], list[str]]] = {
        ("post", "pools/{slug}/events"): (("token",), ["Report calls and registrations"]),
        ("get", "pools/{slug}"): (("token", "login"), ["View pools and numbers"]),
        ("post", "pools/{slug}/switches"): (("login",), []),
        ("get", "queues/{slug}"): (("nobody",), []),
        ("post", "visits/{visit}/leave"): (("visit", "token"), ["Bring visitors into a queue"]),
        ("get", "desks/{slug}/floor"): (("token", "login"), ["View queues and waiting visitors"]),
    }
    for (method, path), (accepts, labels) in expected.items():
        access = shown[method, ROOT + path].access
        assert (access.accepts, [str(label) for label in access.labels]) == (accepts, labels)
    assert all(str(each.access.words) for each in shown.values())
    assert {("post", ROOT + path) for path in MACHINES} <= set(shown)
    assert set(WRITERS) <= {path.removeprefix(ROOT) for _method, path in shown}


def test_the_hot_lane_takes_tokens_only() -> None:
    for hot in (numbers_hot, billing_hot, admission_hot, line_hot):
        hot.register()
    lanes = [route.path for route in lane.routes()]
    hot_posts = {key for key, each in _shown().items() if key[0] == "post" and key[1] in lanes}
    taken = {key for key in hot_posts if "login" not in _shown()[key].access.accepts}
    assert hot_posts == taken
    assert {ROOT + path for path in MACHINES} <= set(lanes)


def test_errors_have_their_types_those_of_the_operation_apart() -> None:
    resume = _shown()["post", "/api/v1/queues/{slug}/resume"]
    assert [(row.status, row.type) for row in resume.own_failures] == [
        (404, "unknown-code"),
        (404, "unknown-queue"),
        (409, "visit-ended"),
        (429, "too-many-requests"),
    ]
    common = {row.type for row in resume.common_failures}
    assert {"unauthenticated", "malformed", "rate-limited", "fault"} <= common
    assert set(resume.failures) == {*resume.own_failures, *resume.common_failures}


def test_words_in_backticks_are_code_and_lines_are_joined() -> None:
    assert reference_words("Set `a`\nto <b>.\n\n- one\n- two") == (
        "<p>Set <code>a</code> to &lt;b&gt;.</p><ul><li>one</li><li>two</li></ul>"
    )


@pytest.mark.django_db
def test_everybody_reads_it_as_the_openapi_document() -> None:
    for path in ("/api/v1/docs", "/api/v1/docs/numbers"):
        text = Client().get(path).content.decode()
        assert "/api/v1/pools/{slug}/events" in text
        assert "http://testserver/api/v1" in text
        assert 'id="sidebar"' not in text
        assert "{base}" not in text


@pytest.mark.django_db
def test_a_page_shows_answers_and_errors_with_when_they_come() -> None:
    text = Client().get("/api/v1/docs/billing").content.decode()
    assert "&quot;spendable&quot;: &quot;1284.3100&quot;" in text
    assert "<code>insufficient-balance</code>" in text
    assert "The balance is too low." in text
    assert 'id="type-insufficient-balance"' in Client().get("/api/v1/docs").content.decode()


@pytest.mark.django_db
def test_who_is_logged_in_sees_it_in_the_console() -> None:
    client = Client()
    client.force_login(User.objects.create_user("reader", "reader@example.com", "not used"))
    assert 'id="sidebar"' in client.get("/api/v1/docs/billing").content.decode()
    assert "API reference" in client.get("/search/?q=API+ref").content.decode()


@pytest.mark.django_db
def test_an_unknown_group_is_a_page_and_a_slash_leads_to_the_page() -> None:
    answer = Client().get("/api/v1/docs/nothing")
    assert (answer.status_code, answer["Content-Type"][:9]) == (404, "text/html")
    assert Client().get("/api/v1/docs/")["Location"] == "/api/v1/docs"
    assert Client().get("/api/v1/docs/line/")["Location"] == "/api/v1/docs/line"
    assert Client().post("/api/v1/docs").status_code == 405


@pytest.mark.django_db
def test_operators_who_create_tokens_have_it_in_the_menu_and_customers_at_their_tokens() -> None:
    world = make_world()
    for reader, has in (("operate", True), ("looker", False), ("owner", False)):
        shown = navigation.items(principal_of_user(world.users[reader]))
        assert ("api_reference" in [item.name for _section, item in shown]) is has
    assert 'href="/api/v1/docs"' in world.client("owner").get("/tokens/").content.decode()
