"""SQL and Redis diverge, and agree again without intervention."""

from datetime import UTC, datetime, timedelta

import pytest

from numbers import pool as commands
from numbers import services
from numbers.models import CallRecord, Number, Pool, PoolEvent, Switch, UnsentChange
from numbers.services import comparing
from poolsite import hotpath
from poolsite.history.models import Cursor, GapRecord
from poolsite.operations.models import Incident
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.people import drain, make_pool, register, send

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

FIRST, SECOND = "+8613800000000", "+8613800000001"


def watch() -> dict[str, int]:
    return services.watch_pools(0, 1, counting=True)


def show(slug: str = "east") -> commands.PoolFigures:
    found = hotpath.run(commands.show(slug))
    assert found is not None
    return found


def drift(pool: Pool) -> dict[str, int]:
    return services.pool_reconcile(pool=pool, check=True).drift


# -- by the Redis command line -----------------------------------------------------------------


def test_a_number_added_by_the_command_line_gets_its_row() -> None:
    pool = make_pool()
    send("east", "add", "+8613812345678")
    drain(pool)
    row = Number.objects.get()
    assert (row.value, row.pool, row.carrier) == ("+8613812345678", pool, "China Mobile")
    assert drift(pool) == {}


def test_a_number_deleted_by_the_command_line_loses_its_row_and_tags() -> None:
    pool = make_pool()
    services.number_add(actor="test", pool=pool, number="138", tags=["a"])
    send("east", "del", "138")
    drain(pool)
    assert not Number.objects.exists()
    assert drift(pool) == {}


def test_added_and_deleted_in_one_page_and_in_two_leaves_no_row() -> None:
    pool = make_pool()
    send("east", "add", "138")
    send("east", "del", "138")
    drain(pool)
    assert not Number.objects.exists()
    send("east", "add", "139")
    drain(pool)
    send("east", "del", "139")
    drain(pool)
    assert not Number.objects.exists()


def test_a_deletion_that_is_drained_late_spares_a_row_made_since() -> None:
    pool = make_pool()
    send("east", "add", "138")
    drain(pool)
    send("east", "del", "138")
    Number.objects.all().delete()
    services.number_add(actor="test", pool=pool, number="138", label="kept")
    drain(pool)
    assert Number.objects.get().label == "kept"
    assert drift(pool) == {}


def test_a_number_of_another_pool_is_quarantined_here_and_listed_as_foreign() -> None:
    east, west = make_pool("east", numbers=1), make_pool("west")
    send("west", "add", FIRST)
    register("west", FIRST)
    drain(west)
    found = hotpath.run(commands.states("west", [FIRST]))
    assert found is not None
    assert found.by_number[FIRST].quarantine_reason == "in pool east"
    assert Number.objects.get().pool == east
    assert Incident.objects.get(type="numbers.foreign", object="west").until is None
    report = services.pool_reconcile(pool=west, check=False)
    assert (report.drift, report.foreign) == ({}, {FIRST: "east"})
    assert send("west", "call").reason == "exhausted"
    send("west", "del", FIRST)
    drain(west)
    assert services.pool_reconcile(pool=west, check=True).foreign == {}
    assert Incident.objects.get(type="numbers.foreign").until is not None
    assert Number.objects.get().pool == east


def test_a_quarantine_by_script_reaches_sql() -> None:
    pool = make_pool(numbers=1)
    hotpath.run(commands.quarantine("east", [FIRST], "by hand"))
    drain(pool)
    assert Number.objects.get().quarantined_reason == "by hand"
    hotpath.run(commands.unquarantine("east", [FIRST]))
    drain(pool)
    assert Number.objects.get().quarantined_at is None


# -- drift -------------------------------------------------------------------------------------


