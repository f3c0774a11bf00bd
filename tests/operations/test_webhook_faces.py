"""Webhook endpoints on their pages and in the API: the same rights, and nothing is disclosed."""

import json
from typing import Any

import pytest
from django.test import Client

from poolsite.access.models import AuditEntry
from poolsite.access.services import token_create
from poolsite.operations.models import WebhookDelivery, WebhookEndpoint
from poolsite.operations.webhooks import services
from tests.access.world import World, make_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
ROOT = "/api/v1/webhooks"
GIVEN = {"name": "Hook", "url": "https://hooks.example/in", "events": ["message.failed"]}


@pytest.fixture
def world(settings: Any) -> World:
    settings.PASSWORD_FRESH_SECONDS = 86_400
    return make_world()


def endpoint(world: World, **changes: Any) -> WebhookEndpoint:
    given = {**GIVEN, "account": world.own, **changes}
    return services.endpoint_create(actor="test", **given)


def call(client: Client, method: str, path: str = "", **body: Any) -> tuple[int, Any]:
    given = {} if method == "get" else {"data": json.dumps(body)}
    answer = getattr(client, method)(ROOT + path, content_type="application/json", **given)
    return answer.status_code, json.loads(answer.content) if answer.content else None


def machine(world: World, *actions: str) -> Client:
    _token, secret = token_create(
        name="t", account=world.own, resources=["webhook:*"], actions=actions, actor="test"
    )
    return Client(headers={"authorization": f"Bearer {secret}"})


# -- pages -----------------------------------------------------------------------------------------


def test_an_endpoint_is_added_seen_changed_and_deleted_on_its_pages(world: World) -> None:
    owner = world.client("owner")
    form = {**GIVEN, "account": world.own.pk}
    answer = owner.post("/webhooks/new/", form)
    made = WebhookEndpoint.objects.get()
    assert answer["Location"] == f"/webhooks/{made.slug}/"
    assert (made.account, made.events) == (world.own, ["message.failed"])
    assert made.name in owner.get("/webhooks/").content.decode()
    owner.post(f"/webhooks/{made.slug}/edit/", {**GIVEN, "name": "New name", "every": "on"})
    made.refresh_from_db()
    assert (made.name, made.events) == ("New name", ["*"])
    owner.post(f"/webhooks/{made.slug}/test/")
    row = WebhookDelivery.objects.get()
    page = owner.get(f"/webhooks/{made.slug}/deliveries/{row.pk}/").content.decode()
    assert f"evt_{row.event_id.hex}" in page
    owner.post(f"/webhooks/{made.slug}/delete/", {"reason": "Not used"})
    assert not WebhookEndpoint.objects.exists()
    entries = AuditEntry.objects.filter(action__startswith="operations.webhook").order_by("pk")
    assert [entry.action.removeprefix("operations.webhook_") for entry in entries] == [
        *("create", "change", "test", "delete")
    ]


@pytest.mark.parametrize(
    "changes", [{"url": "ftp://x"}, {"events": []}, {"events": ["x.y"]}, {"name": ""}]
)
def test_a_form_that_does_not_fit_is_shown_again(world: World, changes: dict[str, Any]) -> None:
    form = {**GIVEN, "account": world.own.pk, **changes}
    answer = world.client("owner").post("/webhooks/new/", form)
    assert answer.status_code == 422
    assert "field--error" in answer.content.decode()
    assert not WebhookEndpoint.objects.exists()


def test_the_secret_is_shown_to_those_alone_who_may_change_the_endpoint(
    world: World, settings: Any
) -> None:
    made = endpoint(world)
    page = f"/webhooks/{made.slug}/"
    assert made.secret in world.client("owner").get(page).content.decode()
    assert made.secret in world.client("operate").get(page).content.decode()
    settings.PASSWORD_FRESH_SECONDS = 0
    stolen = world.client("owner").get(page).content.decode()
    assert made.secret not in stolen
    assert f"?next=%2Fwebhooks%2F{made.slug}%2F" in stolen
    settings.PASSWORD_FRESH_SECONDS = 86_400
    looker = world.client("looker").get(page)
    assert looker.status_code == 200
    assert made.secret not in looker.content.decode()


def test_only_operators_make_an_endpoint_for_the_platform_or_for_others(world: World) -> None:
    for account in ("", world.other.pk):
        world.client("owner").post("/webhooks/new/", {**GIVEN, "account": account})
    assert not WebhookEndpoint.objects.exists()
    world.client("operate").post("/webhooks/new/", {**GIVEN, "account": ""})
    assert WebhookEndpoint.objects.get().account is None


def test_the_list_has_the_reader_s_own(world: World) -> None:
    endpoint(world, name="Mine")
    endpoint(world, name="Theirs", account=world.other)
    page = world.client("owner").get("/webhooks/").content.decode()
    assert "Mine" in page
    assert "Theirs" not in page


def test_an_account_has_a_bounded_number_of_endpoints(world: World) -> None:
    for _ in range(services.ENDPOINTS_LIMIT):
        endpoint(world)
    form = {**GIVEN, "account": world.own.pk}
    assert world.client("owner").post("/webhooks/new/", form).status_code == 422
    assert WebhookEndpoint.objects.count() == services.ENDPOINTS_LIMIT


# -- the API ---------------------------------------------------------------------------------------


