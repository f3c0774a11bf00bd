"""People, tokens and the audit log in the API: the pages' rights, and what requests change."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from numbers.models import Pool
from numbers.services import pool_configure
from poolsite.access import principal_of_user, services
from poolsite.access.models import (
    Account,
    ApiToken,
    AuditEntry,
    FinanceRequest,
    Grant,
    Invitation,
    Membership,
    User,
)
from tests.access.second_factor import give_app
from tests.access.world import World

ROOT = "/api/v1/"
OWN = "people/accounts/own"


def call(
    world: World | Client, reader: str, method: str, path: str, **body: Any
) -> tuple[int, dict[str, Any]]:
    """Return the status and body that a reader gets."""
    client = world.client(reader) if isinstance(world, World) else world
    return sent(client, method, path, **body)


def sent(client: Client, method: str, path: str, **body: Any) -> tuple[int, dict[str, Any]]:
    given = {} if method == "get" else {"data": json.dumps(body)}
    answer = getattr(client, method)(ROOT + path, content_type="application/json", **given)
    return answer.status_code, json.loads(answer.content) if answer.content else {}


def roles_of(user: User) -> set[str]:
    return set(Membership.objects.filter(user=user).values_list("role", flat=True))


def last() -> AuditEntry:
    return AuditEntry.objects.latest("pk")


def later(client: Client) -> Client:
    """Make the session's login an hour older."""
    session = client.session
    session["access_started"] -= 3_600
    session["account_authentication_methods"] = []
    session.save()
    return client


# -- who may ---------------------------------------------------------------------------------------

MANAGE = {"owner": 0, "admin": 0, "operate": 0, "agent": 403, "looker": 403, "foreign": 404}
OPERATE = {"operate": 0, "looker": 403, "owner": 403, "foreign": 403}
WRITES: list[tuple[str, str, dict[str, Any], dict[str, int]]] = [
    ("patch", OWN, {"name": "New"}, {**OPERATE, "foreign": 403}),
    ("post", "people/accounts", {"slug": "third", "name": "Third"}, OPERATE),
    ("patch", f"{OWN}/members/AGENT", {"roles": ["sender"]}, MANAGE),
    ("post", f"{OWN}/members/AGENT/remove", {}, MANAGE),
    ("post", f"{OWN}/invitations", {"email": "a@b.example", "role": "agent"}, MANAGE),
    ("patch", "people/operators/LOOKER", {"grants": ["operate"], "reason": "New"}, OPERATE),
    ("post", "people/operator-invitations", {"email": "a@b.example"}, OPERATE),
    ("post", "people/users/AGENT/deactivate", {"reason": "Left"}, OPERATE),
    ("post", "people/users/AGENT/activate", {"reason": "Back"}, OPERATE),
    ("post", "people/users/AGENT/reset-factor", {"reason": "Lost"}, OPERATE),
    (
        *("post", "tokens"),
        {
            "name": "t",
            "account": "own",
            "actions": ["numbers.view"],
            "resources": ["pool:own-pool"],
        },
        MANAGE,
    ),
    ("post", "tokens/TOKEN/revoke", {"reason": "Lost"}, MANAGE),
]


@pytest.mark.parametrize(("method", "path", "body", "answers"), WRITES)
def test_writes_take_the_rights_of_the_pages(
    world: World, method: str, path: str, body: dict[str, Any], answers: dict[str, int]
) -> None:
    for reader in ("agent", "looker"):
        path = path.replace(reader.upper(), str(world.users[reader].pk))
    token, _ = services.token_create(name="t", account=world.own, resources=["*"], actor="test")
    path = path.replace("TOKEN", str(token.pk))
    refused = {reader: status for reader, status in answers.items() if status}
    for reader in refused:
        world.users[reader]
    before = AuditEntry.objects.count()
    for reader, status in refused.items():
        assert call(world, reader, method, path, **body)[0] == status, reader
    assert AuditEntry.objects.count() == before
    allowed = next(reader for reader, status in answers.items() if not status)
    status, _answer = call(world, allowed, method, path, **body)
    assert status in (200, 201, 204)


