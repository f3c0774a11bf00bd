"""Undo roles, grants and notice targets from the history, within the user's own rights."""

from collections.abc import Callable, Collection
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from poolsite import access
from poolsite.access import Principal, principal_of_user
from poolsite.access.models import Account, AuditEntry, Grant, Membership, User
from poolsite.access.services import grant_set, grants_set, membership_set
from poolsite.console import undoing
from poolsite.operations.models import NoticeTarget
from poolsite.operations.services import delete_target, save_target
from tests.access.world import World, make_world
from tests.console.undo_support import back, latest

NOTHING = undoing.UndoOffer()
NOT_YOURS = "You can only give grants that you have."
OWNERS = "Only owners can add or remove owners."


@pytest.fixture
def world(db: None) -> World:
    return make_world().with_everybody()


@pytest.fixture
def ask(world: World) -> Callable[[str], Principal]:
    return lambda reader: principal_of_user(User.objects.get(pk=world.users[reader].pk))


def refused(change: AuditEntry, actor: Principal, why: str) -> None:
    """Assert that the history gives this reason, and that it refuses an attempt all the same."""
    assert undoing.standing(actor, change) == undoing.UndoOffer(why_not=why)
    entries = AuditEntry.objects.count()
    with pytest.raises(ValidationError) as told:
        undoing.undo(change, actor=actor)
    assert told.value.messages == [why]
    assert AuditEntry.objects.count() == entries


# -- roles -----------------------------------------------------------------------------------------


def roles_of(user: User, account: Account) -> set[str]:
    rows = Membership.objects.filter(user=user, account=account)
    return set(rows.values_list("role", flat=True))


def give(world: World, reader: str, roles: Collection[str]) -> AuditEntry:
    user = world.users[reader]
    membership_set(user=user, account=world.own, roles=roles, actor="test")
    return latest("access.membership_set")


def test_roles_go_back_for_who_manages_people(world: World, ask: Any) -> None:
    agent = world.users["agent"]
    change = give(world, "agent", ["admin", "payer"])
    assert undoing.standing(ask("foreign"), change) == NOTHING
    assert undoing.standing(ask("finance"), change) == NOTHING
    made = back(change, ask("admin"))
    assert roles_of(agent, world.own) == {"agent"}
    assert (made.before, made.after) == (change.after, change.before)
    back(made, ask("operate"))
    assert roles_of(agent, world.own) == {"admin", "payer"}


def test_who_has_left_comes_back_and_a_first_role_ends(world: World, ask: Any) -> None:
    change = give(world, "agent", [])
    back(change, ask("owner"))
    assert roles_of(world.users["agent"], world.own) == {"agent"}
    change = give(world, "foreign", ["agent"])
    back(change, ask("owner"))
    assert roles_of(world.users["foreign"], world.own) == set()
    assert roles_of(world.users["foreign"], world.other) == {"owner"}


def test_roles_that_were_changed_since_stay(world: World, ask: Any) -> None:
    change = give(world, "agent", ["admin"])
    give(world, "agent", ["payer"])
    refused(change, ask("owner"), "It has been changed since. Check the newer entries.")
    assert roles_of(world.users["agent"], world.own) == {"payer"}


def test_an_admin_makes_no_owner_by_taking_back(world: World, ask: Any) -> None:
    give(world, "agent", ["owner"])
    change = give(world, "agent", ["agent"])
    refused(change, ask("admin"), OWNERS)
    back(change, ask("owner"))
    refused(latest("access.membership_set"), ask("admin"), OWNERS)


def test_the_last_owner_stays(world: World, ask: Any) -> None:
    change = give(world, "agent", ["owner"])
    give(world, "owner", ["admin"])
    refused(change, ask("operate"), "An account must have at least one owner.")
    assert roles_of(world.users["agent"], world.own) == {"owner"}


def test_a_person_who_is_gone_gets_no_role_again(world: World, ask: Any) -> None:
    change = give(world, "agent", [])
    world.users["agent"].delete()
    refused(change, ask("owner"), "The earlier values can no longer be restored.")


# -- grants ----------------------------------------------------------------------------------------


def has_grant(reader: str, name: str, **more: Any) -> bool:
    return Grant.objects.filter(user__username=reader, name=name, **more).exists()


def test_a_grant_goes_back_and_comes_back(world: World, ask: Any) -> None:
    grant_set(user=world.users["looker"], name="supervise", actor="test")
    given = latest("access.grant_give")
    assert undoing.standing(ask("finance"), given) == NOTHING
    taken = back(given, ask("operate"), action="access.grant_take")
    assert not has_grant("looker", "supervise")
    refused(taken, ask("operate"), NOT_YOURS)
    grant_set(user=world.users["operate"], name="supervise", actor="test")
    back(taken, ask("operate"), action="access.grant_give")
    assert has_grant("looker", "supervise", thing="")


def test_a_grant_that_was_given_again_is_not_given_twice(world: World, ask: Any) -> None:
    for granted in (True, False, True):
        grant_set(user=world.users["looker"], name="operate", granted=granted, actor="test")
    taken = latest("access.grant_take")
    refused(taken, ask("operate"), "It has been changed since. Check the newer entries.")