def test_a_token_does_all_of_it(world: World) -> None:
    client = machine(world, "operations.webhooks", "operations.webhooks_change")
    status, made = call(client, "post", account="own", **GIVEN)
    assert status == 201
    secret, slug = made.pop("secret"), made["id"]
    assert secret == WebhookEndpoint.objects.get().secret
    assert made["state"] == "active"
    assert call(client, "get", f"/{slug}") == (200, made)
    assert call(client, "get") == (200, {"data": [made], "next": None})
    status, changed = call(client, "patch", f"/{slug}", url="https://hooks.example/v2")
    assert (status, changed["url"], changed["name"]) == (200, "https://hooks.example/v2", "Hook")
    status, rotated = call(client, "post", f"/{slug}/rotate")
    assert (status, rotated["secret"] != secret) == (200, True)
    status, sent = call(client, "post", f"/{slug}/test")
    assert (status, sent["type"], sent["state"]) == (202, "endpoint.test", "pending")
    status, listed = call(client, "get", f"/{slug}/deliveries?state=pending&type=endpoint.test")
    assert [row["id"] for row in listed["data"]] == [sent["id"]]
    status, detail = call(client, "get", f"/{slug}/deliveries/{sent['id']}")
    assert (detail["body"]["id"], detail["log"]) == (sent["event"], [])
    assert call(client, "post", f"/{slug}/deliveries/{sent['id']}/resend")[0] == 202
    assert call(client, "post", f"/{slug}/resend") == (202, {"resent": 0})
    assert call(client, "post", f"/{slug}/disable", reason="Move")[1]["state"] == "disabled"
    assert call(client, "post", f"/{slug}/test")[0] == 422
    assert call(client, "post", f"/{slug}/enable")[1]["state"] == "active"
    assert call(client, "delete", f"/{slug}") == (204, None)
    assert not WebhookEndpoint.objects.exists()


def test_a_token_without_the_permission_looks_only(world: World) -> None:
    made = endpoint(world)
    client = machine(world, "operations.webhooks")
    assert call(client, "get", f"/{made.slug}")[0] == 200
    assert call(client, "post", account="own", **GIVEN)[0] == 403
    for method, path in (
        ("patch", ""),
        ("delete", ""),
        ("post", "/rotate"),
        ("post", "/disable"),
        ("post", "/enable"),
        ("post", "/test"),
        ("post", "/resend"),
    ):
        assert call(client, method, f"/{made.slug}{path}")[0] == 403, (method, path)
    made.refresh_from_db()
    assert made.state == WebhookEndpoint.State.ACTIVE


def test_a_foreign_endpoint_is_not_there(world: World) -> None:
    made = endpoint(world, account=world.other)
    row = services.endpoint_test(endpoint=made, actor="test")
    client = machine(world, "operations.webhooks", "operations.webhooks_change")
    for path in ("", "/deliveries", f"/deliveries/{row.pk}"):
        status, problem = call(client, "get", f"/{made.slug}{path}")
        assert (status, problem["type"]) == (404, "unknown-webhook")
    assert call(client, "delete", f"/{made.slug}")[0] == 404
    assert call(client, "post", account="other", **GIVEN)[0] == 422
    assert call(client, "post", **GIVEN)[0] == 422  # the platform's
    own = endpoint(world)
    status, problem = call(client, "get", f"/{own.slug}/deliveries/{row.pk}")
    assert (status, problem["type"]) == (404, "unknown-delivery")
    assert WebhookEndpoint.objects.count() == 2


@pytest.mark.parametrize(
    "changes",
    [{"url": "ftp://x"}, {"events": ["x.y"]}, {"events": []}, {"extra": 1}, {"account": "nobody"}],
)
def test_what_the_api_refuses_changes_nothing(world: World, changes: dict[str, Any]) -> None:
    client = machine(world, "operations.webhooks_change")
    status, problem = call(client, "post", **{**GIVEN, "account": "own", **changes})
    assert (status, problem["type"]) == (422, "malformed")
    assert not WebhookEndpoint.objects.exists()


def test_a_misspelled_filter_and_a_bad_cursor_are_refused(world: World) -> None:
    client = machine(world, "operations.webhooks")
    for query in ("?stat=active", "?state=gone", "?cursor=!", "?limit=0"):
        assert call(client, "get", query)[0] == 422, query


def test_a_list_goes_on_by_its_cursor(world: World) -> None:
    made = [endpoint(world, name=f"hook {n}").slug for n in range(5)]
    client = machine(world, "operations.webhooks")
    found: list[str] = []
    cursor = ""
    for _ in range(3):
        _, page = call(client, "get", f"?limit=2&cursor={cursor}")
        found += [row["id"] for row in page["data"]]
        cursor = page["next"]
    assert cursor is None
    assert found == made[::-1]


def test_the_types_that_can_be_chosen_are_listed_with_examples(world: World) -> None:
    client = machine(world, "operations.webhooks")
    answer = client.get("/api/v1/webhook-events").json()
    names = [row["type"] for row in answer]
    assert names == sorted(names)
    wanted = {
        *("message.delivered", "message.failed", "message.expired", "message.cancelled"),
        *("top_up.credited", "top_up.failed", "balance.low", "balance.recovered"),
        *("invoice.issued", "invoice.credited"),
        "credit_limit.changed",
        *("campaign.completed", "campaign.paused", "number.quarantined", "number.released"),
        *("incident.opened", "incident.escalated", "incident.closed"),
        *("upgrade.completed", "upgrade.aborted", "visit.ended", "room.ended"),
        *("transcript.ready", "endpoint.test"),
    }
    assert set(names) == wanted
    assert all(row["description"] and row["data"] for row in answer)