@pytest.mark.parametrize(("method", "path", "body", "answers"), WRITES)
def test_no_token_manages_people(
    world: World, method: str, path: str, body: dict[str, Any], answers: dict[str, int]
) -> None:
    """Not even the platform's token with every permission may: it could give more than it has."""
    _, secret = services.token_create(name="t", account=None, resources=["*"], actor="test")
    for reader in ("agent", "looker", "token"):
        path = path.replace(reader.upper(), "1")
    client = Client(headers={"authorization": f"Bearer {secret}"})
    assert sent(client, method, path, **body)[1]["type"] == "forbidden"
    for listed in ("people/accounts", "tokens", "audit-log", "people/operators"):
        assert sent(client, "get", listed)[0] == 403


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("people/accounts/missing", "unknown-account"),
        (f"{OWN}/members/999999/remove", "unknown-user"),
        (f"{OWN}/invitations/999999/withdraw", "unknown-invitation"),
        ("people/operator-invitations/999999/withdraw", "unknown-invitation"),
        ("people/finance-requests/999999", "unknown-request"),
        ("tokens/999999", "unknown-token"),
        ("audit-log/999999", "unknown-entry"),
        ("audit-log/999999/undo", "unknown-entry"),
    ],
)
def test_what_is_missing_is_named(world: World, path: str, kind: str) -> None:
    method = "post" if path.endswith(("remove", "withdraw", "undo")) else "get"
    assert call(world, "operate", method, path)[1]["type"] == kind


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "people/accounts", {"slug": "Bad Slug", "name": "x"}),
        ("post", "people/accounts", {"slug": "third", "name": "x", "zone": "Moon/Base"}),
        ("post", "people/accounts", {"slug": "third", "name": "x\x00"}),
        ("patch", OWN, {"slug": "other-name"}),
        ("post", f"{OWN}/invitations", {"email": "nobody", "role": "agent"}),
        ("post", f"{OWN}/invitations", {"email": "a@b.example", "role": "king"}),
        ("post", "tokens", {"name": "t", "actions": ["access.people_change"], "resources": ["*"]}),
        ("post", "tokens", {"name": "t", "actions": ["numbers.view"], "resources": ["gate:g"]}),
        ("get", "tokens?state=broken", {}),
        ("get", "audit-log?since=yesterday", {}),
        ("get", "people/accounts?name=x", {}),
        ("get", "people/accounts?q=%00", {}),
    ],
)
def test_bad_input_is_malformed(world: World, method: str, path: str, body: dict[str, Any]) -> None:
    status, answer = call(world, "operate", method, path, **body)
    assert (status, answer["type"]) == (422, "malformed")


# -- accounts and members --------------------------------------------------------------------------


def test_an_account_is_made_changed_and_listed(world: World) -> None:
    status, made = call(
        world, "operate", "post", "people/accounts", slug="third", name="Third", currency="usd"
    )
    assert (status, made["currency"], made["zone"]) == (201, "USD", "Asia/Shanghai")
    assert last().action == "access.account_create"
    changed = call(
        world, "operate", "patch", "people/accounts/third", name="Fourth", zone="Asia/Tokyo"
    )[1]
    assert (changed["name"], changed["zone"], changed["locale"]) == ("Fourth", "Asia/Tokyo", "en")
    assert Account.objects.get(slug="third").name == "Fourth"
    assert last().actor_name == "operate"
    first = call(world, "operate", "get", "people/accounts?limit=2")[1]
    rest = call(world, "operate", "get", f"people/accounts?cursor={first['next']}")[1]
    assert [row["slug"] for row in first["data"] + rest["data"]] == ["third", "other", "own"]
    assert [row["slug"] for row in call(world, "owner", "get", "people/accounts")[1]["data"]] == [
        "own"
    ]


def test_members_are_listed_changed_and_removed(world: World) -> None:
    agent, path = world.users["agent"], f"{OWN}/members/{world.users['agent'].pk}"
    world.users["owner"], world.users["payer"]
    listed = call(world, "owner", "get", f"{OWN}/members?role=agent")[1]["data"]
    assert [(row["username"], row["roles"]) for row in listed] == [("agent", ["agent"])]
    changed = call(
        *(world, "owner", "patch", path), roles=["agent", "sender"], supervises=["desk:support"]
    )[1]
    assert (changed["roles"], changed["supervises"]) == (["agent", "sender"], ["desk:support"])
    assert roles_of(agent) == {"agent", "sender"}
    assert call(world, "owner", "patch", path, roles=["agent"])[1]["supervises"] == ["desk:support"]
    assert call(world, "owner", "post", f"{path}/remove")[0] == 204
    assert roles_of(agent) == set()
    assert not Grant.objects.filter(user=agent).exists()
    assert call(world, "owner", "post", f"{path}/remove")[1]["type"] == "unknown-user"


def test_only_owners_make_owners_and_the_last_one_stays(world: World) -> None:
    agent, owner = world.users["agent"], world.users["owner"]
    path = f"{OWN}/members/{agent.pk}"
    status, answer = call(world, "admin", "patch", path, roles=["owner"], supervises=["desk:a"])
    assert (status, answer["detail"]) == (422, "Only owners can add or remove owners.")
    assert call(world, "admin", "post", f"{OWN}/invitations", email="a@b.example", role="owner")[1][
        "detail"
    ] == ("Only owners can add owners.")
    assert roles_of(agent) == {"agent"}
    assert not Grant.objects.filter(user=agent).exists()
    status, answer = call(world, "owner", "post", f"{OWN}/members/{owner.pk}/remove")
    assert (status, roles_of(owner)) == (422, {"owner"})