def test_what_differs_is_named_and_mended() -> None:
    pool = make_pool(numbers=6)
    drain(pool)
    client = hotpath.client()
    client.hdel("{east}:numstate", FIRST)
    client.zrem("{east}:idle:up", FIRST, SECOND)
    Number.objects.filter(value="+8613800000002").delete()
    Number.objects.filter(value="+8613800000003").update(quarantined_at=datetime.now(UTC))
    Pool.objects.update(cooldown_seconds=9)
    client.hincrby("{east}", "aside", 5)
    pool.refresh_from_db()
    found = drift(pool)
    assert found == {
        "not in Redis": 1,
        "not in SQL": 1,
        "not in idle": 1,
        "quarantine differs": 1,
        "settings differ": 1,
        "counters": 1,
    }
    services.pool_reconcile(pool=pool, check=False)
    services.pool_reconcile(pool=pool, check=False)
    assert drift(pool) == {}
    assert show().settings.cooldown_seconds == 9
    assert show().numbers == Number.objects.count() == 5


def test_a_check_changes_nothing() -> None:
    pool = make_pool(numbers=2)
    drain(pool)
    hotpath.client().hdel("{east}:numstate", FIRST)
    assert drift(pool) == drift(pool) == services.pool_reconcile(pool=pool, check=True).drift
    assert drift(pool)


def test_entries_on_their_way_are_no_drift() -> None:
    pool = make_pool()
    send("east", "add", "138")
    send("east", "add", "139")
    register("east", "138")
    send("east", "call", call_id="a")
    assert drift(pool) == {}


def test_calls_of_sql_and_redis_are_compared_and_mended() -> None:
    pool = make_pool(numbers=2)
    send("east", "call", FIRST, call_id="a", agent="alice", callee="139")
    drain(pool)
    CallRecord.objects.update(number=SECOND)
    assert drift(pool) == {"call not in SQL": 1, "call over in Redis": 1}
    services.pool_reconcile(pool=pool, check=False)
    assert drift(pool) == {}
    made = CallRecord.objects.get(number=FIRST)
    assert (made.call_id, made.agent, made.ended_at) == ("a", "alice", None)
    assert CallRecord.objects.get(number=SECOND).ended_how == "end not heard"
    send("east", "hangup", FIRST, call_id="a")
    drain(pool)
    made.refresh_from_db()
    assert made.ended_at is not None


@pytest.mark.parametrize("stays", [True, False])
def test_a_call_that_begins_while_reconcile_looks_is_no_drift_and_gets_one_record(
    monkeypatch: pytest.MonkeyPatch, stays: bool
) -> None:
    """Calls begin and end around the drain: they are not written twice, nor closed by reconcile."""
    pool = make_pool()
    services.number_add(actor="test", pool=pool, number=FIRST)
    register("east", FIRST)
    drained = comparing.drain
    ids = iter(f"call {n}" for n in range(20))

    def hang_up() -> None:
        states = hotpath.run(commands.states("east", [FIRST]))
        assert states is not None
        call = states.by_number[FIRST].call
        if call is not None:
            assert send("east", "hangup", FIRST, call_id=call.call_id).ok

    def call() -> None:
        assert send("east", "call", FIRST, direction="in", call_id=next(ids)).ok

    def drain_and_call(its: Pool) -> None:
        hang_up()
        call()
        drained(its)
        hang_up()
        if stays:
            call()

    monkeypatch.setattr(comparing, "drain", drain_and_call)
    report = services.pool_reconcile(pool=pool, check=False)
    assert report.drift == {}
    drained(pool)
    calls = list(CallRecord.objects.values_list("call_id", flat=True))
    assert len(calls) == len(set(calls)) > 0


def test_unequal_counts_are_found_and_mended_by_the_watch() -> None:
    pool = make_pool(numbers=3)
    drain(pool)
    hotpath.client().hdel("{east}:numstate", FIRST)
    assert watch()["mended"] > 0
    assert drift(pool) == {}


def test_a_change_that_a_dead_process_did_not_send_is_found_by_its_mark() -> None:
    pool = make_pool()
    Number.objects.create(pool=pool, value="138")
    UnsentChange.objects.create(pool=pool, created_at=datetime.now(UTC) - timedelta(minutes=1))
    assert services.watch_pools(0, 1, counting=False)["resent"] == 1
    assert drift(pool) == {}
    assert show().numbers == 1


def test_an_entry_of_a_strange_hand_is_kept_and_stops_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool = make_pool()
    client = hotpath.client()
    seq = client.hincrby("{east}", "seq", 1)
    client.xadd("{east}:log", {"at": 1_700_000_000_000_000, "e": "nonsense"}, id=f"{seq}-0")
    send("east", "add", "138")
    drain(pool)
    strange = PoolEvent.objects.get(event="unreadable")
    assert strange.detail["fields"]["e"] == "nonsense"
    assert Number.objects.get().value == "138"
    assert "cannot be read" in caplog.text


