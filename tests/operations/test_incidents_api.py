"""Incidents, tags and notes in the API: the rights of the pages, and what requests change."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from numbers.models import Pool
from poolsite.access import services
from poolsite.access.models import AuditEntry
from poolsite.operations.by_hand import BY_HAND
from poolsite.operations.models import Incident, Note, Tag
from poolsite.runtime.redis_server import RedisServer
from tests.access.world import World, make_world
from tests.operations.probing import open_one

ROOT = "/api/v1/"
SOON = (timezone.now() + timedelta(hours=1)).isoformat()


@pytest.fixture
def world(db: None, clean_redis: RedisServer) -> World:
    return make_world()


def call(
    world: World, reader: str, method: str, path: str, /, **body: Any
) -> tuple[int, dict[str, Any]]:
    return sent(world.client(reader), method, path, **body)


def sent(client: Client, method: str, path: str, /, **body: Any) -> tuple[int, dict[str, Any]]:
    given = {} if method == "get" else {"data": json.dumps(body)}
    answer = getattr(client, method)(ROOT + path, content_type="application/json", **given)
    return answer.status_code, json.loads(answer.content) if answer.content else {}


def _ids(answer: tuple[int, dict[str, Any]]) -> list[int]:
    assert answer[0] == 200
    return [row["id"] for row in answer[1]["data"]]


VERBS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("acknowledge", {}, {"assigned_to": "operate"}, "operations.acknowledge"),
    ("assign", {"user": 0}, {"assigned_to": "looker"}, "operations.assign"),
    ("snooze", {"until": SOON, "reason": "Known"}, {"snooze_reason": "Known"}, "operations.snooze"),
    ("notes", {"text": "Two\nlines"}, {"open": True}, "operations.incident_note"),
]


@pytest.mark.parametrize(("verb", "body", "expected", "action"), VERBS)
def test_who_looks_after_an_incident_by_the_api(
    world: World, verb: str, body: dict[str, Any], expected: dict[str, Any], action: str
) -> None:
    found = open_one(account=world.own)
    body = {key: world.users["looker"].pk if key == "user" else body[key] for key in body}
    path = f"incidents/{found.pk}/{verb}"
    refusals = {"agent": 403, "looker": 403, "foreign": 404}
    for reader, status in refusals.items():
        assert call(world, reader, "post", path, **body)[0] == status
    assert not found.events.exists()
    status, answer = call(world, "operate", "post", path, **body)
    assert (status, {name: answer[name] for name in expected}) == (200, expected)
    assert found.events.exists()
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.actor_name) == (action, "operate")
    detail = call(world, "owner", "get", f"incidents/{found.pk}")[1]
    assert len(detail["timeline"]) == 2


def test_what_has_one_cause_is_looked_after_together(world: World) -> None:
    first, second = open_one("east", account=world.own), open_one("west", account=world.own)
    foreign = open_one("north", account=world.other)
    path = f"incidents/{first.pk}"
    assert call(world, "owner", "get", path)[1]["related"] == [second.pk]
    call(world, "owner", "post", f"{path}/snooze", until=SOON, reason="Known")
    assert {row.pk for row in Incident.objects.exclude(snoozed_until=None)} == {
        first.pk,
        second.pk,
    }
    assert call(world, "owner", "post", f"{path}/end-snooze")[1]["snoozed_until"] is None
    assert not Incident.objects.exclude(snoozed_until=None).exists()
    assert foreign.events.count() == 0


def test_an_owner_is_chosen_from_those_who_may_see_it(world: World) -> None:
    found = open_one(account=world.own)
    path, owner = f"incidents/{found.pk}", world.users["owner"]
    world.users["agent"], world.users["looker"]
    assert [row["username"] for row in call(world, "owner", "get", path)[1]["owners"]] == ["owner"]
    assert call(world, "looker", "get", path)[1]["owners"] == []
    for nobody in (world.users["agent"].pk, world.users["looker"].pk, 999_999):
        assert call(world, "owner", "post", f"{path}/assign", user=nobody)[0] == 422
    assert call(world, "owner", "post", f"{path}/assign", user=owner.pk)[0] == 200


def test_one_that_ends_by_hand_is_resolved(world: World) -> None:
    by_hand = open_one(account=world.own, type=min(BY_HAND))
    checked = open_one("west", account=world.own)
    path = f"incidents/{by_hand.pk}/resolve"
    assert call(world, "owner", "post", path, reason="Done")[0] == 403
    status, answer = call(world, "finance", "post", path, reason="Done")
    assert (status, answer["open"]) == (200, False)
    assert AuditEntry.objects.latest("pk").action == "operations.resolve"
    refused = call(world, "operate", "post", f"incidents/{checked.pk}/resolve", reason="Done")
    assert refused[0] == 422
    assert Incident.objects.get(pk=checked.pk).until is None


def test_the_list_is_filtered_and_a_tenant_sees_its_own(world: World) -> None:
    east = open_one("east", account=world.own)
    west = open_one("west", account=world.other, severity="critical")
    gone = open_one("gone", account=world.own, type="test.gone")
    Incident.objects.filter(pk=gone.pk).update(until=timezone.now())
    for asked, expected in (
        ("", [west, east]),
        ("?state=closed", [gone]),
        ("?state=all", [gone, west, east]),
        ("?severity=critical", [west]),
        ("?account=own", [east]),
        ("?state=all&type=test.gone", [gone]),
        ("?object=ea", [east]),
    ):
        found = _ids(call(world, "looker", "get", f"incidents{asked}"))
        assert found == [row.pk for row in expected], asked
    assert _ids(call(world, "owner", "get", "incidents?state=all")) == [gone.pk, east.pk]
    assert call(world, "foreign", "get", f"incidents/{east.pk}")[1]["type"] == "unknown-incident"
    assert call(world, "owner", "get", "incidents/999999")[1]["type"] == "unknown-incident"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("snooze", {"until": SOON, "reason": ""}),
        ("snooze", {"until": "2020-01-01T00:00:00Z", "reason": "x"}),
        ("snooze", {"until": "tomorrow", "reason": "x"}),
        ("notes", {"text": "x" * 2_001}),
        ("notes", {"text": "a\x00b"}),
        ("assign", {"user": "1"}),
    ],
)
def test_bad_input_is_malformed(world: World, path: str, body: dict[str, Any]) -> None:
    found = open_one(account=world.own)
    status, answer = call(world, "operate", "post", f"incidents/{found.pk}/{path}", **body)
    assert (status, answer["type"]) == (422, "malformed")
    assert not found.events.exists()


def test_no_token_sees_incidents(world: World) -> None:
    _, secret = services.token_create(name="t", account=None, resources=["*"], actor="test")
    client = Client(headers={"authorization": f"Bearer {secret}"})
    found = open_one()
    for method, path in (("get", "incidents"), ("post", f"incidents/{found.pk}/acknowledge")):
        assert sent(client, method, path)[1]["type"] == "forbidden"


# -- tags and notes --------------------------------------------------------------------------------

POOL = "objects/pool/own-pool"


@pytest.fixture
def pool(world: World) -> Pool:
    return Pool.objects.create(slug="own-pool", account=world.own)


def test_tags_are_replaced(world: World, pool: Pool) -> None:
    assert call(world, "operate", "post", f"{POOL}/tags", tags=["west", "east", "EAST"]) == (
        200,
        {"tags": ["east", "west"]},
    )
    assert AuditEntry.objects.latest("pk").action == "operations.tags_set"
    assert call(world, "owner", "get", f"{POOL}/tags")[1] == {"tags": ["east", "west"]}
    many = [f"tag-{place}" for place in range(21)]
    for reader, tags, status in (("owner", [], 403), ("foreign", [], 404), ("operate", many, 422)):
        assert call(world, reader, "post", f"{POOL}/tags", tags=tags)[0] == status
    assert Tag.objects.filter(thing="own-pool", account=world.own).count() == 2


def test_a_note_is_added_listed_and_removed(world: World, pool: Pool) -> None:
    path = f"{POOL}/notes"
    for reader, status in (("owner", 403), ("foreign", 404)):
        assert call(world, reader, "post", path, text="x")[0] == status
    status, note = call(world, "operate", "post", path, text="Call first.\nThen write.")
    assert (status, note["author"]) == (201, "operate")
    assert call(world, "owner", "get", path)[1]["data"] == [note]
    assert call(world, "foreign", "get", path)[1]["type"] == "unknown-object"
    remove = f"{path}/{note['id']}/remove"
    assert call(world, "owner", "post", remove)[0] == 403
    assert call(world, "operate", "post", remove)[0] == 204
    assert not Note.objects.exists()
    assert call(world, "operate", "post", remove)[1]["type"] == "unknown-note"


@pytest.mark.parametrize("path", ["objects/pool/missing", "objects/nothing/own-pool"])
def test_a_missing_object_looks_foreign(world: World, pool: Pool, path: str) -> None:
    assert call(world, "operate", "get", f"{path}/tags")[1]["type"] == "unknown-object"


def test_a_token_reads_tags_of_what_it_reaches(world: World, pool: Pool) -> None:
    """A token that may view a pool sees its tags, as on the pool's page."""
    _, secret = services.token_create(
        name="t",
        account=world.own,
        resources=["pool:own-pool"],
        actions=["numbers.view"],
        actor="test",
    )
    client = Client(headers={"authorization": f"Bearer {secret}"})
    Pool.objects.create(slug="other-pool", account=world.other)
    assert sent(client, "get", f"{POOL}/tags") == (200, {"tags": []})
    assert sent(client, "post", f"{POOL}/tags", tags=["x"])[0] == 403
    assert sent(client, "get", "objects/pool/other-pool/tags")[0] == 404
    assert sent(client, "get", "objects/account/own/tags")[0] == 403