def test_an_invitation_is_mailed_without_telling_its_secret(world: World) -> None:
    status, made = call(
        world, "owner", "post", f"{OWN}/invitations", email="new@b.example", role="agent"
    )
    assert (status, made["mailed"], made["invited_by"]) == (201, True, "owner")
    assert mail.outbox[-1].to == ["new@b.example"]
    assert "psi_" in mail.outbox[-1].body
    assert "psi_" not in json.dumps(made)
    path = f"{OWN}/invitations"
    assert [row["id"] for row in call(world, "admin", "get", path)[1]["data"]] == [made["id"]]
    assert call(world, "admin", "post", f"{path}/{made['id']}/withdraw")[0] == 204
    assert call(world, "admin", "get", path)[1]["data"] == []
    assert Invitation.objects.get(pk=made["id"]).withdrawn_at is not None


# -- operators -------------------------------------------------------------------------------------


def test_a_grant_is_given_by_who_has_it_and_finance_waits(world: World) -> None:
    operate, looker = world.users["operate"], world.users["looker"]
    services.grant_set(user=operate, name="finance", actor="test")
    path = f"people/operators/{looker.pk}"
    answer = call(world, "operate", "patch", path, grants=["operate", "finance"], reason="New")[1]
    assert answer == {"changed": True, "waits_for_approval": True}
    assert set(looker.grants.values_list("name", flat=True)) == {"operate"}
    assert FinanceRequest.objects.get(user=looker).asked_by == operate
    refused = call(world, "operate", "patch", path, grants=["supervise"], reason="x")
    assert (refused[0], refused[1]["detail"]) == (422, "You can only give grants that you have.")
    own = f"people/operators/{operate.pk}"
    assert call(world, "operate", "patch", own, grants=[], reason="x")[0] == 422
    listed = call(world, "looker", "get", "people/operators?q=look")[1]["data"]
    assert [(row["username"], row["grants"]) for row in listed] == [("looker", ["operate"])]


def test_a_finance_grant_takes_two_and_a_second_factor(world: World) -> None:
    asker, decider, looker = (world.users[name] for name in ("operate", "finance", "looker"))
    services.grant_set(user=asker, name="finance", actor="test")
    made = services.finance_ask(user=looker, actor=principal_of_user(asker), reason="Needed")
    path = f"people/finance-requests/{made.pk}"
    client = world.client("finance")
    assert sent(client, "post", f"{path}/approve")[1]["type"] == "second-factor"
    give_app(decider)
    proof = {"method": "mfa", "at": timezone.now().timestamp()}
    session = client.session
    session["account_authentication_methods"] = [proof]
    session["account_authentication_methods_user"] = str(decider.pk)
    session.save()
    status, answer = sent(client, "post", f"{path}/approve", reason="Agreed")
    assert (status, answer["status"], answer["decided_by"]) == (200, "approved", "finance")
    assert Grant.objects.filter(user=looker, name="finance").exists()
    assert sent(client, "post", f"{path}/reject", reason="Late")[0] == 422
    listed = call(world, "looker", "get", "people/finance-requests?status=approved")[1]["data"]
    assert [row["id"] for row in listed] == [made.pk]


def test_a_user_is_deactivated_by_somebody_else(world: World) -> None:
    agent, operate = world.users["agent"], world.users["operate"]
    path = f"people/users/{agent.pk}"
    answer = call(world, "operate", "post", f"{path}/deactivate", reason="Left")[1]
    assert (answer["active"], last().action, last().reason) == (
        *(False, "access.user_deactivate"),
        "Left",
    )
    assert call(world, "operate", "post", f"{path}/activate", reason="Back")[1]["active"] is True
    own = f"people/users/{operate.pk}/deactivate"
    assert call(world, "operate", "post", own, reason="x")[0] == 422
    give_app(agent)
    assert call(world, "operate", "post", f"{path}/reset-factor", reason="Lost")[0] == 204
    assert last().action == "access.factor_remove"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", f"{OWN}/invitations", {"email": "a@b.example", "role": "agent"}),
        ("post", "people/operator-invitations", {"email": "a@b.example"}),
        ("patch", "people/operators/LOOKER", {"grants": ["operate"], "reason": "x"}),
        ("post", "people/users/LOOKER/reset-factor", {"reason": "x"}),
        ("post", "people/users/LOOKER/activate", {"reason": "x"}),
        ("post", "audit-log/TAKEN/undo", {}),
        ("post", "tokens", {"name": "t", "actions": ["numbers.view"], "resources": ["pool:*"]}),
    ],
)
def test_a_stolen_session_makes_no_other_way_in(
    world: World, method: str, path: str, body: dict[str, Any]
) -> None:
    looker, user = world.users["looker"], world.users["operate"]
    for granted in (True, False):
        services.grant_set(user=looker, name="operate", granted=granted, actor="test")
    path = path.replace("LOOKER", str(looker.pk)).replace("TAKEN", str(last().pk))
    user.set_password("correct horse battery")
    user.save()
    client = later(world.client("operate"))
    before = AuditEntry.objects.count()
    assert sent(client, method, path, **body)[1]["type"] == "unconfirmed"
    assert AuditEntry.objects.count() == before