def test_nobody_takes_back_what_was_done_to_the_own_grants(world: World, ask: Any) -> None:
    grant_set(user=world.users["operate"], name="finance", actor="test")
    own = "You can't change your own grants. Ask another operator."
    refused(latest("access.grant_give"), ask("operate"), own)
    grant_set(user=world.users["operate"], name="finance", actor="test", granted=False)
    refused(latest("access.grant_take"), ask("operate"), own)
    assert not has_grant("operate", "finance")


def supervise(world: World, things: list[str]) -> None:
    user = world.users["agent"]
    grants_set(user=user, name="supervise", things=things, account=world.own, actor="test")


def test_a_desks_supervisor_goes_back_in_the_account(world: World, ask: Any) -> None:
    supervise(world, ["desk:one"])
    given = latest("access.grant_give")
    assert (given.thing_kind, given.thing_id) == ("account", "own")
    assert undoing.standing(ask("foreign"), given) == NOTHING
    taken = back(given, ask("admin"), action="access.grant_take")
    assert not has_grant("agent", "supervise")
    back(taken, ask("admin"), action="access.grant_give")
    assert has_grant("agent", "supervise", thing="desk:one", account=world.own)


def test_who_has_left_supervises_nothing_again(world: World, ask: Any) -> None:
    supervise(world, ["desk:one"])
    supervise(world, [])
    give(world, "agent", [])
    refused(latest("access.grant_take"), ask("owner"), "This person is no longer a member.")


def test_a_member_gives_no_grant_that_only_operators_have(world: World, ask: Any) -> None:
    for granted in (True, False):
        grant_set(
            user=world.users["agent"],
            name="operate",
            thing="pool:east",
            account=world.own,
            granted=granted,
            actor="test",
        )
    refused(latest("access.grant_take"), ask("owner"), NOT_YOURS)
    back(latest("access.grant_take"), ask("operate"), action="access.grant_give")


# -- notice targets --------------------------------------------------------------------------------


@pytest.fixture
def target(world: World) -> NoticeTarget:
    made = NoticeTarget(address="ops@example.org", account=world.own)
    return save_target(made, actor="test")


def changed(target: NoticeTarget, **values: Any) -> AuditEntry:
    for name, value in values.items():
        setattr(target, name, value)
    save_target(target, actor="test")
    return latest("operations.target_change")


def test_a_notice_target_goes_back(target: NoticeTarget, ask: Any) -> None:
    change = changed(target, address="boss@example.org", warnings=False)
    assert change.before == {"address": "ops@example.org", "warnings": True}
    changed(target, active=False)
    assert undoing.standing(ask("agent"), change) == NOTHING
    back(change, ask("owner"))
    target.refresh_from_db()
    assert (target.address, target.warnings, target.active) == ("ops@example.org", True, False)
    back(latest("operations.target_change"), ask("operate"))
    target.refresh_from_db()
    assert target.address == "boss@example.org"


def test_a_target_that_is_saved_unchanged_is_no_entry(target: NoticeTarget) -> None:
    save_target(target, actor="test")
    assert not AuditEntry.objects.filter(action="operations.target_change").exists()


def test_a_target_that_was_changed_since_stays(target: NoticeTarget, ask: Any) -> None:
    change = changed(target, address="a@example.org")
    changed(target, address="b@example.org")
    refused(change, ask("owner"), "It has been changed since. Check the newer entries.")


@pytest.mark.parametrize("before", [None, "other"])
def test_a_customer_widens_no_target_to_what_others_hear(
    world: World, target: NoticeTarget, ask: Any, before: str | None
) -> None:
    changed(target, account=getattr(world, before) if before else None)
    change = changed(target, account=world.own)
    assert change.before == {"account": before}
    refused(change, ask("owner"), "The recipient would get alerts that you can't access.")
    back(change, ask("operate"))
    target.refresh_from_db()
    assert target.account == (getattr(world, before) if before else None)


def test_a_deleted_target_is_told_of(target: NoticeTarget, ask: Any) -> None:
    change = changed(target, active=False)
    delete_target(target, actor="test")
    assert undoing.standing(ask("owner"), change).why_not == "It no longer exists."
    with pytest.raises(access.Hidden):
        undoing.undo(change, actor=ask("owner"))


# -- the page --------------------------------------------------------------------------------------


def test_the_page_has_the_button_or_says_why(world: World) -> None:
    give(world, "agent", ["owner"])
    change = give(world, "agent", ["agent"])
    address = f"/history/{change.pk}/undo/"
    assert f'action="{address}"' in world.client("owner").get("/history/").content.decode()
    told = world.client("admin").get("/history/").content.decode()
    assert f'action="{address}"' not in told
    assert OWNERS in told
    assert world.client("admin").post(address).status_code == 302
    assert roles_of(world.users["agent"], world.own) == {"agent"}
    world.client("owner").post(address)
    assert roles_of(world.users["agent"], world.own) == {"owner"}
