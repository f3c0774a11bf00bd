"""Pools by API: created, set, paused, opened, compared, deleted, with the page's rights."""

from typing import Any

import pytest

from numbers import pool as commands
from numbers.models import Pool
from numbers.services.pools import SETTINGS
from poolsite import hotpath
from poolsite.access.models import AuditEntry
from tests.numbers.api_people import NOT_THEIRS, Caller, boss, refused
from tests.numbers.people import make_pool, send, tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def pool() -> Pool:
    return make_pool(numbers=2, account=tenant("north").account)


def in_redis(slug: str) -> commands.PoolSettings:
    return commands.PoolSettings.from_conf(str(hotpath.client().hget(f"{{{slug}}}", "conf")))


def entry(action: str) -> AuditEntry:
    return AuditEntry.objects.filter(action=f"numbers.{action}").latest("pk")


def test_a_pool_is_created_with_settings_for_an_account() -> None:
    tenant("north")
    status, made = boss().post(
        "/pools", slug="west", name="West", account="north", cooldown_seconds=9, reason="New"
    )
    assert status == 201
    assert (made["slug"], made["account"], made["status"]) == ("west", "north", "open")
    assert (made["cooldown_seconds"], made["lease_seconds"]) == (9, 14_400)
    assert in_redis("west").cooldown_seconds == 9
    assert entry("pool_create").reason == "New"


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"slug": "east"}, 422, "malformed"),  # taken
        ({"slug": "West"}, 422, "malformed"),
        ({}, 422, "malformed"),
        ({"slug": "west", "account": "nobody"}, 404, "unknown-account"),
        ({"slug": "west", "lease_seconds": 0}, 422, "malformed"),
        ({"slug": "west", "lease_seconds": "60"}, 422, "malformed"),
        ({"slug": "west", "lease_seconds": None}, 422, "malformed"),
        ({"slug": "west", "home_country": "XX"}, 422, "malformed"),
        ({"slug": "west", "added_by_script": "maybe"}, 422, "malformed"),
        ({"slug": "west", "colour": "red"}, 422, "malformed"),
    ],
)
def test_a_bad_pool_is_not_created(pool: Pool, body: Any, status: int, kind: str) -> None:
    found, told = boss().post("/pools", **body)
    assert (found, told["type"]) == (status, kind)
    assert Pool.objects.count() == 1


def test_who_may_not_create_pools_is_refused(pool: Pool) -> None:
    answers = refused(pool, "POST", "/pools", slug="west")
    assert [status for status, _kind in answers] == [403, 403, 403, 401]
    assert Pool.objects.count() == 1


def test_every_setting_is_told_and_can_be_changed(pool: Pool) -> None:
    caller = boss()
    before = caller.get("/pools/east")[1]
    assert set(SETTINGS) <= set(before)
    for name in SETTINGS:
        value = getattr(pool, name)
        wanted: Any = value + 1 if isinstance(value, int | float) else "other"
        field = Pool._meta.get_field(name)
        if isinstance(value, bool):
            wanted = not value
        elif name == "home_country":
            wanted = "GB"
        elif field.choices:
            wanted = next(choice for choice, _word in field.flatchoices if choice != value)
        status, after = caller.patch("/pools/east", reason="a test", **{name: wanted})
        assert (status, after[name]) == (200, wanted), name
        assert getattr(Pool.objects.get(), name) == wanted
        assert (entry("pool_configure").after, entry("pool_configure").reason) == (
            {name: wanted},
            "a test",
        )
    assert in_redis("east").cooldown_seconds == pool.cooldown_seconds + 1


def test_what_is_left_out_of_a_change_stays(pool: Pool) -> None:
    before = Pool.objects.values().get()
    assert boss().patch("/pools/east")[0] == 200
    assert Pool.objects.values().get() == before
    assert not AuditEntry.objects.filter(action="numbers.pool_configure").exists()


def test_a_pool_is_paused_and_resumed(pool: Pool) -> None:
    caller = boss()
    assert caller.post("/pools/east/pause")[0] == 422
    assert caller.post("/pools/east/pause", reason=" ")[0] == 422
    status, told = caller.post("/pools/east/pause", reason="carrier down")
    assert (status, told["status"], told["status_reason"]) == (200, "paused", "carrier down")
    assert send("east", "call").reason == "paused"
    assert (entry("pool_pause").reason, entry("pool_pause").actor_name) == ("carrier down", "olive")
    assert caller.post("/pools/east/resume")[1]["status"] == "open"
    assert send("east", "call").ok


def test_a_recovering_pool_is_opened_early(pool: Pool) -> None:
    for key in hotpath.client().keys("{east}*"):
        hotpath.client().delete(key)
    caller = boss()
    assert caller.post("/pools/east/reconcile")[0] == 409
    assert caller.post("/pools/east/open", reason="now")[0] == 503  # not rebuilt yet


def test_reconcile_repairs_and_counts(pool: Pool) -> None:
    hotpath.client().hdel("{east}:numstate", "+8613800000000")
    status, told = boss().post("/pools/east/reconcile")
    assert (status, told["status"], told["numbers"]) == (200, "open", 1)
    assert told["differences"]["not in Redis"] == 1
    assert boss().post("/pools/east/reconcile")[1]["differences"] == {}


def test_a_pool_is_deleted_when_no_call_is_in_progress(pool: Pool) -> None:
    caller = boss()
    call = send("east", "call", call_id="a")
    assert caller.delete("/pools/east")[0] == 422  # no reason
    status, told = caller.delete("/pools/east?reason=over")
    assert (status, told["type"]) == (409, "not-allowed")
    send("east", "hangup", call.number, call_id="a")
    assert caller.delete("/pools/east?reason=over") == (204, None)
    assert not Pool.objects.exists()
    assert caller.get("/pools/east")[0] == 404
    assert caller.post("/pools", slug="east")[0] == 422
    assert entry("pool_delete").reason == "over"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/pools/east", {"cooldown_seconds": 5}),
        ("DELETE", "/pools/east?reason=x", {}),
        ("POST", "/pools/east/pause", {"reason": "x"}),
        ("POST", "/pools/east/resume", {}),
        ("POST", "/pools/east/open", {"reason": "x"}),
        ("POST", "/pools/east/reconcile", {}),
    ],
)
def test_who_may_not_operate_changes_nothing(
    pool: Pool, method: str, path: str, body: dict[str, Any]
) -> None:
    assert refused(pool, method, path, **body) == NOT_THEIRS
    fresh = Pool.objects.get()
    assert (fresh.cooldown_seconds, fresh.paused_at) == (0, None)
    assert Caller("north-owner").get("/pools/east")[0] == 200
