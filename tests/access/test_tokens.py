"""API tokens: 256 random bits, shown once, stored hashed, limited, ending; and visitors' tokens."""

import re
import time
from datetime import timedelta
from typing import Any

import pytest
from django.core import signing
from django.core.exceptions import ValidationError
from django.test import Client, RequestFactory
from django.utils import timezone

from poolsite import access
from poolsite.access import lookup, services
from poolsite.access.models import ApiToken, AuditEntry
from poolsite.access.principal import TokenScope, VisitorScope
from poolsite.access.tokens import VisitorClaims, hash_of, read_visitor, sign_visitor
from poolsite.runtime.redis_server import RedisServer
from tests.access.world import World

access.register_action("test.token", tokens=True, operators=True)


def make(world: World, **fields: Any) -> tuple[ApiToken, str]:
    options: dict[str, Any] = {
        "name": "switch east",
        "account": world.own,
        "resources": ["pool:east"],
        "actor": "test",
    }
    return services.token_create(**{**options, **fields})


def test_a_secret_is_random_and_never_stored(world: World) -> None:
    token, secret = make(world)
    assert re.fullmatch(r"ps_[A-Za-z0-9_-]{43}", secret)
    assert secret.startswith(token.prefix)
    row = ApiToken.objects.values().get(pk=token.pk)
    assert secret not in str(row)
    assert row["secret_hash"] == hash_of(secret)
    assert secret not in str(list(AuditEntry.objects.values()))
    assert len({make(world)[1] for _ in range(20)}) == 20


def test_a_token_becomes_a_principal_with_its_scope(world: World) -> None:
    _token, secret = make(world, events=["call", "hangup"], switch="east-1")
    principal = lookup.of_credential(lookup.credential_of_bearer(secret), address="192.0.2.1")
    assert principal.kind == "token"
    assert principal.scope == TokenScope(
        account_id=world.own.pk,
        resources=frozenset({"pool:east"}),
        actions=frozenset({"*"}),
        events=frozenset({"call", "hangup"}),
        switch="east-1",
    )
    assert principal.may_send("call")
    assert not principal.may_send("del")
    assert access.decide(principal, "test.token", access.Thing("pool", "east", world.own.pk))


@pytest.mark.parametrize("secret", ["", "ps_", "ps_unknown", "psv_unknown", "x" * 5000, "ps_\x00"])
def test_an_unknown_secret_is_nobodys(world: World, secret: str) -> None:
    request = RequestFactory().get("/", HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert access.principal_of_request(request).kind == "anonymous"


def test_a_revoked_and_an_expired_token_are_nobodys(world: World) -> None:
    revoked, first = make(world)
    services.token_revoke(token=revoked, actor="test", reason="lost")
    expired, second = make(world)
    ApiToken.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
    for secret in (first, second):
        credential = lookup.credential_of_bearer(secret)
        assert lookup.of_credential(credential) is access.ANONYMOUS


def test_revoking_twice_changes_nothing_and_is_written_once(world: World) -> None:
    token, _secret = make(world)
    first = services.token_revoke(token=token, actor="test")
    second = services.token_revoke(token=token, actor="test")
    assert first.revoked_at == second.revoked_at
    assert AuditEntry.objects.filter(action="access.token_revoke").count() == 1


def test_the_last_use_is_written_at_most_once_a_minute(world: World) -> None:
    token, secret = make(world)
    credential = lookup.credential_of_bearer(secret)
    lookup.of_credential(credential, address="192.0.2.1")
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    assert token.last_used_address == "192.0.2.1"
    lookup.of_credential(credential, address="192.0.2.2")
    token.refresh_from_db()
    assert token.last_used_at == first
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=first - timedelta(seconds=61))
    lookup.of_credential(credential, address="192.0.2.2")
    token.refresh_from_db()
    assert token.last_used_address == "192.0.2.2"