# -- tokens ----------------------------------------------------------------------------------------

TOKEN = {"name": "fs-01", "account": "own", "actions": ["numbers.view"], "resources": ["pool:*"]}


def test_a_token_is_shown_once_and_revoked(world: World) -> None:
    status, made = call(world, "owner", "post", "tokens", **TOKEN, networks=["203.0.113.0/24"])
    assert (status, made["networks"], made["token"][:3]) == (201, ["203.0.113.0/24"], "ps_")
    row = ApiToken.objects.get(pk=made["id"])
    assert timedelta(days=89) < row.expires_at - timezone.now() <= timedelta(days=90)
    assert row.created_by == world.users["owner"]
    used = Client(headers={"authorization": f"Bearer {made['token']}"}, REMOTE_ADDR="203.0.113.9")
    assert sent(used, "get", "pools")[0] == 200
    assert made["token"] not in json.dumps(last().after)
    path = f"tokens/{made['id']}"
    assert "token" not in call(world, "owner", "get", path)[1]
    assert call(world, "foreign", "get", path)[1]["type"] == "unknown-token"
    assert [row["id"] for row in call(world, "owner", "get", "tokens")[1]["data"]] == [made["id"]]
    answer = call(world, "owner", "post", f"{path}/revoke", reason="Replaced")[1]
    assert answer["revoked_at"]
    assert (last().action, last().reason) == ("access.token_revoke", "Replaced")
    assert sent(used, "get", "pools")[0] == 401
    assert call(world, "owner", "get", "tokens")[1]["data"] == []


@pytest.mark.parametrize(
    ("reader", "changes", "status"),
    [
        ("owner", {"account": None}, 403),
        ("operate", {"account": None, "resources": ["*"]}, 201),
        ("owner", {"resources": ["*"]}, 422),
        ("owner", {"actions": ["*"]}, 422),
        ("owner", {"actions": ["access.tokens_change"]}, 422),
        ("owner", {"account": "other"}, 404),
        ("owner", {"expires_at": "2020-01-01T00:00:00Z"}, 422),
    ],
)
def test_no_token_has_more_than_the_page_gives(
    world: World, reader: str, changes: dict[str, Any], status: int
) -> None:
    assert call(world, reader, "post", "tokens", **{**TOKEN, **changes})[0] == status
    assert ApiToken.objects.exists() is (status == 201)


# -- the audit log ---------------------------------------------------------------------------------


def _changed_pool(world: World) -> Pool:
    pool = Pool.objects.create(slug="own-pool", account=world.own, name="Before")
    actor = principal_of_user(world.users["operate"])
    pool_configure(pool=pool, actor=actor, reason="Test", name="After")
    pool.refresh_from_db()
    return pool


def test_the_log_is_filtered_and_a_tenant_sees_its_own(world: World) -> None:
    _changed_pool(world)
    services.account_change(account=world.other, name="Else", actor="test")
    asked = "audit-log?action=numbers.&object_type=pool&object_id=own-pool&actor=operate"
    (row,) = call(world, "owner", "get", asked)[1]["data"]
    assert (row["before"], row["after"], row["account"]) == (
        *({"name": "Before"}, {"name": "After"}),
        "own",
    )
    assert "After" in row["text"] or "name" in row["text"]
    every = call(world, "owner", "get", "audit-log?limit=200")[1]["data"]
    assert {each["account"] for each in every} == {"own"}
    assert call(world, "operate", "get", "audit-log?account=other")[1]["data"]
    assert call(world, "owner", "get", "audit-log?account=other")[1]["data"] == []
    assert call(world, "owner", "get", "audit-log?until=2020-01-01T00:00:00Z")[1]["data"] == []
    assert call(world, "foreign", "get", f"audit-log/{row['id']}")[1]["type"] == "unknown-entry"


def test_a_change_is_taken_back(world: World) -> None:
    pool = _changed_pool(world)
    path = f"audit-log/{last().pk}/undo"
    assert call(world, "owner", "post", path)[0] == 403
    assert call(world, "operate", "post", path) == (200, {"object": "Before"})
    pool.refresh_from_db()
    assert pool.name == "Before"
    assert call(world, "operate", "post", path)[0] == 422
