"""Accounts, members, operators: who may change whom, and what stays impossible."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from poolsite.access import services
from poolsite.access.factor_state import has_factor
from poolsite.access.models import Account, Grant, Membership, User
from tests.access.second_factor import give_app
from tests.access.world import World

ROOT = Path(__file__).resolve().parents[2]


def roles(user: User, account: Account) -> set[str]:
    rows = Membership.objects.filter(user=user, account=account)
    return set(rows.values_list("role", flat=True))


def grants(user: User) -> set[str]:
    return set(Grant.objects.filter(user=user).values_list("name", flat=True))


@pytest.mark.parametrize(
    "fields",
    [
        {"username": "ALICE"},
        {"username": "other", "email": "Alice@Example.com"},
        {"username": "a@b"},
        {"username": ""},
        {"username": "x" * 151},
        {"username": "new line\n"},
        {"username": "ok", "email": "no address"},
    ],
)
def test_a_bad_or_taken_name_makes_no_user(alice: User, fields: dict[str, Any]) -> None:
    before = User.objects.count()
    with pytest.raises((ValidationError, IntegrityError)), transaction.atomic():
        services.user_create(**fields, actor="test")
    assert User.objects.count() == before


def test_two_users_may_have_no_address(alice: User) -> None:
    for name in ("first", "second"):
        services.user_create(username=name, actor="test")


@pytest.mark.parametrize(
    "fields",
    [
        {"slug": "own"},
        {"slug": "Upper"},
        {"slug": "x" * 41},
        {"slug": "new"},
        {"slug": "new\n"},
        {"slug": "ümlaut"},
        {"slug": "ok", "zone": "Mars/Olympus"},
        {"slug": "ok", "currency": "12"},
        {"slug": "ok", "locale": "xx"},
        {"slug": "ok", "name": ""},
    ],
)
def test_a_bad_account_is_not_made(world: World, fields: dict[str, str]) -> None:
    before = Account.objects.count()
    with pytest.raises(ValidationError):
        services.account_create(**{"name": "A", **fields}, actor="test")
    assert Account.objects.count() == before


def test_a_slug_never_changes(world: World) -> None:
    account = Account.objects.get(slug="own")
    account.slug = "renamed"
    with pytest.raises(ValidationError):
        account.save()
    assert Account.objects.filter(slug="own").exists()


def test_roles_are_set_as_a_whole(world: World) -> None:
    user = world.users["agent"]
    before = services.membership_set(
        user=user, account=world.own, roles=["sender", "payer"], actor="test"
    )
    assert before == {"agent"}
    assert roles(user, world.own) == {"sender", "payer"}
    services.membership_set(user=user, account=world.own, roles="agent", actor="test")
    assert roles(user, world.own) == {"agent"}


def test_an_unknown_role_or_grant_is_refused(world: World) -> None:
    user = world.users["agent"]
    with pytest.raises(ValidationError):
        services.membership_set(user=user, account=world.own, roles=["king"], actor="test")
    for name, thing in (("rule", ""), ("supervise", "no colon")):
        with pytest.raises(ValidationError):
            services.grant_set(user=user, name=name, thing=thing, actor="test")
    with pytest.raises(ValidationError):
        services.grant_set(user=user, name="operate", account=world.own, actor="test")
    assert grants(user) == set()


def test_an_account_keeps_its_last_owner(world: World) -> None:
    owner = world.users["owner"]
    with pytest.raises(ValidationError, match="owner"):
        services.membership_set(user=owner, account=world.own, roles=["agent"], actor="test")
    assert roles(owner, world.own) == {"owner"}
    services.membership_set(
        user=world.users["admin"], account=world.own, roles=["owner"], actor="test"
    )
    services.membership_set(user=owner, account=world.own, roles=["agent"], actor="test")


def save_roles(world: World, reader: str, person: str, *wanted: str, supervises: str = "") -> Any:
    url = f"/accounts/own/people/{world.users[person].pk}/"
    return world.client(reader).post(url, {"roles": wanted, "supervises": supervises})


def test_an_owner_changes_roles_by_the_page(world: World) -> None:
    assert save_roles(world, "owner", "agent", "agent", "sender").status_code == 302
    assert roles(world.users["agent"], world.own) == {"agent", "sender"}


def test_an_administrator_makes_and_unmakes_no_owner(world: World) -> None:
    assert save_roles(world, "admin", "agent", "owner").status_code == 422
    assert save_roles(world, "admin", "admin", "owner").status_code == 422
    assert save_roles(world, "admin", "owner", "agent").status_code == 422
    assert roles(world.users["owner"], world.own) == {"owner"}
    assert roles(world.users["admin"], world.own) == {"admin"}
    assert save_roles(world, "admin", "agent", "sender").status_code == 302


def test_a_member_of_another_account_cannot_be_changed_from_here(world: World) -> None:
    assert save_roles(world, "owner", "foreign", "agent").status_code == 404
    assert save_roles(world, "owner", "operate", "owner").status_code == 404


def test_an_owner_lets_a_member_supervise_desks_of_the_own_account_alone(world: World) -> None:
    agent = world.users["agent"]
    services.grant_set(user=agent, name="supervise", thing="desk:other", actor="test")
    assert (
        save_roles(world, "owner", "agent", "agent", supervises="desk:a\ndesk:b").status_code == 302
    )
    rows = Grant.objects.filter(user=agent).order_by("thing")
    assert [(row.thing, row.account) for row in rows] == [
        ("desk:a", world.own),
        ("desk:b", world.own),
        ("desk:other", None),
    ]
    assert save_roles(world, "owner", "agent", "agent", supervises="operate").status_code == 422
    assert save_roles(world, "owner", "agent", "agent", supervises="").status_code == 302
    assert [row.thing for row in Grant.objects.filter(user=agent)] == ["desk:other"]


def set_grants(world: World, reader: str, person: str, *wanted: str) -> Any:
    url = f"/operators/{world.users[person].pk}/"
    return world.client(reader).post(url, {"grants": wanted, "reason": "test"})


def test_an_operator_gives_only_grants_that_he_has(world: World) -> None:
    assert set_grants(world, "operate", "looker", "operate").status_code == 302
    assert set_grants(world, "operate", "looker", "operate", "finance").status_code == 422
    assert grants(world.users["looker"]) == {"operate"}
    assert set_grants(world, "operate", "finance").status_code == 302
    assert grants(world.users["finance"]) == set()


def test_nobody_changes_the_own_grants_or_deactivates_himself(world: World) -> None:
    assert set_grants(world, "operate", "operate", "operate", "finance").status_code == 422
    assert grants(world.users["operate"]) == {"operate"}
    url = f"/users/{world.users['operate'].pk}/access/"
    assert world.client("operate").post(url, {"reason": "x"}).status_code == 422
    world.users["operate"].refresh_from_db()
    assert world.users["operate"].is_active


def test_an_operator_who_makes_another_gives_no_more_than_he_has(world: World) -> None:
    client = world.client("operate")
    form = {"email": "new@example.com", "grants": ["finance"]}
    assert client.post("/operators/invite/", form).status_code == 422
    assert mail.outbox == []


def test_a_deactivated_user_is_out_at_once_and_may_come_back(world: World) -> None:
    agent = world.client("agent")
    assert agent.get("/profile/").status_code == 200
    url = f"/users/{world.users['agent'].pk}/access/"
    assert world.client("operate").post(url, {"reason": "left"}).status_code == 302
    assert agent.get("/profile/").status_code == 302
    back = {"reason": "back", "active": "True"}
    assert world.client("operate").post(url, back).status_code == 302
    assert agent.get("/profile/").status_code == 302
    world.users["agent"].refresh_from_db()
    assert world.client("agent").get("/profile/").status_code == 200


def test_whoever_leaves_an_account_supervises_no_desk_there_when_invited_again(
    world: World,
) -> None:
    user, own = world.users["agent"], world.own
    services.grant_set(user=user, name="supervise", thing="desk:a", account=own, actor="test")
    url = f"/accounts/own/people/{user.pk}/"
    form = {"roles": [], "supervises": "desk:a"}
    assert world.client("owner").post(url, form).status_code == 302
    assert grants(user) == set()


@pytest.mark.parametrize("active", [True, False])
def test_a_form_sent_twice_does_what_its_page_offered(world: World, active: bool) -> None:
    user, client = world.users["agent"], world.client("operate")
    User.objects.filter(pk=user.pk).update(is_active=not active)
    url = f"/users/{user.pk}/access/"
    offered = client.get(url).context["form"]["active"].value()
    for _ in range(2):  # or by two operators who had both opened the page
        sent = {"reason": "x", "active": str(offered)}
        assert client.post(url, sent).status_code == 302
        user.refresh_from_db()
        assert user.is_active is active


def test_a_profile_takes_known_zones_and_languages_only(world: World) -> None:
    client = world.client("agent")
    good = {"first_name": "Ann", "last_name": "Lee", "zone": "Europe/Berlin", "locale": "zh-hans"}
    assert client.post("/profile/", good).status_code == 302
    for bad in ({"zone": "Mars/Olympus"}, {"locale": "xx"}, {"first_name": "x" * 151}):
        assert client.post("/profile/", {**good, **bad}).status_code == 422
    user = User.objects.get(username="agent")
    assert (user.first_name, user.zone, user.locale) == ("Ann", "Europe/Berlin", "zh-hans")


def test_a_profile_form_cannot_smuggle_rights(world: World) -> None:
    client = world.client("agent")
    client.post("/profile/", {"first_name": "Ann", "is_operator": "on", "is_superuser": "on"})
    user = User.objects.get(username="agent")
    assert not user.is_operator
    assert not user.is_superuser
    with pytest.raises(ValidationError):
        services.profile_change(user=user, actor=user, is_operator=True)


def test_an_account_is_made_by_the_page_and_shown_in_the_list(world: World) -> None:
    client = world.client("operate")
    form = {"slug": "third", "name": "Third", "zone": "", "currency": "", "locale": "en"}
    assert client.post("/accounts/new/", form)["Location"] == "/accounts/third/invite/"
    account = Account.objects.get(slug="third")
    assert (account.zone, account.currency) == ("Asia/Shanghai", "CNY")
    assert "Third" in client.get("/accounts/").content.decode()
    again = client.post("/accounts/new/", form)
    assert again.status_code == 422
    assert "already exists" in again.content.decode()


def test_the_admin_changes_an_account_through_the_services(world: World) -> None:
    client = world.client("operate")
    url = f"/admin/access/account/{world.own.pk}/change/"
    form = {"name": "Renamed", "zone": "Europe/Berlin", "locale": "en", "slug": "hacked"}
    assert client.post(url, form).status_code == 302
    account = Account.objects.get(pk=world.own.pk)
    assert (account.slug, account.name, account.zone) == ("own", "Renamed", "Europe/Berlin")
    assert world.client("looker").post(url, form).status_code == 403


def test_the_admin_shows_no_password_and_changes_no_user(world: World) -> None:
    user = world.users["agent"]
    url = f"/admin/access/user/{user.pk}/change/"
    page = world.client("operate").get(url).content.decode()
    assert user.password not in page
    answer = world.client("operate").post(url, {"username": "x", "is_superuser": "on"})
    assert answer.status_code == 403
    user.refresh_from_db()
    assert not user.is_superuser


def test_a_lost_phone_is_forgotten_by_an_operator_and_not_by_its_owner(world: World) -> None:
    agent = world.users["agent"]
    give_app(agent)
    url = f"/users/{agent.pk}/app/"
    assert url in world.client("operate").get("/accounts/own/people/").content.decode()
    assert url not in world.client("owner").get("/accounts/own/people/").content.decode()
    assert world.client("operate").post(url, {"reason": "lost phone"}).status_code == 302
    assert not has_factor(agent)
    own = f"/users/{world.users['operate'].pk}/app/"
    assert world.client("operate").post(own, {"reason": "x"}).status_code == 422


@pytest.mark.processes
def test_the_admin_classes_can_be_imported_before_the_urls() -> None:
    program = """
import django
django.setup()
import poolsite.people.admin, poolsite.urls
from django.contrib import admin
from django.contrib.auth.models import Group
print(admin.site.is_registered(Group))
"""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "poolsite.settings"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.decode().split()[-1] == "False"
