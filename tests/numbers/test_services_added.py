"""A number that a script adds: SQL takes it, and only one of two pools ever lends it."""

import pytest
import redis

from numbers import pool as commands
from numbers import services
from numbers.models import Number, Pool, UnconfirmedNumber
from numbers.services import confirming
from poolsite import hotpath
from poolsite.operations.models import Incident
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.people import drain, make_pool, register, send

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

A = "+8613800000001"
TWELVE = [f"+861380000{n:04d}" for n in range(12)]


def add(slug: str, *numbers: str) -> None:
    for number in numbers:
        assert send(slug, "add", number).ok
    register(slug, *numbers)


def why_not(slug: str, number: str) -> str:
    states = hotpath.run(commands.states(slug, [number]))
    assert states is not None
    return states.by_number[number].why_not(states.as_of_us)


def running(slug: str) -> set[str]:
    states = hotpath.run(commands.states(slug, TWELVE))
    assert states is not None
    return {number for number, state in states.by_number.items() if state.busy}


def foreign() -> Incident:
    return Incident.objects.get(type="numbers.foreign", until=None)


def test_the_same_twelve_numbers_in_two_pools_are_in_calls_in_one_only() -> None:
    east, west = make_pool("east"), make_pool("west")
    add("east", *TWELVE[:7])
    add("west", *TWELVE)
    add("east", *TWELVE[7:])
    slugs = ("east", "west")
    for slug in slugs:  # before SQL has decided: neither lends it, by any kind of request
        assert send(slug, "call", call_id="early").reason == "exhausted"
        assert send(slug, "call", TWELVE[0], direction="in").reason == "unconfirmed"
    for pool in (west, east):
        drain(pool)
        for n in range(14):
            for slug in slugs:
                send(slug, "call", call_id=f"{pool.slug} {n}")
                send(slug, "call", TWELVE[n % 12], call_id=f"{pool.slug} in {n}", direction="in")
    assert running("west") == set(TWELVE)
    assert running("east") == set()
    assert set(Number.objects.values_list("value", "pool__slug")) == {(n, "west") for n in TWELVE}
    assert why_not("east", A) == "quarantined"
    assert foreign().object == "east"
    assert not UnconfirmedNumber.objects.exists()


def test_lent_at_once_it_is_quarantined_when_sql_knows_and_its_calls_are_named() -> None:
    make_pool("west", numbers=1, first=13800000001)
    east = make_pool("east", added_by_script="lend")
    add("east", A)
    assert send("east", "call", call_id="9f1@10.0.0.7").number == A
    drain(east)
    assert why_not("east", A) == "busy"
    assert foreign().params["calls"] == f"{A} (9f1@10.0.0.7)"
    assert "Calls still in progress" in foreign().detail
    send("east", "hangup", call_id="9f1@10.0.0.7")
    assert why_not("east", A) == "quarantined"


def test_a_confirmation_that_redis_did_not_hear_is_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    east = make_pool("east")
    add("east", A)

    def away(slug: str, added: object) -> None:
        raise redis.ConnectionError("away")

    with monkeypatch.context() as patched:
        patched.setattr(commands, "confirm", away)
        drain(east)
    assert why_not("east", A) == "unconfirmed"
    assert UnconfirmedNumber.objects.get().value == A
    services.watch_pools(0, 1, counting=False)
    assert why_not("east", A) == ""
    assert not UnconfirmedNumber.objects.exists()


def test_it_waits_for_the_old_call_of_another_pool() -> None:
    west, east = make_pool("west", numbers=1, first=13800000001), make_pool("east")
    assert send("west", "call", call_id="old").number == A
    send("west", "del", A)
    drain(west)
    add("east", A)
    drain(east)
    services.watch_pools(0, 1, counting=True)
    assert services.pool_reconcile(pool=east, check=False).drift == {}
    assert why_not("east", A) == "unconfirmed"
    assert send("west", "hangup", call_id="old").ok
    drain(west)
    services.watch_pools(0, 1, counting=False)
    assert why_not("east", A) == ""


def test_deleted_and_added_again_before_sql_knew_is_confirmed_by_its_last_add() -> None:
    east = make_pool("east")
    add("east", A)
    send("east", "del", A)
    add("east", A)
    drain(east)
    assert why_not("east", A) == ""


def test_a_note_of_a_number_that_is_gone_confirms_nothing() -> None:
    east = make_pool("east")
    add("east", A)
    UnconfirmedNumber.objects.create(pool=east, value=A, added_us=1)
    services.watch_pools(0, 1, counting=False)
    assert not UnconfirmedNumber.objects.exists()
    assert why_not("east", A) == "unconfirmed"


def test_reconcile_confirms_what_nobody_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    east = make_pool("east")
    add("east", A)
    with monkeypatch.context() as patched:
        patched.setattr(confirming, "_confirm", lambda pool, rows: 0)
        drain(east)
    UnconfirmedNumber.objects.all().delete()
    assert services.pool_reconcile(pool=east, check=True).drift == {"not confirmed": 1}
    assert services.pool_reconcile(pool=east, check=False).drift == {"not confirmed": 1}
    assert why_not("east", A) == ""
    assert services.pool_reconcile(pool=east, check=True).clean


def test_moved_into_this_pool_it_is_confirmed() -> None:
    west, east = make_pool("west", numbers=1, first=13800000001), make_pool("east")
    add("east", A)
    for _ in range(2):  # the quarantine is a separate entry
        drain(east)
    assert why_not("east", A) == "quarantined"
    assert services.numbers_move(actor="test", numbers=[Number.objects.get()], pool=east) == {}
    services.pool_reconcile(pool=east, check=False)
    assert why_not("east", A) == ""
    drain(west)
    assert Number.objects.get().pool == east


def test_a_pool_that_refuses_takes_numbers_from_the_console_only() -> None:
    east = make_pool("east", added_by_script="refuse", numbers=1, first=13800000001)
    refused = send("east", "add", "139")
    assert (refused.code, refused.reason) == (-1, "add refused")
    drain(east)
    assert Number.objects.get().value == A
    assert send("east", "call").number == A


def test_the_rule_reaches_redis_and_is_brought_back_when_another_release_lost_it() -> None:
    east = make_pool("east")
    services.pool_configure(actor="test", pool=east, added_by_script="refuse")
    services.switch_create(actor="test", pool=east, name="fs-1", kind="media")
    hotpath.client().hdel("{east}", "added_by_script", "media")  # as that release leaves it
    assert services.pool_reconcile(pool=east, check=True).drift == {"settings differ": 1}
    services.watch_pools(0, 1, counting=True)
    figures = hotpath.run(commands.show("east"))
    assert figures is not None
    assert figures.settings.beside() == ("refuse", "fs-1")


def test_a_rebuilt_pool_knows_its_kinds_and_its_rule(redis_server: RedisServer) -> None:
    east = make_pool("east", numbers=1, first=13800000001)
    services.switch_create(actor="test", pool=east, name="fs-1", kind="media")
    services.switch_create(actor="test", pool=east, name="kam-1")
    hotpath.client().flushdb()
    services.watch_pools(0, 1, counting=False)
    figures = hotpath.run(commands.show("east"))
    assert figures is not None
    assert figures.settings.beside() == ("confirm", "fs-1")
    assert Pool.objects.get().generation > 1
