"""The admin's lists of pools and numbers: what they show, and that changes are audited."""

import pytest

from numbers import pool as commands
from numbers.models import Number, NumberTag
from numbers.services import imports, numbers_add
from poolsite import hotpath
from poolsite.access.models import AuditEntry
from tests.access.world import World, make_world
from tests.numbers.import_world import csv_file, in_redis, make_pool

LIST = "/admin/numbers/number/"


@pytest.fixture
def world(transactional_db, clean_redis) -> World:
    hotpath.reset()
    return make_world()


@pytest.fixture
def pool(world):
    made = make_pool(account=world.own)
    numbers_add(
        actor="test", pool=made, values=["+8613800000001", "+8613800000002", "+8613800000003"]
    )
    return made


@pytest.mark.parametrize(
    "name", ["pool", "switch", "number", "callrecord", "poolevent", "numberimport"]
)
def test_each_list_opens_for_an_operator(world, pool, tmp_path, name) -> None:
    imports.import_now(pool, csv_file(tmp_path, [["+8613900000001"]]), "test")
    assert world.client("looker").get(f"/admin/numbers/{name}/").status_code == 200


def test_the_list_shows_live_states_and_searches_by_the_beginning(world, pool) -> None:
    hotpath.run(commands.event(pool.slug, commands.Event.of("reg", "+8613800000001")))
    page = world.client("looker").get(f"{LIST}?q=138+0000").content.decode()
    assert 'data-state="R"' in page
    assert page.count('data-state="O"') == 2
    assert "+8613800000001" not in world.client("looker").get(f"{LIST}?q=139").content.decode()


def test_the_list_filters_by_pool_region_tag_and_quarantine(world, pool) -> None:
    Number.objects.filter(value="+8613800000001").update(region="Wuxi")
    number = Number.objects.get(value="+8613800000002")
    NumberTag.objects.create(number=number, tag="gold", pool=pool, value=number.value)
    client = world.client("looker")
    for query, shown, hidden in (
        ("region_is=Wuxi", "+8613800000001", "+8613800000002"),
        ("tag_is=gold", "+8613800000002", "+8613800000001"),
        (f"pool__id__exact={pool.pk}", "+8613800000001", "+8613900000000"),
        ("held=0", "+8613800000001", "+8613900000000"),
    ):
        page = client.get(f"{LIST}?{query}").content.decode()
        assert shown in page, query
        assert hidden not in page, query


def run_action(world: World, reader: str, action: str, reason: str) -> None:
    key = Number.objects.get(value="+8613800000001").pk
    form = {"action": action, "_selected_action": [key], "reason": reason, "index": "0"}
    assert world.client(reader).post(LIST, form).status_code in (200, 302, 403)


def test_a_quarantine_in_the_admin_reaches_redis_and_the_audit_log_with_its_reason(
    world, pool
) -> None:
    run_action(world, "operate", "quarantine", "complaints")
    refused = hotpath.run(
        commands.event(pool.slug, commands.Event.of("call", "+8613800000001", call_id="c"))
    )
    assert not refused.ok
    assert (
        "q"
        in hotpath.run(commands.states(pool.slug, ["+8613800000001"]))
        .by_number["+8613800000001"]
        .held
    )
    entry = AuditEntry.objects.get(action="numbers.number_quarantine")
    assert (entry.reason, entry.actor_name) == ("complaints", "operate")


@pytest.mark.parametrize(("reader", "reason"), [("operate", " "), ("looker", "because")])
def test_without_a_reason_or_the_grant_nothing_is_changed(world, pool, reader, reason) -> None:
    run_action(world, reader, "quarantine", reason)
    assert not AuditEntry.objects.filter(action="numbers.number_quarantine").exists()
    assert not Number.objects.filter(quarantined_at__isnull=False).exists()


def test_a_number_is_added_and_deleted_in_the_admin_through_the_services(world, pool) -> None:
    client = world.client("operate")
    form = {"pool": pool.pk, "value": "0086 139-0000 0001", "label": "desk"}
    assert client.post(f"{LIST}add/", form).status_code == 302
    number = Number.objects.get(value="+8613900000001")
    assert number.value in in_redis(pool)
    assert client.post(f"{LIST}{number.pk}/delete/", {"post": "yes"}).status_code == 302
    assert number.value not in in_redis(pool)
    assert AuditEntry.objects.filter(action="numbers.number_delete").exists()
