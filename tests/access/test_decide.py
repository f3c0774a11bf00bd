"""One function decides for all: roles, grants, tenants, tokens, visitors."""

import time
from dataclasses import replace
from typing import Any

import pytest
from django.http import Http404

from poolsite import access
from poolsite.access import Decision, Principal, Thing, TokenScope, VisitorScope, services
from poolsite.access.actions import actions, factor_is_fresh
from poolsite.access.models import Account, ApiToken
from tests.access.world import World

OWN, OTHER = 1, 2
POOL = Thing("pool", "east", OWN)
FOREIGN = Thing("pool", "west", OTHER)
PLATFORM = Thing("pool", "shared", None)
SUPERVISED = Thing("desk", "support", OWN)

access.register_action("decide.view", roles=["owner", "agent"], operators=True, tokens=True)
access.register_action("test.change", roles=["owner"], grants=["operate"], tokens=True)
access.register_action("test.supervise", roles=["supervisor"], grants=["supervise"])
access.register_action("test.wait", visitors=True, operators=True)
access.register_action("test.pay", roles=["payer"], grants=["finance"], fresh_factor=True)


def user(*roles: str, account: int = OWN, **fields: Any) -> Principal:
    memberships = {account: frozenset(roles)} if roles else {}
    return Principal(kind="user", id="7", memberships=memberships, **fields)


def operator(*grants: str) -> Principal:
    return Principal(kind="user", id="8", is_operator=True, grants=frozenset(grants))


def token(*resources: str, account: int | None = OWN, **fields: Any) -> Principal:
    everything = frozenset({"*"})
    scope = TokenScope(
        account_id=account,
        resources=frozenset(resources),
        actions=fields.pop("actions", everything),
        events=fields.pop("events", everything),
    )
    return Principal(kind="token", id="9", scope=scope, **fields)


VISITOR = Principal(kind="visitor", id="v1", scope=VisitorScope("support", "v1", OWN))


@pytest.mark.parametrize(
    ("principal", "action", "thing", "answer"),
    [
        (access.ANONYMOUS, "decide.view", POOL, Decision.LOGIN),
        (user("agent"), "decide.view", POOL, Decision.ALLOW),
        (user("agent"), "test.change", POOL, Decision.FORBIDDEN),
        (user("agent"), "decide.view", FOREIGN, Decision.HIDDEN),
        (user("owner"), "test.change", PLATFORM, Decision.HIDDEN),
        (user("owner"), "test.change", None, Decision.ALLOW),
        (user("agent"), "test.change", None, Decision.FORBIDDEN),
        (user(), "decide.view", None, Decision.FORBIDDEN),
        (user(), "decide.view", POOL, Decision.HIDDEN),
        (operator(), "decide.view", FOREIGN, Decision.ALLOW),
        (operator(), "test.change", PLATFORM, Decision.FORBIDDEN),
        (operator("operate"), "test.change", PLATFORM, Decision.ALLOW),
        (operator("finance"), "test.change", POOL, Decision.FORBIDDEN),
        (token("pool:east"), "decide.view", POOL, Decision.ALLOW),
        (token("pool:*"), "decide.view", POOL, Decision.ALLOW),
        (token("pool:north"), "decide.view", POOL, Decision.FORBIDDEN),
        (token("gate:*"), "decide.view", POOL, Decision.FORBIDDEN),
        (token("*"), "decide.view", FOREIGN, Decision.HIDDEN),
        (token("*"), "decide.view", PLATFORM, Decision.HIDDEN),
        (token("*", account=None), "decide.view", FOREIGN, Decision.ALLOW),
        (token("*"), "test.supervise", SUPERVISED, Decision.FORBIDDEN),
        (token("*", actions=frozenset({"decide.view"})), "test.change", POOL, Decision.FORBIDDEN),
        (VISITOR, "test.wait", SUPERVISED, Decision.ALLOW),
        (VISITOR, "test.wait", Thing("desk", "sales", OWN), Decision.HIDDEN),
        (VISITOR, "decide.view", SUPERVISED, Decision.FORBIDDEN),
    ],
)
def test_the_answer_follows_from_principal_action_and_thing(
    principal: Principal, action: str, thing: Thing | None, answer: Decision
) -> None:
    assert access.decide(principal, action, thing) is answer


@pytest.mark.parametrize(
    ("account", "thing", "answer"),
    [
        (None, SUPERVISED, Decision.ALLOW),
        (OWN, SUPERVISED, Decision.ALLOW),
        (OTHER, SUPERVISED, Decision.FORBIDDEN),
        (None, Thing("desk", "sales", OWN), Decision.FORBIDDEN),
        (None, Thing("desk", "support", OTHER), Decision.HIDDEN),
    ],
)
def test_a_grant_for_one_desk_counts_for_that_desk_in_its_tenant(
    account: int | None, thing: Thing, answer: Decision
) -> None:
    granted = user("agent", thing_grants=frozenset({("supervise", "desk:support", account)}))
    assert access.decide(granted, "test.supervise", thing) is answer