# -- Redis lost --------------------------------------------------------------------------------


def test_an_emptied_redis_is_rebuilt_and_opens_when_the_switch_reports(
    clean_redis: RedisServer,
) -> None:
    pool = make_pool(numbers=3)
    services.number_quarantine(
        actor="test", number=Number.objects.select_related("pool").get(value=SECOND), reason="spam"
    )
    send("east", "call", FIRST, call_id="a", switch="fs1", incarnation="i1", agent="alice")
    drain(pool)
    assert Switch.objects.get().incarnation == "i1"
    before = pool.generation
    with clean_redis.client() as client:
        client.flushall()
    assert send("east", "call").reason == "no such pool"
    assert watch()["rebuilt"] == 1
    pool.refresh_from_db()
    assert pool.generation > before
    assert show().status == "recovering"
    assert show().awaiting == ("fs1",)
    assert (show().numbers, show().quarantined, show().idle_up) == (3, 1, 3)
    assert send("east", "call").reason == "recovering"
    assert Incident.objects.get(type="numbers.recovering").until is None
    assert watch()["rebuilt"] == 0
    report = services.pool_reconcile(pool=pool, check=False)
    assert (report.status, report.mended) == ("recovering", False)
    assert CallRecord.objects.get().ended_at is None  # its switch has not reported yet
    hotpath.run(
        commands.live_list(
            "east", "fs1", "i1", 0, [commands.Listed("a", FIRST)], first=True, last=True
        )
    )
    assert show().status == "open"
    drain(pool)
    pool.refresh_from_db()
    assert pool.recovering_since is None
    assert Incident.objects.get(type="numbers.recovering").until is not None
    record = CallRecord.objects.get()
    assert (record.call_id, record.agent, record.ended_at) == ("a", "alice", None)
    assert GapRecord.objects.filter(tag="{east}").count() <= 1
    send("east", "hangup", FIRST, call_id="a")
    drain(pool)
    record.refresh_from_db()
    assert record.ended_how == "hangup"
    assert drift(pool) == {}


def test_a_call_that_nobody_reports_again_ends_when_the_pool_opens(
    clean_redis: RedisServer,
) -> None:
    pool = make_pool(numbers=2)
    send("east", "call", FIRST, call_id="a", switch="fs1", incarnation="i1")
    drain(pool)
    with clean_redis.client() as client:
        client.flushall()
    watch()
    hotpath.run(commands.live_list("east", "fs1", "i1", 0, [], first=True, last=True))
    drain(pool)
    assert CallRecord.objects.get().ended_how == "lost with Redis"
    assert drift(pool) == {}


@pytest.mark.parametrize("drained", [True, False], ids=["drained before", "never drained"])
def test_a_new_switch_whose_first_calls_no_drain_had_taken_is_awaited(
    clean_redis: RedisServer, drained: bool
) -> None:
    pool = make_pool(numbers=2)
    if drained:
        drain(pool)
    Switch.objects.create(pool=pool, name="fs1")
    old = Switch.objects.create(pool=pool, name="long-gone")
    lease = timedelta(seconds=pool.lease_seconds + pool.suspect_seconds)
    Switch.objects.filter(pk=old.pk).update(created_at=datetime.now(UTC) - 2 * lease)
    send("east", "call", FIRST, call_id="a", switch="fs1", incarnation="i1")
    with clean_redis.client() as client:
        client.flushall()
    watch()
    assert show().awaiting == ("fs1",)
    assert send("east", "call").reason == "recovering"
    hotpath.run(
        commands.live_list(
            "east", "fs1", "i1", 0, [commands.Listed("a", FIRST)], first=True, last=True
        )
    )
    assert show().status == "open"
    register("east", SECOND)
    assert send("east", "call", call_id="b").number == SECOND


