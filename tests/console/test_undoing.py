"""Undo in the history: settings are restored while they still have the values of the change."""

import pytest
from django.contrib.messages import get_messages
from django.core.exceptions import ValidationError
from django.test import Client

from numbers.services import pool_configure, pool_create
from poolsite.access import principal_of_user
from poolsite.access.models import AuditEntry
from poolsite.access.services import account_change
from poolsite.console import managed, undoing
from queueing.admission.services import gate_configure, gate_create
from queueing.dispatch.services import group_configure, group_create
from queueing.line.services.desk_settings import desk_configure
from queueing.line.services.desks import desk_create, queue_configure, queue_create
from tests.access.world import World, make_world
from tests.console.undo_support import latest


@pytest.fixture
def world(db) -> World:
    return make_world()


@pytest.fixture
def operator(world: World):
    return principal_of_user(world.users["operate"])


@pytest.fixture
def pool(world: World, operator):
    return pool_create(actor=operator, slug="own-pool", name="Retail East", account=world.own)


def test_a_change_is_taken_back_with_an_entry_of_its_own(pool, operator) -> None:
    pool_configure(actor=operator, pool=pool, name="West", blocking_alarm_percent="2.5")
    change = latest("numbers.pool_configure")
    assert undoing.can_undo(operator, change)
    undoing.undo(change, actor=operator)
    pool.refresh_from_db()
    assert pool.name == "Retail East"
    back = latest("numbers.pool_configure")
    assert back.pk > change.pk
    assert back.after["name"] == "Retail East"
    assert back.reason == f"undoes entry {change.pk}"


def test_the_way_back_has_a_way_back(pool, operator) -> None:
    pool_configure(actor=operator, pool=pool, name="West")
    undoing.undo(latest("numbers.pool_configure"), actor=operator)
    undoing.undo(latest("numbers.pool_configure"), actor=operator)
    pool.refresh_from_db()
    assert pool.name == "West"


def test_what_was_changed_again_since_is_not_overwritten(pool, operator) -> None:
    pool_configure(actor=operator, pool=pool, name="West")
    first = latest("numbers.pool_configure")
    pool_configure(actor=operator, pool=pool, name="North")
    assert not undoing.can_undo(operator, first)
    with pytest.raises(ValidationError):
        undoing.undo(first, actor=operator)
    pool.refresh_from_db()
    assert pool.name == "North"


def test_what_is_no_change_of_settings_has_no_way_back(pool, operator) -> None:
    made = latest("numbers.pool_create")
    assert not undoing.can_undo(operator, made)
    with pytest.raises(ValidationError):
        undoing.undo(made, actor=operator)


def test_who_may_only_look_sees_no_button(world, pool, operator) -> None:
    pool_configure(actor=operator, pool=pool, name="West")
    address = f'action="/history/{latest("numbers.pool_configure").pk}/undo/"'
    assert address in world.client("operate").get("/history/").content.decode()
    assert address not in world.client("owner").get("/history/").content.decode()


def test_the_button_of_the_history_takes_it_back_once(world, pool, operator) -> None:
    pool_configure(actor=operator, pool=pool, name="West")
    address = f"/history/{latest('numbers.pool_configure').pk}/undo/"
    client: Client = world.client("operate")
    levels = []
    for _ in range(2):
        answer = client.post(address)
        assert answer["Location"] == "/history/"
        levels.append([str(each.level_tag) for each in get_messages(answer.wsgi_request)][-1])
    assert levels == ["success", "error"]
    pool.refresh_from_db()
    assert pool.name == "Retail East"


def test_a_number_of_a_foreign_entry_and_one_of_nothing_look_alike(world, pool, operator) -> None:
    pool_configure(actor=operator, pool=pool, name="West")
    entry = latest("numbers.pool_configure")
    client = world.client("foreign")
    assert client.post(f"/history/{entry.pk}/undo/").status_code == 404
    assert client.post(f"/history/{entry.pk + 1000}/undo/").status_code == 404


def test_every_kind_with_a_way_back_goes_back(world, pool, operator) -> None:
    gate = gate_create(actor=operator, slug="g", name="Old", key="g", account=world.own)
    group = group_create(actor=operator, slug="r", name="Old", account=world.own)
    desk = desk_create(actor=operator, slug="d", name="Old", account=world.own)
    queue = queue_create(actor=operator, desk=desk, slug="q", name="Old")
    things = {"pool": pool, "gate": gate, "group": group, "desk": desk, "account": world.own}
    things["queue"] = queue
    assert set(things) == {name for name, kind in managed.KINDS.items() if kind.undo}
    pool_configure(actor=operator, pool=pool, name="New")
    gate_configure(actor=operator, gate=gate, name="New")
    group_configure(actor=operator, group=group, name="New")
    desk_configure(actor=operator, desk=desk, name="New")
    queue_configure(actor=operator, queue=queue, name="New")
    account_change(actor=operator, account=world.own, name="New")
    for name, thing in things.items():
        before = thing.name
        entry = AuditEntry.objects.filter(thing_kind=name, thing_id=thing.slug).first()
        assert entry is not None
        undoing.undo(entry, actor=operator)
        thing.refresh_from_db()
        assert thing.name == {"pool": "Retail East", "account": "Own"}.get(name, "Old"), before
