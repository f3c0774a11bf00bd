"""The cache of principals: what it may answer, and what empties it."""

import asyncio
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisDown

from poolsite import access
from poolsite.access import Principal, lookup, services
from poolsite.access.models import Account, User
from poolsite.access.rights import cache, versions
from poolsite.access.rights.cache import (
    CACHE,
    CACHE_SECONDS,
    REREAD_SECONDS,
    principal_of_credential,
)
from poolsite.access.rights.changes import bump
from poolsite.access.rights.hub import HUB
from poolsite.runtime.redis_server import RedisServer
from tests.access.fake_sql import Sql
from tests.access.second_factor import give_app
from tests.support.waiting import eventually, patient, until

# SQL is replaced here, but a thread of the pool may still have an earlier test's connection, which
# channels checks. Without this mark, even that check is refused.
pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_principal_is_read_once_and_then_remembered(sql: Sql) -> None:
    for _request in range(5):
        assert (await principal_of_credential("session:a")).name == "alice"
    assert sql.reads == 1


async def test_many_who_ask_at_once_share_one_read(sql: Sql) -> None:
    found = await asyncio.gather(*(principal_of_credential("session:a") for _ in range(50)))
    assert {each.name for each in found} == {"alice"}
    assert sql.reads == 1


async def test_the_memory_lasts_no_longer_than_its_limit(
    sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(cache, "time", FakeClock(lambda: now))
    await principal_of_credential("session:a")
    now += REREAD_SECONDS - 0.1
    await principal_of_credential("session:a")
    assert sql.reads == 1
    now += CACHE_SECONDS - REREAD_SECONDS + 0.2
    assert CACHE.get("session:a") is None
    await principal_of_credential("session:a")
    assert sql.reads == 2


async def test_who_is_used_is_read_again_beside_so_that_sql_may_be_away_for_a_while(
    sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(cache, "time", FakeClock(lambda: now))
    await principal_of_credential("session:a")
    sql.go_on.clear()  # SQL hangs
    for seconds in (REREAD_SECONDS, CACHE_SECONDS - REREAD_SECONDS - 0.1):
        now += seconds
        assert (await principal_of_credential("session:a")).name == "alice"
        await eventually(lambda: sql.reads == 2)
    sql.go_on.set()
    await eventually(lambda: not CACHE.is_old("session:a"))
    now += REREAD_SECONDS - 0.1
    assert (await principal_of_credential("session:a")).name == "alice"
    assert sql.reads == 2


async def test_who_is_nobody_when_read_again_is_let_in_no_more(
    sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(cache, "time", FakeClock(lambda: now))
    await principal_of_credential("session:a")
    sql.answer = access.ANONYMOUS
    now += REREAD_SECONDS
    await principal_of_credential("session:a")
    await eventually(lambda: CACHE.get("session:a") is None)
    assert not (await principal_of_credential("session:a")).is_authenticated


class FakeClock:
    """A `time` module whose monotonic clock the test moves."""

    def __init__(self, monotonic: Any) -> None:
        self.monotonic = monotonic


async def test_nobody_is_remembered_as_nobody(sql: Sql) -> None:
    sql.answer = access.ANONYMOUS
    for _request in range(3):
        assert not (await principal_of_credential("token:unknown")).is_authenticated
    assert sql.reads == 3


async def test_a_change_that_commits_during_the_read_is_read_again(sql: Sql) -> None:
    sql.go_on.clear()
    asking = asyncio.create_task(principal_of_credential("session:a"))
    await eventually(sql.reading.is_set)
    sql.answer = access.ANONYMOUS  # committed now; the reader has the former answer
    epoch = HUB.epoch
    bump("user", "1")
    await eventually(lambda: HUB.epoch > epoch)
    sql.go_on.set()
    assert not (await asking).is_authenticated
    assert CACHE.get("session:a") is None


async def test_what_was_read_before_a_change_is_not_remembered(sql: Sql) -> None:
    CACHE.put("session:a", sql.answer, HUB.epoch)
    assert CACHE.get("session:a") == sql.answer
    CACHE.put("session:b", sql.answer, HUB.epoch - 1)
    assert CACHE.get("session:b") is None


async def test_somebody_elses_change_forgets_only_that_person(sql: Sql) -> None:
    await principal_of_credential("session:a")
    epoch = HUB.epoch
    bump("user", "2")
    await eventually(lambda: HUB.epoch > epoch)
    await principal_of_credential("session:a")
    assert sql.reads == 1


async def test_without_a_subscription_every_request_reads(sql: Sql) -> None:
    await principal_of_credential("session:a")
    HUB.stop()
    assert CACHE.get("session:a") is None
    assert not HUB.is_listening()


async def test_what_was_remembered_before_an_outage_is_forgotten_after_it(sql: Sql) -> None:
    await principal_of_credential("session:a")
    HUB.stop()
    assert HUB.wait_until_listening(patient(5))
    await principal_of_credential("session:a")
    assert sql.reads == 2


async def test_when_sql_fails_nobody_is_let_in(sql: Sql, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: Any, **_options: Any) -> Principal:
        raise OSError("no database")

    monkeypatch.setattr(lookup, "of_credential", broken)
    with pytest.raises(OSError, match="no database"):
        await principal_of_credential("session:a")


def test_a_message_that_redis_refused_is_repeated(
    clean_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    down = True
    real = versions.publish

    def publish(kind: str, identity: str) -> None:
        if down:
            raise RedisDown
        real(kind, identity)

    monkeypatch.setattr(versions, "publish", publish)
    bump("user", 7)
    assert versions.version_of("user", 7) == 0
    down = False
    until(lambda: versions.version_of("user", 7) == 1)


def test_a_change_is_told_after_the_commit_and_not_when_it_rolls_back(
    transactional_db: None, clean_redis: RedisServer
) -> None:
    from django.db import transaction

    user = services.user_create(username="alice", actor="test")
    before = versions.version_of("user", user.pk)

    def undo() -> None:
        services.log_out_everywhere(user=user, actor="test")
        assert versions.version_of("user", user.pk) == before
        raise RuntimeError("undone")

    with pytest.raises(RuntimeError, match="undone"), transaction.atomic():
        undo()
    assert versions.version_of("user", user.pk) == before
    services.log_out_everywhere(user=user, actor="test")
    assert versions.version_of("user", user.pk) == before + 1


@pytest.mark.parametrize(
    "change",
    [
        lambda user, own: services.membership_set(
            user=user, account=own, roles=["agent"], actor="t"
        ),
        lambda user, own: services.grant_set(user=user, name="operate", actor="t"),
        lambda user, own: services.password_set(user=user, password="a new long word", actor="t"),
        lambda user, own: services.user_deactivate(user=user, actor="t", reason="left"),
        lambda user, own: services.factors_remove(user=user, actor="t") or give_app(user),
        lambda user, own: user.delete(),
    ],
    ids=["role", "grant", "password", "deactivation", "factor", "deletion"],
)
def test_every_change_of_rights_raises_the_version(
    transactional_db: None, clean_redis: RedisServer, change: Any
) -> None:
    user = services.user_create(username="alice", actor="test")
    own = services.account_create(slug="own", name="Own", actor="test")
    before, key = versions.version_of("user", user.pk), user.pk
    change(user, own)
    assert versions.version_of("user", key) > before


def test_a_log_in_is_no_change_of_rights(
    transactional_db: None, clean_redis: RedisServer, client: Any
) -> None:
    user = services.user_create(username="alice", actor="test")
    before = versions.version_of("user", user.pk)
    client.force_login(user)
    client.get("/profile/")
    assert versions.version_of("user", user.pk) == before


def test_a_forked_child_starts_its_own_listener(clean_redis: RedisServer) -> None:
    assert HUB.wait_until_listening(patient(5))
    HUB.forget_after_fork()
    assert not HUB.is_listening()
    assert HUB.wait_until_listening(patient(5))


def test_a_user_of_no_account_is_read_with_roles_and_grants(world: Any) -> None:
    user: User = world.users["owner"]
    services.grant_set(user=user, name="supervise", thing="desk:a", account=world.own, actor="t")
    principal = access.principal_of_user(user)
    own = Account.objects.get(slug="own").pk
    assert principal.roles_in(own) == {"owner"}
    assert principal.thing_grants == {("supervise", "desk:a", own)}
    assert not principal.is_operator
    assert access.principal_of_user(world.users["finance"]).grants == {"finance"}


def test_principals_that_leave_a_full_cache_leave_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(HUB, "is_listening", lambda: True)
    monkeypatch.setattr(cache, "CACHE_ENTRIES", 2)
    own = cache.PrincipalCache()
    for n in range(5):
        own.put(f"visitor:{n}", Principal("visitor", id=str(n)), HUB.epoch)
    assert set(own._by_principal) == {("visitor", "3"), ("visitor", "4")}
    own.forget("visitor:4")
    assert set(own._by_principal) == {("visitor", "3")}