@pytest.mark.parametrize(
    "action",
    [
        *("numbers.create", "line.create", "admission.create", "dispatch.create"),
        *("access.accounts_change", "access.operators_change", "operations.system_change"),
    ],
)
@pytest.mark.parametrize("is_operator", [True, False])
def test_a_grant_for_one_pool_opens_nothing_that_is_about_the_whole_platform(
    action: str, is_operator: bool
) -> None:
    """With it, an account's member could change operators, and an operator could create pools."""
    granted = frozenset({("operate", "pool:east", None)})
    one = replace(user("agent", thing_grants=granted), is_operator=is_operator)
    assert access.decide(one, action) is Decision.FORBIDDEN
    assert access.decide(one, "numbers.operate").allowed  # here the grant has its pool
    everywhere = replace(one, is_operator=True, grants=frozenset({"operate"}))
    assert access.decide(everywhere, action).allowed


def test_an_expired_credential_has_to_log_in() -> None:
    late = token("*", expires_at=time.time() - 1)
    assert access.decide(late, "decide.view", POOL) is Decision.LOGIN


def test_an_unknown_action_is_a_mistake_of_the_program() -> None:
    with pytest.raises(LookupError):
        access.decide(user("owner"), "test.nothing", POOL)


def test_a_thing_that_tells_no_tenant_is_a_mistake_and_never_a_yes() -> None:
    with pytest.raises(AttributeError):
        access.decide(user("owner"), "decide.view", object())


def test_an_action_keeps_the_rules_it_was_registered_with() -> None:
    with pytest.raises(ValueError, match="already"):
        access.register_action("decide.view", roles=["payer"])
    assert actions()["decide.view"].roles == {"owner", "agent"}


@pytest.mark.parametrize(
    ("principal", "thing", "error", "status", "code"),
    [
        (access.ANONYMOUS, POOL, access.LoginNeeded, 401, 4401),
        (user("agent"), POOL, access.Forbidden, 403, 4403),
        (user("owner"), FOREIGN, access.Hidden, 404, 4404),
    ],
)
def test_a_refusal_is_raised_with_its_status_and_socket_code(
    principal: Principal, thing: Thing, error: type[access.AccessRefused], status: int, code: int
) -> None:
    with pytest.raises(error) as caught:
        access.require(principal, "test.change", thing)
    assert (caught.value.decision.http_status, caught.value.decision.socket_code) == (status, code)


def test_a_hidden_thing_is_djangos_404() -> None:
    assert issubclass(access.Hidden, Http404)


def test_money_needs_a_fresh_second_factor(settings: Any) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = True
    payer = user("payer")
    assert access.decide(payer, "test.pay", POOL) is Decision.FACTOR
    proved = replace(payer, has_factor=True, factor_at=time.time())
    assert access.decide(proved, "test.pay", POOL) is Decision.ALLOW
    stale = replace(proved, factor_at=time.time() - settings.SECOND_FACTOR_FRESH_SECONDS)
    assert access.decide(stale, "test.pay", POOL) is Decision.FACTOR
    removed = replace(proved, has_factor=False)
    assert not factor_is_fresh(removed)
    with pytest.raises(access.FactorNeeded):
        access.require_fresh_factor(stale)
    assert access.decide(replace(proved, memberships={}), "test.pay", POOL) is Decision.HIDDEN


def test_the_demo_switches_the_second_factor_off_by_a_setting(settings: Any) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = False
    assert access.decide(user("payer"), "test.pay", POOL) is Decision.ALLOW


def test_a_token_sends_only_the_events_it_names() -> None:
    assert token("*", events=frozenset({"call"})).may_send("call")
    assert not token("*", events=frozenset({"call"})).may_send("add")
    assert token("*").may_send("add")


def test_a_credential_is_not_shown_with_its_principal() -> None:
    assert "secret-key" not in repr(user("agent", credential="session:secret-key"))


def test_visible_rows_are_those_that_decide_allows(world: World) -> None:
    """For every reader, a token of each kind and three actions, the filter and `decide` agree."""
    world.with_everybody()
    for account in (world.own, world.other, None):
        services.token_create(name="a", account=account, resources=["*"], actor="test")
    world.users["desk"] = services.user_create(username="desk", actor="test")
    services.membership_set(
        user=world.users["desk"], account=world.own, roles=["agent"], actor="test"
    )
    for thing in ("account:own", "account:other"):
        services.grant_set(user=world.users["desk"], name="supervise", thing=thing, actor="test")
    principals = [access.principal_of_user(each) for each in world.users.values()]
    principals += [access.ANONYMOUS, VISITOR]
    principals += [
        token("*", account=world.own.pk),
        token("account:own", account=world.own.pk),
        token("account:other", account=None),
        token("pool:*", account=None),
    ]
    for action in ("decide.view", "test.change", "test.supervise"):
        for principal in principals:
            for rows, field in (
                (Account.objects.all(), "pk"),
                (ApiToken.objects.all(), "account"),
            ):
                allowed = {r.pk for r in rows if access.decide(principal, action, r).allowed}
                seen = access.visible(rows, principal, action, account_field=field)
                assert set(seen.values_list("pk", flat=True)) == allowed, (principal, action)
