"""API tokens:

256 random bits, shown once, stored hashed, limited, expiring; visitors' tokens, too.
"""

import re
import secrets
import time
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core import signing
from django.core.exceptions import ValidationError
from django.test import Client, RequestFactory
from django.utils import timezone

from numbers.models import Pool
from poolsite import access
from poolsite.access import TokenScope, VisitorScope, lookup, services
from poolsite.access.actions import actions as registered_actions
from poolsite.access.models import Account, ApiToken, AuditEntry
from poolsite.access.token_areas import areas, areas_of, purposes
from poolsite.access.tokens import VisitorClaims, hash_of, read_visitor, sign_visitor
from poolsite.runtime.redis_server import RedisServer
from tests.access.world import World
from tests.house.source import ROOT

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
        {"networks": ["203.0.113.5/24"]},
        {"networks": ["east"]},
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
    base = {"name": "switch", "account": world.own.pk, "resources": "pool:east", "lifetime": "30"}
    return {**base, "actions": ["numbers.view"], **fields}


def test_the_page_shows_the_secret_once(world: World) -> None:
    client = world.client("owner")
    page = client.post("/tokens/new/", form(world)).content.decode()
    secret = re.search(r'value="(ps_[^"]+)"', page)
    assert secret is not None
    assert secret[1] not in client.get("/tokens/").content.decode()
    assert ApiToken.objects.get().created_by == world.users["owner"]


def test_a_form_that_is_sent_again_makes_no_second_token(world: World) -> None:
    client, once = world.client("owner"), secrets.token_hex(8)
    first = client.post("/tokens/new/", form(world, once=once))
    again = client.post("/tokens/new/", form(world, once=once))
    assert first["Cache-Control"].count("no-store")
    assert again.status_code == 302
    assert "already created" in client.get("/tokens/").content.decode()
    assert ApiToken.objects.count() == 1


def test_a_new_token_lasts_ninety_days_and_names_its_events(world: World) -> None:
    client = world.client("owner")
    page = client.get("/tokens/new/").content.decode()
    assert '<option value="90" selected>' in page
    assert 'name="actions" value="numbers.view">' in page  # nothing is ticked
    events = form(world, actions=["numbers.event"], lifetime="90", networks="192.0.2.7")
    client.post("/tokens/new/", events)
    token = ApiToken.objects.get()
    assert abs(token.expires_at - timezone.now() - timedelta(days=90)) < timedelta(minutes=1)
    assert token.networks == ["192.0.2.7/32"]
    assert sorted(token.events) == ["add", "call", "del", "hangup", "reg", "renew", "unreg"]


@pytest.mark.parametrize("days", [-1, 0, 30, 729, 730])
def test_a_last_day_is_within_two_years(world: World, days: int) -> None:
    day = timezone.localdate(timezone=ZoneInfo("Asia/Shanghai")) + timedelta(days=days)
    data = form(world, lifetime="date", until=str(day))
    page = world.client("owner").post("/tokens/new/", data)
    assert (b"ps_" in page.content) is (0 <= days <= 729)


@pytest.mark.parametrize("purpose", [each.key for each in purposes()])
def test_each_purpose_gives_its_own_permissions_and_its_example_is_allowed(
    world: World, purpose: str
) -> None:
    chosen = next(each for each in purposes() if each.key == purpose)
    known = {action for action, rule in registered_actions().items() if rule.tokens}
    assert set(chosen.actions) <= known
    page = world.client("owner").get(f"/tokens/new/?purpose={purpose}").content.decode()
    ticked = set(re.findall(r'name="actions" value="([a-z.]+)" checked', page))
    assert ticked == set(chosen.actions)
    assert re.search(r'data-part="reason" role="status">(Enter|Choose) ', page)
    assert "field--error" not in page
    kinds = [area.kind for area in areas_of(chosen.actions)]
    things = [f"{kind}:*" for kind in kinds]
    data = form(world, resources="", things=things, actions=list(chosen.actions))
    made = world.client("owner").post("/tokens/new/", data).content.decode()
    assert "$POOLSITE_TOKEN" in made
    token = ApiToken.objects.get()
    assert token.resources == sorted(things)
    assert set(token.actions) == set(chosen.actions)


