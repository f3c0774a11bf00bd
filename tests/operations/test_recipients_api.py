"""Alert recipients in the API: the rights of the admin's list and of an account's page."""

import json
from typing import Any

import pytest
from django.test import Client

from billing.models import Wallet
from poolsite.access import services
from poolsite.access.models import AuditEntry
from poolsite.operations.models import NoticeTarget
from tests.access.world import World, make_world

ALL, ACCOUNT = "/api/v1/alert-recipients", "/api/v1/accounts/own/alert-recipients"
ADDRESS = "ops@example.org"


@pytest.fixture
def world(db: None, settings: Any) -> World:
    settings.SECOND_FACTOR_FOR_MONEY = False
    return make_world()


@pytest.fixture
def target(world: World) -> NoticeTarget:
    return NoticeTarget.objects.create(account=world.own, address=ADDRESS)


def call(
    client: Client, method: str, path: str = ALL, body: Any = None, **headers: str
) -> tuple[int, Any]:
    given: dict[str, Any] = {} if method == "get" else {"data": json.dumps(body or {})}
    answer = getattr(client, method)(
        path, content_type="application/json", headers=headers, **given
    )
    return answer.status_code, json.loads(answer.content) if answer.content else None


def actions() -> list[str]:
    entries = AuditEntry.objects.filter(action__startswith="operations.target").order_by("pk")
    return [entry.action.removeprefix("operations.target_") for entry in entries]


def test_a_recipient_is_added_changed_and_removed(world: World) -> None:
    owner = world.client("owner")
    given = {"address": ADDRESS, "account": "own", "warnings": False}
    status, made = call(owner, "post", body=given)
    assert status == 201
    assert {name: made[name] for name in (*given, "active")} == given | {"active": True}
    one = f"{ALL}/{made['id']}"
    assert call(owner, "get", one) == (200, made)
    changes = {"address": "night@example.org", "active": False}
    status, changed = call(owner, "patch", one, changes | {"reason": "New address"})
    assert (status, changed) == (200, made | changes)
    assert AuditEntry.objects.latest("pk").reason == "New address"
    assert call(owner, "patch", one, changes) == (200, changed)
    assert call(owner, "delete", one) == (204, None)
    assert call(owner, "delete", one)[1]["type"] == "unknown-recipient"
    assert not NoticeTarget.objects.exists()
    assert actions() == ["create", "change", "delete"]


@pytest.mark.parametrize(
    ("reader", "seen", "changed"),
    [
        ("owner", 200, 200),
        ("admin", 200, 200),
        ("operate", 200, 200),
        ("looker", 200, 403),
        ("finance", 200, 403),
        ("payer", 403, 403),
        ("agent", 403, 403),
        ("foreign", 404, 404),
    ],
)
def test_who_sees_and_changes_a_recipient(
    world: World, target: NoticeTarget, reader: str, seen: int, changed: int
) -> None:
    client, one = world.client(reader), f"{ALL}/{target.pk}"
    assert call(client, "get", one)[0] == seen
    status, listed = call(client, "get")
    assert status == (403 if seen == 403 else 200)
    assert bool(listed.get("data")) is (seen == 200)
    assert call(client, "patch", one, {"warnings": False})[0] == changed
    made = call(client, "post", body={"address": "new@example.org", "account": "own"})
    assert made[0] == {200: 201, 403: 403, 404: 422}[changed]
    assert call(client, "delete", one)[0] == {200: 204}.get(changed, changed)
    assert NoticeTarget.objects.filter(pk=target.pk).exists() is (changed != 200)


def test_only_operators_have_the_whole_platform_told(world: World) -> None:
    platform = {"address": ADDRESS}
    assert call(world.client("owner"), "post", body=platform)[1]["type"] == "malformed"
    assert call(world.client("looker"), "post", body=platform)[1]["type"] == "forbidden"
    status, made = call(world.client("operate"), "post", body=platform)
    assert (status, made["account"]) == (201, None)
    one = f"{ALL}/{made['id']}"
    assert call(world.client("owner"), "get", one)[0] == 404
    assert call(world.client("owner"), "get")[1]["data"] == []


def test_a_recipient_is_moved_by_who_may_change_both_ends(
    world: World, target: NoticeTarget
) -> None:
    one = f"{ALL}/{target.pk}"
    for account in (None, "other"):
        refused = call(world.client("owner"), "patch", one, {"account": account})
        assert (refused[0], refused[1]["type"]) == (422, "malformed")
    for account in (None, "other"):
        status, moved = call(world.client("operate"), "patch", one, {"account": account})
        assert (status, moved["account"], moved["address"]) == (200, account, ADDRESS)
    assert call(world.client("owner"), "patch", one, {"account": "own"})[0] == 404


