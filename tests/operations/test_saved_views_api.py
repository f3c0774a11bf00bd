"""Saved views in the API: a person's own, and no one else's."""

from typing import Any

import pytest

from poolsite.access.models import AuditEntry
from poolsite.operations import saved_views
from poolsite.operations.models import SavedView
from tests.access.world import World, make_world
from tests.operations.test_incidents_api import call, sent

PATH = "/incidents/"
GIVEN = {"path": PATH, "name": "Critical", "query": "severity=critical&after=17&q="}


@pytest.fixture
def world(db: None) -> World:
    return make_world()


def listed(world: World, reader: str, asked: str = "") -> list[str]:
    status, answer = call(world, reader, "get", f"saved-views{asked}")
    assert status == 200
    return [row["name"] for row in answer["data"]]


@pytest.mark.parametrize("reader", ["owner", "agent", "roleless", "looker"])
def test_a_view_is_saved_listed_and_removed_by_its_owner(world: World, reader: str) -> None:
    status, made = call(world, reader, "post", "saved-views", **GIVEN)
    assert (status, made["query"]) == (201, "severity=critical")
    [view] = saved_views.views_of(world.users[reader], PATH)
    assert (view.pk, view.name) == (made["id"], "Critical")
    assert listed(world, reader) == ["Critical"]
    one = f"saved-views/{made['id']}"
    assert call(world, reader, "delete", one) == (204, {})
    assert call(world, reader, "delete", one)[1]["type"] == "unknown-saved-view"
    entries = AuditEntry.objects.filter(action__startswith="operations.view").order_by("pk")
    assert [(entry.action, entry.actor_name) for entry in entries] == [
        ("operations.view_save", reader),
        ("operations.view_delete", reader),
    ]


def test_another_persons_view_is_neither_listed_nor_removed(world: World) -> None:
    view = saved_views.save_view(user=world.users["owner"], path=PATH, name="Mine", query="")
    for reader in ("admin", "foreign", "operate"):
        assert listed(world, reader) == []
        refused = call(world, reader, "delete", f"saved-views/{view.pk}")
        assert (refused[0], refused[1]["type"]) == (404, "unknown-saved-view")
    assert SavedView.objects.get() == view


def test_the_same_name_is_replaced(world: World) -> None:
    first = call(world, "owner", "post", "saved-views", **GIVEN)[1]
    second = call(world, "owner", "post", "saved-views", **{**GIVEN, "query": "severity=warning"})
    assert second == (201, first | {"query": "severity=warning"})
    assert SavedView.objects.count() == 1


def test_the_list_is_of_one_page_and_has_pages(world: World) -> None:
    for path, name in ((PATH, "A"), (PATH, "B"), ("/history/", "C")):
        saved_views.save_view(user=world.users["owner"], path=path, name=name, query="")
    assert listed(world, "owner") == ["C", "B", "A"]
    assert listed(world, "owner", f"?path={PATH}") == ["B", "A"]
    first = call(world, "owner", "get", "saved-views?limit=2")[1]
    assert listed(world, "owner", f"?limit=2&cursor={first['next']}") == ["A"]


def test_a_repeated_request_saves_it_once(world: World) -> None:
    client = world.client("owner")
    client.defaults["HTTP_IDEMPOTENCY_KEY"] = "one"
    first = sent(client, "post", "saved-views", **GIVEN)
    assert sent(client, "post", "saved-views", **GIVEN) == first
    assert AuditEntry.objects.filter(action="operations.view_save").count() == 1


@pytest.mark.parametrize(
    "body",
    [
        {**GIVEN, "path": "/no-such-page/"},
        {**GIVEN, "path": "https://evil.example/"},
        {**GIVEN, "path": ""},
        {**GIVEN, "name": " "},
        {**GIVEN, "name": "n" * 61},
        {**GIVEN, "query": "q=" + "x" * 2_000},
        {**GIVEN, "user": 1},
        {"path": PATH},
    ],
)
def test_bad_input_is_named_and_changes_nothing(world: World, body: dict[str, Any]) -> None:
    answer = call(world, "owner", "post", "saved-views", **body)
    assert (answer[0], answer[1]["type"]) == (422, "malformed")
    assert not SavedView.objects.exists()


def test_a_page_keeps_thirty_views(world: World) -> None:
    for number in range(saved_views.PER_PAGE):
        saved_views.save_view(user=world.users["owner"], path=PATH, name=str(number), query="")
    answer = call(world, "owner", "post", "saved-views", **GIVEN)
    assert (answer[0], answer[1]["type"]) == (422, "malformed")
    assert SavedView.objects.count() == saved_views.PER_PAGE
