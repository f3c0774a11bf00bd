"""A whole pool: made, set, paused, deleted: permissions and traces."""

from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError

from numbers import pool as commands
from numbers import services
from numbers.errors import NumbersError
from numbers.models import Number, Pool, UnsentChange
from numbers.services import pools
from poolsite import access, hotpath
from poolsite.access.models import AuditEntry
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.people import drain, make_pool, operator, send, tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def figures(slug: str = "east") -> commands.PoolFigures:
    found = hotpath.run(commands.show(slug))
    assert found is not None
    return found


def test_a_pool_is_made_in_sql_and_in_redis_and_audited() -> None:
    actor = operator()
    made = services.pool_create(actor=actor, slug="east", name="East", cooldown_seconds=7)
    assert figures().settings.cooldown_seconds == 7
    assert figures().generation == made.generation
    entry = AuditEntry.objects.get(action="numbers.pool_create")
    assert (entry.actor_name, entry.thing_id) == (actor.name, "east")
    assert not UnsentChange.objects.exists()


@pytest.mark.parametrize("slug", ["", "East", "a b", "x" * 41, "ünder", "a\n", "{a}"])
def test_a_bad_slug_makes_no_pool(slug: str) -> None:
    with pytest.raises(ValidationError):
        services.pool_create(actor="test", slug=slug)
    assert not Pool.all_objects.exists()


def test_a_slug_is_given_once_even_after_deletion() -> None:
    pool = make_pool()
    with pytest.raises(ValidationError):
        services.pool_create(actor="test", slug="east")
    services.pool_delete(actor="test", pool=pool, reason="moved away")
    with pytest.raises(ValidationError):
        services.pool_create(actor="test", slug="east")


@pytest.mark.parametrize(
    ("name", "value"),
    [("lease_seconds", 0), ("cooldown_seconds", -1), ("sticky_seconds", 10**9), ("colour", "red")],
)
def test_a_setting_out_of_range_changes_nothing(name: str, value: object) -> None:
    pool = make_pool()
    before = figures().settings
    with pytest.raises(ValidationError):
        services.pool_configure(actor="test", pool=pool, **{name: value})
    assert figures().settings == before


def test_settings_count_from_the_next_event_on() -> None:
    pool = make_pool(numbers=1)
    services.pool_configure(actor="test", pool=pool, cooldown_seconds=3600)
    assert send("east", "call", call_id="a").ok
    assert send("east", "hangup", call_id="a").ok
    assert send("east", "call", call_id="b").reason == "exhausted"
    entry = AuditEntry.objects.get(action="numbers.pool_configure")
    assert (entry.before, entry.after) == ({"cooldown_seconds": 0}, {"cooldown_seconds": 3600})


def test_settings_that_stay_leave_no_trace() -> None:
    pool = make_pool()
    services.pool_configure(actor="test", pool=pool, cooldown_seconds=0)
    assert not AuditEntry.objects.filter(action="numbers.pool_configure").exists()


def test_a_day_of_the_cap_begins_at_midnight_in_the_accounts_zone() -> None:
    make_pool(account=tenant("north", zone="America/New_York").account)
    found = hotpath.client().hget("{east}", "days").split()
    first = datetime.fromtimestamp(int(found[0]), UTC)
    assert first.hour in (4, 5)  # New York's midnight in UTC, in summer and winter


def test_a_paused_pool_refuses_calls_and_says_who_paused_it() -> None:
    pool = make_pool(numbers=1)
    actor = operator()
    pool = services.pool_pause(actor=actor, pool=pool, reason="carrier  is\ndown")
    assert send("east", "call").reason == "paused"
    assert (pool.paused_by, pool.paused_reason) == (actor.name, "carrier is down")
    services.pool_pause(actor=actor, pool=pool, reason="a second click")
    pool.refresh_from_db()
    assert pool.paused_reason == "carrier is down"
    services.pool_resume(actor=actor, pool=pool)
    services.pool_resume(actor=actor, pool=pool)
    assert send("east", "call").ok
    actions = list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))
    assert actions.count("numbers.pool_pause") == actions.count("numbers.pool_resume") == 1