def test_no_token_changes_who_is_told(world: World, target: NoticeTarget) -> None:
    _, secret = services.token_create(name="t", account=None, resources=["*"], actor="test")
    client, token = Client(), f"Bearer {secret}"
    for method, path in (("get", ALL), ("post", ALL), ("delete", f"{ALL}/{target.pk}")):
        body = {"address": ADDRESS}
        assert call(client, method, path, body, authorization=token)[1]["type"] == "forbidden"
    assert NoticeTarget.objects.count() == 1


def test_the_list_is_filtered_and_has_pages(world: World, target: NoticeTarget) -> None:
    quiet = NoticeTarget.objects.create(account=world.own, address="b@example.org", active=False)
    other = NoticeTarget.objects.create(account=world.other, address="c@example.org")
    looker = world.client("looker")

    def ids(asked: str) -> list[int]:
        return [row["id"] for row in call(looker, "get", f"{ALL}?{asked}")[1]["data"]]

    assert ids("") == [other.pk, quiet.pk, target.pk]
    assert ids("account=own") == [quiet.pk, target.pk]
    assert ids("active=false") == [quiet.pk]
    first = call(looker, "get", f"{ALL}?limit=2")[1]
    assert ids(f"limit=2&cursor={first['next']}") == [target.pk]


def test_a_repeated_request_adds_one(world: World) -> None:
    given = {"address": ADDRESS, "account": "own"}
    key = {"idempotency-key": "one"}
    first = call(world.client("owner"), "post", body=given, **key)
    assert call(world.client("owner"), "post", body=given, **key) == first
    assert NoticeTarget.objects.count() == 1


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "", {"address": "nobody", "account": "own"}),
        ("post", "", {"address": "a@b.example\n", "account": "own"}),
        ("post", "", {"address": ADDRESS, "account": "missing"}),
        ("post", "", {"address": ADDRESS, "account": "own", "channel": "webhook"}),
        ("patch", "/{pk}", {"address": "nobody"}),
        ("patch", "/{pk}", {"account": "other"}),
        ("patch", "/{pk}", {"warnings": "no"}),
        ("get", "?active=perhaps", None),
        ("get", "?address=ops", None),
        ("get", "/0", None),
    ],
)
def test_bad_input_is_named_and_changes_nothing(
    world: World, target: NoticeTarget, method: str, path: str, body: Any
) -> None:
    answer = call(world.client("owner"), method, ALL + path.format(pk=target.pk), body)
    assert (answer[0], answer[1]["type"]) == (422, "malformed")
    assert actions() == []
    assert NoticeTarget.objects.get().address == ADDRESS


# -- an account's own, with the rights of its limits -----------------------------------------------


@pytest.fixture
def wallet(world: World) -> Wallet:
    return Wallet.objects.create(account=world.own)


def test_payers_choose_who_is_told_of_their_account(
    world: World, wallet: Wallet, target: NoticeTarget
) -> None:
    foreign = NoticeTarget.objects.create(account=world.other, address="c@example.org")
    payer = world.client("payer")
    status, made = call(payer, "post", ACCOUNT, {"address": "pay@example.org"})
    assert (status, made["account"]) == (201, "own")
    listed = [row["id"] for row in call(payer, "get", ACCOUNT)[1]["data"]]
    assert listed == [made["id"], target.pk]
    assert call(payer, "delete", f"{ACCOUNT}/{foreign.pk}")[1]["type"] == "unknown-recipient"
    assert call(payer, "delete", f"{ACCOUNT}/{target.pk}")[0] == 204
    assert set(NoticeTarget.objects.values_list("pk", flat=True)) == {made["id"], foreign.pk}
    assert actions() == ["create", "delete"]


@pytest.mark.parametrize(
    ("reader", "status"), [("admin", 403), ("looker", 403), ("agent", 403), ("foreign", 404)]
)
def test_who_may_not_pay_chooses_none(
    world: World, wallet: Wallet, target: NoticeTarget, reader: str, status: int
) -> None:
    client = world.client(reader)
    for method, path in (
        ("get", ACCOUNT),
        ("post", ACCOUNT),
        ("delete", f"{ACCOUNT}/{target.pk}"),
    ):
        assert call(client, method, path, {"address": "a@b.example"})[0] == status
    assert NoticeTarget.objects.count() == 1


def test_an_account_has_ten_recipients(world: World, wallet: Wallet) -> None:
    owner = world.client("owner")
    for number in range(10):
        assert call(owner, "post", ACCOUNT, {"address": f"a{number}@example.org"})[0] == 201
    refused = call(owner, "post", ACCOUNT, {"address": "more@example.org"})
    assert (refused[0], refused[1]["type"]) == (422, "malformed")
    assert NoticeTarget.objects.count() == 10


def test_it_asks_for_a_second_factor_as_the_page_does(
    world: World, wallet: Wallet, settings: Any
) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = True
    answer = call(world.client("owner"), "post", ACCOUNT, {"address": ADDRESS})
    assert (answer[0], answer[1]["type"]) == (403, "second-factor")
    assert not NoticeTarget.objects.exists()
