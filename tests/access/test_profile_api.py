"""A person's own profile in the API: only that person reads and changes it."""

from typing import Any

import pytest
from django.test import Client

from poolsite.access import services
from poolsite.access.models import AuditEntry, User
from tests.access.test_people_api import call, last, sent
from tests.access.world import World

READERS = ("owner", "agent", "roleless", "foreign", "looker", "finance")


@pytest.mark.parametrize("reader", READERS)
def test_everybody_reads_and_changes_their_own(world: World, reader: str) -> None:
    status, answer = call(world, reader, "get", "profile")
    assert (status, answer["username"], answer["zone"]) == (200, reader, "")
    changes = {"first_name": "Mei", "zone": "Asia/Tokyo", "locale": "zh-hans"}
    status, answer = call(world, reader, "patch", "profile", **changes)
    assert (status, {name: answer[name] for name in changes}) == (200, changes)
    assert answer["id"] == world.users[reader].pk
    assert not User.objects.exclude(username=reader).exclude(zone="").exists()
    entry = last()
    assert (entry.action, entry.actor_name) == ("access.profile_change", reader)
    assert (entry.before, entry.after) == (dict.fromkeys(changes, ""), changes)
    assert call(world, reader, "get", "profile") == (200, answer)


def test_what_is_omitted_stays_and_an_empty_text_is_the_usual(world: World) -> None:
    call(world, "owner", "patch", "profile", last_name="Lin", zone="Asia/Tokyo")
    status, answer = call(world, "owner", "patch", "profile", zone="")
    assert (status, answer["last_name"], answer["zone"]) == (200, "Lin", "")
    before = AuditEntry.objects.count()
    assert call(world, "owner", "patch", "profile")[0] == 200
    assert AuditEntry.objects.count() == before


@pytest.mark.parametrize("account", ["own", None])
def test_a_token_is_told_that_it_is_no_person(world: World, account: str | None) -> None:
    given: Any = world.own if account else None
    _, secret = services.token_create(name="t", account=given, resources=["*"], actor="test")
    client = world.client("owner")  # even if a browser's session is sent, too
    client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    for method, path in (("get", "profile"), ("patch", "profile"), ("get", "saved-views")):
        status, answer = sent(client, method, path, zone="Asia/Tokyo")
        assert (status, answer["type"]) == (403, "forbidden")
        assert "belongs to no user" in answer["detail"]
    assert not User.objects.exclude(zone="").exists()


def test_nobody_has_none(world: World) -> None:
    assert call(world, "nobody", "get", "profile")[0] == 401


def test_a_cookie_alone_changes_nothing(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.users["owner"])
    assert sent(client, "get", "profile")[0] == 200
    assert sent(client, "patch", "profile", zone="Asia/Tokyo")[0] == 401
    assert not User.objects.exclude(zone="").exists()


def test_a_repeated_request_changes_it_once(world: World) -> None:
    client = world.client("owner")
    client.defaults["HTTP_IDEMPOTENCY_KEY"] = "one"
    first = sent(client, "patch", "profile", zone="Asia/Tokyo")
    assert sent(client, "patch", "profile", zone="Asia/Tokyo") == first
    assert AuditEntry.objects.filter(action="access.profile_change").count() == 1


@pytest.mark.parametrize(
    "body",
    [
        {"zone": "Moon/Base"},
        {"locale": "tlh"},
        {"first_name": "x" * 151},
        {"first_name": "x\x00"},
        {"last_name": 7},
        {"email": "new@example.com"},
        {"password": "correct horse battery"},
        {"is_operator": True},
    ],
)
def test_bad_input_is_named_and_changes_nothing(world: World, body: dict[str, Any]) -> None:
    before = call(world, "owner", "get", "profile")[1]
    status, answer = call(world, "owner", "patch", "profile", **body)
    assert (status, answer["type"]) == (422, "malformed")
    assert call(world, "owner", "get", "profile")[1] == before
    assert not AuditEntry.objects.filter(action="access.profile_change").exists()
