"""Duplicates from before the canonical form: found by the migration, merged or removed."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from numbers import pool as commands
from numbers import selectors, services
from numbers.errors import NumbersError
from numbers.models import CallRecord, Number, Pool, UnsentChange
from numbers.services.twins import (
    merge_all_start,
    twin_remove,
    twins_merge,
    twins_merge_all,
)
from numbers.services.twins_sweep import watch_twins
from poolsite import access, hotpath
from poolsite.access.models import AuditEntry, Grant, User
from poolsite.jobs import runner
from poolsite.operations.models import Incident
from tests.numbers.api_people import Caller, boss
from tests.numbers.people import drain, make_pool, operator, register, send, tenant
from tests.support.migrating import migrate_forward, models_at

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

LINE, NATIONAL, DIGITS = "+8613977000099", "13977000099", "8613977000099"
PAGE = "/numbers/twins/"


def twins(
    east: Pool, west: Pool | None = None, *, stored: tuple[str, str] = (LINE, NATIONAL)
) -> tuple[Number, Number]:
    """Make a number and its twin as the migration leaves them, also in Redis, both registered."""
    keeper = Number.objects.create(pool=east, value=stored[0], canonical=LINE, label="Desk 1")
    twin = Number.objects.create(
        pool=west or east,
        value=stored[1],
        twin_of=keeper,
        label="Old desk",
        notes="from the fax list",
        quarantined_at=timezone.now(),
        quarantined_by="numbers.twins",
        quarantined_reason=f"twin of {LINE}",
    )
    for row in (keeper, twin):
        services.pool_reconcile(pool=row.pool, check=False)
        send(row.pool.slug, "reg", row.value)
        drain(row.pool)
    return Number.objects.get(pk=keeper.pk), Number.objects.get(pk=twin.pk)


def state(slug: str, number: str) -> commands.NumberState | None:
    found = hotpath.run(commands.states(slug, [number]))
    return found.by_number.get(number) if found is not None else None


# -- the migration --------------------------


@pytest.fixture
def before() -> Iterator[Any]:
    """The models before the migration."""
    with models_at("numbers", "0002_fewer_indexes") as models:
        yield models


def test_the_migration_finds_twins_and_keeps_one_of_each(before: Any) -> None:
    pools = before.get_model("numbers", "Pool").objects
    rows = before.get_model("numbers", "Number").objects
    east = pools.create(slug="east", name="East", generation=1)
    west = pools.create(slug="west", name="West", generation=1)
    plain = pools.create(slug="plain", name="Plain", generation=1)
    now = timezone.now()

    def add(pool: Any, value: str, age: int = 0, **given: Any) -> int:
        made = rows.create(pool=pool, value=value, created_at=now - timedelta(days=age), **given)
        return int(made.pk)

    oldest, spelled_right = add(east, NATIONAL, 3), add(west, LINE, 1)
    held = add(east, DIGITS, 2, quarantined_at=now, quarantined_by="li", quarantined_reason="spam")
    first, second = add(plain, "13977000001", 2), add(plain, "8613977000001", 1)
    alone, short = add(plain, "13977000002"), add(plain, "123456")
    migrate_forward("numbers")
    found = {row.pk: row for row in Number.objects.all()}
    assert found[spelled_right].canonical == LINE
    assert found[spelled_right].twin_of_id is None
    assert found[spelled_right].quarantined_at is None
    twin = found[oldest]
    assert (twin.canonical, twin.twin_of_id) == (None, spelled_right)
    assert (twin.quarantined_by, twin.quarantined_reason) == ("numbers.twins", f"twin of {LINE}")
    assert (found[held].twin_of_id, found[held].quarantined_by) == (spelled_right, "li")
    assert (found[first].canonical, found[second].twin_of_id) == ("+8613977000001", first)
    assert found[alone].canonical == "+8613977000002"
    assert found[short].canonical == "123456"
    assert dict(Pool.objects.values_list("slug", "number_spelling")) == {
        "east": "national",
        "west": "e164",
        "plain": "national",
    }
    # West does not change its row; the sweep brings the others to Redis.
    assert set(UnsentChange.objects.values_list("pool__slug", flat=True)) == {"east", "plain"}


def test_after_the_migration_the_sweep_tells_redis_and_opens_the_incident(before: Any) -> None:
    generation = hotpath.generation_new()
    pool = before.get_model("numbers", "Pool").objects.create(
        slug="east", name="East", generation=generation
    )
    rows = before.get_model("numbers", "Number").objects
    for value in (LINE, NATIONAL, "13977000001"):
        rows.create(pool_id=pool.pk, value=value, is_up=True)
    hotpath.run(commands.create("east", generation, commands.PoolSettings()))
    lines = [commands.StoredNumber(value, up=True) for value in (LINE, NATIONAL, "13977000001")]
    hotpath.run(commands.load("east", lines))
    migrate_forward("numbers", "operations", "history")
    services.watch_pools(0, 1, counting=False)
    assert watch_twins()["twins"] == 1
    assert send("east", "call", NATIONAL, call_id="a").reason == "quarantined"
    assert send("east", "call", LINE, call_id="b").ok
    assert send("east", "call", "+8613977000001", call_id="c").number == "13977000001"
    incident = Incident.objects.get(type="numbers.twins", until=None)
    assert (incident.url, incident.params) == (PAGE, {"count": 1})
    assert not UnsentChange.objects.exists()


# -- merging and removing --------------------------


def test_a_merge_keeps_labels_notes_tags_registration_and_history() -> None:
    east, west = make_pool("east"), make_pool("west")
    keeper, twin = twins(east, west)
    services.number_change(actor="test", number=twin, tags=["vip"])
    services.number_change(actor="test", number=keeper, tags=["desk"])
    send("east", "unreg", LINE)
    drain(east)
    CallRecord.objects.create(
        pool=west,
        number=NATIONAL,
        call_id="old",
        started_at=timezone.now(),
        generation=1,
        seq=1,
        ended_at=timezone.now(),
    )
    kept = twins_merge(actor=operator(), number=keeper, reason="one desk")
    assert Number.objects.get() == kept
    assert (kept.label, kept.notes) == ("Desk 1 / Old desk", "from the fax list")
    assert sorted(kept.tags.values_list("tag", flat=True)) == ["desk", "vip"]
    assert state("west", NATIONAL) is None
    here = state("east", LINE)
    assert here is not None
    assert (here.name, here.quarantined) == ("idle+up", False)
    assert [call.call_id for call in selectors.recent_calls(operator(), number=LINE)] == ["old"]
    entry = AuditEntry.objects.get(action="numbers.twins_merge")
    assert (entry.before, entry.after) == (
        {"removed": [f"{NATIONAL} (west)"]},
        {"number": LINE},
    )
    assert entry.reason == "one desk"
    for pool in (east, west):
        assert services.pool_reconcile(pool=pool, check=True).drift == {}


def test_the_other_spelling_can_be_kept_and_is_released() -> None:
    east = make_pool("east")
    _keeper, twin = twins(east)
    kept = twins_merge(actor=operator(), number=twin)
    assert (kept.value, kept.canonical, kept.twin_of, kept.quarantined_at) == (
        NATIONAL,
        LINE,
        None,
        None,
    )
    assert state("east", LINE) is None
    assert send("east", "call", LINE, call_id="a").number == NATIONAL
    assert services.pool_reconcile(pool=east, check=True).drift == {}


def test_nothing_is_merged_while_the_number_that_goes_is_in_a_call() -> None:
    east = make_pool("east")
    keeper, twin = twins(east)
    assert send("east", "call", LINE, call_id="a").ok
    for refused in (
        lambda: twins_merge(actor=operator(), number=twin),
        lambda: twin_remove(actor=operator(), number=keeper),
    ):
        with pytest.raises(NumbersError, match="is in a call"):
            refused()
    assert Number.objects.count() == 2
    assert send("east", "hangup", LINE, call_id="a").state == "idle+up"
    assert send("east", "call", LINE, call_id="b").ok  # it was let go again
    send("east", "hangup", LINE, call_id="b")
    assert twins_merge(actor=operator(), number=twin).value == NATIONAL


def test_a_removed_twin_leaves_its_keeper_as_it_was() -> None:
    east = make_pool("east")
    keeper, twin = twins(east)
    twin_remove(actor=operator(), number=twin)
    row = Number.objects.get()
    assert (row.pk, row.label, row.canonical) == (keeper.pk, "Desk 1", LINE)
    assert state("east", NATIONAL) is None
    with pytest.raises(NumbersError, match="no longer has duplicates"):
        twins_merge(actor=operator(), number=row)


def test_of_three_one_removed_keeper_makes_another_the_keeper() -> None:
    east = make_pool("east")
    keeper, twin = twins(east)
    third = Number.objects.create(
        pool=east,
        value=DIGITS,
        twin_of=keeper,
        quarantined_at=timezone.now(),
        quarantined_by="li",
        quarantined_reason="spam",
    )
    services.pool_reconcile(pool=east, check=False)
    twin_remove(actor=operator(), number=keeper)
    twin.refresh_from_db()
    third.refresh_from_db()
    assert (twin.canonical, twin.quarantined_at) == (LINE, None)
    assert (third.canonical, third.twin_of_id, third.quarantined_by) == (None, twin.pk, "li")


def test_a_twin_is_not_released_by_hand() -> None:
    east = make_pool("east")
    _keeper, twin = twins(east)
    with pytest.raises(NumbersError, match="Merge them first"):
        services.number_release(actor=operator(), number=twin)
    assert services.numbers_release(actor=operator(), pool=east, values=[NATIONAL]) == 0
    assert send("east", "call", NATIONAL, call_id="a").reason == "quarantined"


def test_all_are_merged_into_the_international_format_but_those_in_calls() -> None:
    east = make_pool("east")
    twins(east)
    keeper = Number.objects.create(pool=east, value="13977000001", canonical="+8613977000001")
    Number.objects.create(pool=east, value="8613977000001", twin_of=keeper)
    busy = Number.objects.create(pool=east, value="13977000002", canonical="+8613977000002")
    Number.objects.create(pool=east, value="+8613977000002", twin_of=busy)
    services.pool_reconcile(pool=east, check=False)
    register("east", "13977000002")
    assert send("east", "call", "13977000002", call_id="a").ok
    groups = [Number.objects.get(value=LINE), keeper, busy]
    done = twins_merge_all(actor=operator(), keepers=groups)
    assert (done.merged, list(done.stayed)) == (2, ["13977000002"])
    assert set(Number.objects.values_list("value", flat=True)) == {
        LINE,
        "13977000001",
        "13977000002",
        "+8613977000002",
    }


def test_the_job_merges_what_its_starter_may_operate() -> None:
    east, south = make_pool("east"), make_pool("south", account=tenant("south").account)
    twins(east)
    other = Number.objects.create(pool=south, value="13977000001", canonical="+8613977000001")
    Number.objects.create(pool=south, value="8613977000001", twin_of=other)
    services.pool_reconcile(pool=south, check=False)
    job = merge_all_start(principal=operator(), reason="clean", total=2)
    runner.run(job.pk)
    job.refresh_from_db()
    assert job.result == {"merged": 2, "stayed": 0}
    assert Number.objects.filter(twin_of__isnull=False).count() == 0


def test_the_command_shows_and_merges() -> None:
    east = make_pool("east")
    twins(east)
    said = StringIO()
    call_command("pool", "twins", stdout=said)
    assert f"{LINE}  east  kept" in said.getvalue()
    assert f"{NATIONAL}  east  quarantined" in said.getvalue()
    call_command("pool", "twins", "--merge", stdout=said)
    assert "1 numbers merged." in said.getvalue()
    assert Number.objects.get().value == LINE


# -- what the sweep keeps --------------------------


def test_a_twin_whose_keeper_was_deleted_takes_its_place() -> None:
    east = make_pool("east")
    _keeper, twin = twins(east)
    send("east", "del", LINE)
    drain(east)
    assert watch_twins() == {"settled": 1, "twins": 0}
    twin.refresh_from_db()
    assert (twin.canonical, twin.quarantined_at) == (LINE, None)
    assert send("east", "call", LINE, call_id="a").number == NATIONAL


def test_rows_of_an_older_release_get_their_form_or_become_twins() -> None:
    east = make_pool("east")
    services.number_add(actor="test", pool=east, number=LINE)
    late = Number.objects.create(pool=east, value=NATIONAL)
    free = Number.objects.create(pool=east, value="13977000001")
    services.pool_reconcile(pool=east, check=False)
    assert watch_twins() == {"settled": 2, "twins": 1}
    late.refresh_from_db()
    free.refresh_from_db()
    assert (late.twin_of and late.twin_of.value, late.quarantined_by) == (LINE, "numbers.twins")
    assert free.canonical == "+8613977000001"
    assert Incident.objects.filter(type="numbers.twins", until=None).exists()
    twins_merge(actor=operator(), number=Number.objects.get(value=LINE))
    watch_twins()
    assert not Incident.objects.filter(type="numbers.twins", until=None).exists()


# -- the page --------------------------


@pytest.fixture
def as_operator() -> Client:
    user = User.objects.create_user("op", is_operator=True)
    Grant.objects.create(user=user, name="operate")
    client = Client()
    client.force_login(user)
    return client


def test_the_page_shows_each_group_and_merges(as_operator: Client) -> None:
    twins(make_pool("east"), make_pool("west"))
    assert "Review duplicates" in as_operator.get("/numbers/").content.decode()
    text = as_operator.get(PAGE).content.decode()
    for shown in (LINE, NATIONAL, "east", "west", "Desk 1", "Old desk", "In use", "Merge all"):
        assert shown in text
    answer = as_operator.post(f"{PAGE}{LINE}/merge/", {"reason": "one line"}, follow=True)
    assert f"Duplicates merged into {LINE}." in answer.content.decode()
    assert "No duplicates" in answer.content.decode()
    assert Number.objects.get().value == LINE


def test_the_page_removes_and_merges_all(as_operator: Client) -> None:
    east = make_pool("east")
    twins(east)
    as_operator.post(f"{PAGE}{NATIONAL}/remove/", {"reason": "typing error"})
    assert Number.objects.get().value == LINE
    Number.objects.create(pool=east, value=NATIONAL, twin_of=Number.objects.get())
    services.pool_reconcile(pool=east, check=False)
    answer = as_operator.post(f"{PAGE}merge/", {"reason": "clean"}, follow=True)
    assert "1 number merged." in answer.content.decode()


def test_what_a_tenant_may_not_see_is_not_named_and_not_merged() -> None:
    south = tenant("south")
    east, own = make_pool("east"), make_pool("own", account=south.account)
    keeper, _twin = twins(own, east)
    client = Client()
    client.force_login(south.owner)
    text = client.get(PAGE).content.decode()
    assert "1 more in a pool you can" in text
    assert "Keep and merge" not in text
    assert f"/numbers/{NATIONAL}/" not in text
    assert "/pools/east/" not in text
    with pytest.raises((access.Forbidden, access.Hidden)):
        twins_merge(actor=south.principal, number=keeper)
    assert Number.objects.count() == 2


# -- the API --------------------------


def test_the_api_lists_merges_and_removes_duplicates() -> None:
    east = make_pool(account=tenant("north").account)
    twins(east)
    caller = boss()
    status, told = caller.get("/numbers/twins")
    rows = [row["stored_as"] for row in told["data"][0]["rows"]]
    assert (status, told["data"][0]["number"], rows) == (200, LINE, [LINE, NATIONAL])
    for stranger, kind in ((Caller("north-owner"), "forbidden"), (Caller(), "unauthenticated")):
        for path in ("/numbers/twins/merge", f"/numbers/twins/{NATIONAL}/merge"):
            assert stranger.post(path)[1]["type"] == kind
    tenant("far")
    assert Caller("far-owner").post(f"/numbers/twins/{LINE}/remove")[1]["type"] == "unknown-number"
    assert Caller("far-owner").get("/numbers/twins")[1]["data"] == []
    assert Number.objects.count() == 2
    assert caller.post("/numbers/twins/139/merge")[0] == 404
    assert caller.post(f"/numbers/twins/{LINE}/merge", reason="x")[1]["stored_as"] == LINE
    assert Number.objects.get().value == LINE
    assert caller.post(f"/numbers/twins/{LINE}/merge")[1]["type"] == "not-allowed"
    assert caller.post("/numbers/twins/merge")[1] == {"merged": 0, "unchanged": {}, "job": None}


def test_the_api_removes_one_format_and_merges_all() -> None:
    keeper, twin = twins(make_pool())
    caller = boss()
    assert caller.post(f"/numbers/twins/{twin.value}/remove", reason="old") == (204, None)
    assert Number.objects.get() == keeper
    keeper.delete()
    twins(Pool.objects.get())
    assert caller.post("/numbers/twins/merge", reason="x")[1]["merged"] == 1
    assert Number.objects.get().value == LINE