def test_a_pool_whose_calls_name_no_switch_waits_for_the_lease_or_an_operator(
    clean_redis: RedisServer,
) -> None:
    pool = make_pool(numbers=2)
    send("east", "call", call_id="a")
    drain(pool)
    with clean_redis.client() as client:
        client.flushall()
    watch()
    assert show().status == "recovering"
    services.pool_open_early(actor="test", pool=pool, reason="looked: no call runs")
    assert send("east", "call", call_id="b").ok
    drain(pool)
    assert drift(pool) == {}


def test_a_pool_that_went_back_in_time_is_rebuilt() -> None:
    pool = make_pool(numbers=2)
    for turn in range(5):
        send("east", "call", call_id=f"c{turn}")
        send("east", "hangup", call_id=f"c{turn}")
    drain(pool)
    client = hotpath.client()
    for key in client.keys("{east}*"):
        client.delete(key)
    pool_row = Pool.objects.get()
    hotpath.run(commands.create("east", pool_row.generation, commands.PoolSettings()))
    assert show().generation == pool_row.generation
    drain(pool)
    pool_row.refresh_from_db()
    assert pool_row.generation > pool.generation
    assert show().numbers == 2
    drain(pool)
    assert Cursor.objects.get(tag="{east}").generation == pool_row.generation


def test_a_load_that_was_interrupted_is_gone_on_with(clean_redis: RedisServer) -> None:
    pool = make_pool(numbers=3)
    drain(pool)
    with clean_redis.client() as client:
        client.flushall()
    watch()
    client = hotpath.client()
    for key in client.keys("{east}*"):
        client.delete(key)
    pool.refresh_from_db()
    hotpath.run(
        commands.recover(
            "east", pool.generation, commands.PoolSettings(), open_after_seconds=60, switches={}
        )
    )
    Pool.objects.update(loading_at=datetime.now(UTC) - timedelta(minutes=1))
    assert show().numbers == 0
    assert watch()["rebuilt"] == 1
    assert show().numbers == 3
    assert show().status == "open"


def test_two_workers_that_find_the_loss_rebuild_once(clean_redis: RedisServer) -> None:
    pool = make_pool(numbers=1)
    drain(pool)
    with clean_redis.client() as client:
        client.flushall()
    stale = Pool.objects.get()
    assert services.pool_rebuild(pool, "lost")
    assert not services.pool_rebuild(stale, "lost")


def test_a_pool_that_never_reached_redis_is_simply_begun(clean_redis: RedisServer) -> None:
    pool = Pool.objects.create(slug="fresh", name="Fresh", generation=77)
    Number.objects.create(pool=pool, value="138")
    watch()
    assert (show("fresh").status, show("fresh").numbers, show("fresh").generation) == (
        "open",
        1,
        77,
    )


def test_a_paused_pool_is_paused_after_its_recovery(clean_redis: RedisServer) -> None:
    pool = make_pool(numbers=1)
    drain(pool)
    services.pool_pause(actor="test", pool=pool, reason="carrier down")
    drain(pool)
    with clean_redis.client() as client:
        client.flushall()
    watch()
    assert show().status == "paused"
    assert drift(pool) == {}


def test_registered_numbers_come_back_registered(clean_redis: RedisServer) -> None:
    pool = make_pool(numbers=3)
    send("east", "unreg", SECOND)
    drain(pool)
    with clean_redis.client() as client:
        client.flushall()
    watch()
    assert (show().idle_up, show().idle_down) == (2, 1)
    assert PoolEvent.objects.filter(event="unreg").count() == 1


def test_a_contact_comes_back_for_an_hour_at_most(clean_redis: RedisServer) -> None:
    pool = make_pool(numbers=2, up=False)
    register("east", FIRST, contact="sip:1@phone", expires=600)
    drain(pool)
    assert Number.objects.get(value=FIRST).contact == "sip:1@phone"
    with clean_redis.client() as client:
        client.flushall()
        watch()
        assert (show().idle_up, show().idle_down) == (1, 1)
        ends = client.zscore("{east}:registrations", FIRST)
        now = client.time()[0]
    assert ends is not None
    assert 3_500 < ends / 1e6 - now < 3_602
    send("east", "unreg", FIRST, contact="sip:1@phone")
    drain(pool)
    assert show().idle_up == 0
    assert Number.objects.get(value=FIRST).contact == ""