def test_the_summary_says_what_the_token_can_and_cannot(world: World) -> None:
    client = world.client("owner")
    data = form(world, name="<b>East</b>", resources="", things=["pool:*"])
    page = client.post("/tokens/new/summary/", data).content.decode()
    assert "<strong>&lt;b&gt;East&lt;/b&gt;</strong> may" in page
    assert "<strong>view pools and numbers</strong> for <strong>all pools of Own</strong>" in page
    assert "Can&#x27;t report calls and registrations or report spam labels" in page
    assert '<p data-part="reason"></p>' in page
    nothing = client.post("/tokens/new/summary/", form(world, actions=[])).content.decode()
    assert '<p data-part="reason">Choose at least one permission.</p>' in nothing
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"actions": []},
        {"actions": ["*"]},
        {"resources": "", "things": []},
        {"resources": "*"},
        {"resources": "pool:UPPER"},
        {"networks": "192.0.2.7/24"},
        {"lifetime": "9999"},
        {"lifetime": "date", "until": ""},
        {"name": ""},
    ],
)
def test_a_form_with_a_bad_field_makes_no_token(world: World, fields: dict[str, Any]) -> None:
    page = world.client("owner").post("/tokens/new/", form(world, **fields))
    assert b"form-errors-title" in page.content
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("account", ["", "other", "own", "9999"])
def test_a_manager_of_several_accounts_is_shown_nothing_of_others(
    world: World, account: str
) -> None:
    second = Account.objects.create(slug="second", name="Second")
    services.membership_set(
        user=world.users["owner"], account=second, roles={"admin"}, actor="test"
    )
    for owner, slug in ((world.own, "mine"), (world.other, "foreign"), (None, "common")):
        Pool.objects.create(slug=slug, name=f"{slug} pool", account=owner)
    key = {"other": world.other.pk, "own": world.own.pk}.get(account, account)
    data = form(world, account=key, resources="")
    page = world.client("owner").post("/tokens/new/summary/", data).content.decode()
    assert "foreign" not in page
    assert "common" not in page
    assert account != "own" or "mine pool" in page


@pytest.mark.parametrize("reader", ["owner", "operate"])
@pytest.mark.parametrize("everything", [{"resources": ["*"]}, {"actions": ["*"]}])
def test_nobody_gives_a_customers_token_everything(
    world: World, reader: str, everything: dict[str, Any]
) -> None:
    for actor in (world.users[reader], access.principal_of_user(world.users[reader])):
        with pytest.raises(ValidationError):
            make(world, actor=actor, **{"actions": ["numbers.view"], **everything})
    made, _secret = make(world, actor="manage.py token", **everything)
    assert made.account == world.own


def test_each_area_names_actions_of_its_own_that_tokens_may_have() -> None:
    open_to_tokens = {name for name, rule in registered_actions().items() if rule.tokens}
    named = [right.action for area in areas() for right in area.rights]
    assert len(named) == len(set(named))
    assert set(named) <= open_to_tokens
    # Only actions that no operation of the API needs are left out. Other tests register their own.
    apps = {name.partition(".")[0] for name in named}
    left = {name for name in open_to_tokens - set(named) if name.partition(".")[0] in apps}
    assert left == {"billing.send"}


def test_links_to_the_form_name_purposes_that_there_are() -> None:
    named = {
        purpose
        for page in (ROOT / "templates").rglob("*.html")
        for purpose in re.findall(r"[?]purpose=(\w+)", page.read_text("utf-8"))
    }
    assert named
    assert named <= {purpose.key for purpose in purposes()}


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