@pytest.mark.parametrize(
    "fields",
    [
        {"resources": []},
        {"resources": ["pool"]},
        {"resources": ["pool:UPPER"]},
        {"resources": ["pool:east\n"]},
        {"actions": ["access.people_change"]},
        {"actions": ["no.such.action"]},
        {"actions": []},
        {"events": []},
        {"name": ""},
        {"name": "x" * 81},
        {"expires_at": timezone.now() - timedelta(seconds=1)},
        {"expires_at": timezone.now() + timedelta(days=800)},
    ],
)
def test_a_bad_field_makes_no_token(world: World, fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        make(world, **fields)
    assert not ApiToken.objects.exists()
    assert not AuditEntry.objects.filter(action="access.token_create").exists()


def test_a_token_ends_after_a_year_unless_said_otherwise(world: World) -> None:
    token, _secret = make(world)
    assert abs(token.expires_at - timezone.now() - timedelta(days=365)) < timedelta(minutes=1)


def form(world: World, **fields: Any) -> dict[str, Any]:
    base = {"name": "switch", "account": world.own.pk, "resources": "pool:east", "days": "30"}
    return {**base, "actions": ["test.token"], **fields}


def test_the_page_shows_the_secret_once(world: World) -> None:
    client = world.client("owner")
    page = client.post("/tokens/new/", form(world)).content.decode()
    secret = re.search(r'value="(ps_[^"]+)"', page)
    assert secret is not None
    assert secret[1] not in client.get("/tokens/").content.decode()
    assert ApiToken.objects.get().created_by == world.users["owner"]


def test_a_tenant_makes_tokens_for_itself_alone(world: World) -> None:
    client = world.client("owner")
    for account in (world.other.pk, ""):
        page = client.post("/tokens/new/", form(world, account=account))
        assert page.status_code == 200
        assert b"ps_" not in page.content
    assert not ApiToken.objects.exists()


def test_an_operator_makes_the_platforms_tokens(world: World) -> None:
    page = world.client("operate").post("/tokens/new/", form(world, account=""))
    assert b"ps_" in page.content
    assert ApiToken.objects.get().account is None


def test_a_tenant_sees_its_own_tokens_alone(world: World) -> None:
    make(world, name="ours")
    make(world, name="theirs", account=world.other)
    make(world, name="the platforms", account=None)
    page = world.client("owner").get("/tokens/").content.decode()
    assert "ours" in page
    assert "theirs" not in page
    assert "the platforms" not in page


def test_a_foreign_token_cannot_be_revoked(world: World) -> None:
    token, secret = make(world, account=world.other)
    assert world.client("owner").post(f"/tokens/{token.pk}/revoke/").status_code == 404
    credential = lookup.credential_of_bearer(secret)
    assert lookup.of_credential(credential).kind == "token"


def test_a_token_opens_no_page_for_people(world: World) -> None:
    _token, secret = make(world, account=None, resources=["*"])
    bearer: Any = {"HTTP_AUTHORIZATION": f"Bearer {secret}"}
    for path in ("/profile/", "/tokens/", "/accounts/own/people/", "/history/"):
        assert Client().get(path, **bearer).status_code == 403, path
    assert Client().get("/", **bearer).status_code == 401


# -- visitors ----------------------------------------------------------------------------


def visitor(secret: str) -> access.Principal:
    request = RequestFactory().get("/", HTTP_AUTHORIZATION=f"Bearer {secret}")
    return access.principal_of_request(request)


def test_a_visitors_token_is_bound_to_one_visit_in_one_desk(clean_redis: RedisServer) -> None:
    secret = services.visitor_token(desk="support", visit="v1", account_id=7, seconds=60)
    principal = visitor(secret)
    assert (principal.kind, principal.id) == ("visitor", "v1")
    assert principal.scope == VisitorScope("support", "v1", 7)
    assert principal.seconds_left == pytest.approx(60, abs=5)


def test_a_changed_or_foreign_visitors_token_is_nobodys(clean_redis: RedisServer) -> None:
    secret = services.visitor_token(desk="support", visit="v1", account_id=7, seconds=60)
    foreign = "psv_" + signing.dumps(["support", "v1", 7, 0, time.time() + 60], salt="other")
    for bad in (secret[:-1], secret + "x", foreign, "psv_" + signing.dumps("x"), "psv_"):
        assert visitor(bad).kind == "anonymous"
    assert read_visitor("psv_" + signing.dumps([1], salt="poolsite.access.visitor")) is None


def test_an_expired_visitors_token_is_nobodys(clean_redis: RedisServer) -> None:
    claims = VisitorClaims("support", "v1", None, 0, time.time() - 1)
    assert visitor(sign_visitor(claims)).kind == "anonymous"


def test_a_visit_that_ended_ends_its_tokens_and_not_those_of_others(
    clean_redis: RedisServer,
) -> None:
    first = services.visitor_token(desk="support", visit="v1", account_id=None, seconds=60)
    other = services.visitor_token(desk="support", visit="v2", account_id=None, seconds=60)
    services.visitor_end(visit="v1")
    assert visitor(first).kind == "anonymous"
    assert visitor(other).kind == "visitor"
    again = services.visitor_token(desk="support", visit="v1", account_id=None, seconds=60)
    assert visitor(again).kind == "visitor"


@pytest.mark.parametrize("seconds", [0, -1, 24 * 3600 + 1])
def test_a_visitors_token_lives_at_most_a_day(clean_redis: RedisServer, seconds: int) -> None:
    with pytest.raises(ValueError, match="a day"):
        services.visitor_token(desk="d", visit="v", account_id=None, seconds=seconds)