def test_a_pause_needs_a_reason() -> None:
    pool = make_pool()
    with pytest.raises(ValidationError, match="Enter a short reason"):
        services.pool_pause(actor="test", pool=pool, reason=" \n ")


def test_a_pool_with_calls_is_not_deleted_and_stays_open() -> None:
    pool = make_pool(numbers=2)
    assert send("east", "call", call_id="a").ok
    with pytest.raises(NumbersError, match="1 call is in progress"):
        services.pool_delete(actor="test", pool=pool, reason="no longer needed")
    assert send("east", "call", call_id="b").ok


def test_a_deleted_pool_is_gone_from_redis_and_keeps_its_history() -> None:
    pool = make_pool(numbers=3)
    send("east", "call", call_id="a")
    send("east", "hangup", call_id="a")
    drain(pool)
    services.pool_delete(actor="test", pool=pool, reason="no longer needed")
    assert not Pool.objects.exists()
    assert not Number.objects.exists()
    assert pool.calls.count() == 1
    assert send("east", "call").reason == "no such pool"
    assert not hotpath.client().keys("{east}*")


def test_only_operators_with_the_grant_may_change_a_pool() -> None:
    north = tenant("north")
    pool = make_pool(account=north.account)
    stranger = tenant("south").principal
    with pytest.raises(access.Hidden):
        services.pool_pause(actor=stranger, pool=pool, reason="mine now")
    with pytest.raises(access.Forbidden):
        services.pool_pause(actor=north.principal, pool=pool, reason="mine")
    with pytest.raises(access.Forbidden):
        services.pool_create(actor=north.principal, slug="mine")
    with pytest.raises(access.LoginNeeded):
        services.pool_delete(actor=access.ANONYMOUS, pool=pool, reason="hm")
    pool.refresh_from_db()
    assert pool.paused_at is None


def test_a_change_that_redis_did_not_take_is_brought_there_later(
    clean_redis: RedisServer,
) -> None:
    pool = make_pool(numbers=1)
    with hotpath.connect("redis://127.0.0.1:1"):
        services.pool_pause(actor="test", pool=pool, reason="carrier down")
    assert send("east", "call").ok
    assert UnsentChange.objects.count() == 1
    report = services.pool_reconcile(pool=pool, check=True)
    assert report.drift == {"status differs": 1}
    UnsentChange.objects.update(created_at=datetime(2020, 1, 1, tzinfo=UTC))
    services.watch_pools(0, 1, counting=False)
    assert send("east", "call").reason == "paused"
    assert not UnsentChange.objects.exists()


def test_a_slow_sender_does_not_undo_a_newer_change() -> None:
    pool = make_pool()
    seen = Pool.objects.get(pk=pool.pk)  # by a worker, before the changes
    services.pool_configure(actor="test", pool=pool, cooldown_seconds=9)
    services.pool_pause(actor="test", pool=pool, reason="works")
    pools.apply_settings(seen)
    pools.apply_pause(seen)
    assert (figures().settings.cooldown_seconds, figures().status) == (9, "paused")


def test_a_deletion_that_redis_missed_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool(numbers=2)
    with monkeypatch.context() as away:
        away.setattr(commands, "destroy", _away)
        services.pool_delete(actor="test", pool=pool, reason="no longer needed")
    assert not Pool.objects.exists()
    assert figures().status == "paused"
    UnsentChange.objects.update(created_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert services.watch_pools(0, 1, counting=False)["resent"] == 1
    assert not hotpath.client().keys("{east}*")
    assert not Number.objects.exists()
    assert not UnsentChange.objects.exists()


def _away(*_command: object) -> None:
    raise hotpath.Unavailable("away")
