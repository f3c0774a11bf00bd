"""Moves and deletions that meet others, or are cut off: a number is in one pool, and in use."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import DatabaseError
from django.utils import timezone

from numbers import pool as commands
from numbers import services
from numbers.errors import NumbersError
from numbers.models import Number, Pool, UnsentChange
from numbers.services import removing
from poolsite import access, hotpath
from poolsite.hotpath import rows as hotpath_rows
from poolsite.operations.models import Incident
from tests.numbers.people import drain, make_pool, operator, send

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

NUMBER = "+8613800000000"


class Killed(BaseException):
    """The process dies: no handler of errors runs."""


def make_east() -> Pool:
    """A pool with one number, whose registration SQL knows."""
    pool = make_pool("east", numbers=1)
    drain(pool)
    return pool


def rows_now() -> list[Number]:
    return list(Number.objects.select_related("pool__account"))


def there(slug: str) -> commands.NumberState | None:
    found = hotpath.run(commands.states(slug, [NUMBER]))
    assert found is not None
    return found.by_number.get(NUMBER)


def later() -> None:
    """The worker comes round, after the marks of the dead process have become old."""
    UnsentChange.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    for pool in Pool.objects.all():
        drain(pool)
    for _ in range(2):
        services.watch_pools(0, 1, counting=True)
    for pool in Pool.objects.all():
        drain(pool)


def check_lent_by(slug: str, *others: str) -> None:
    """Only this pool lends the number."""
    assert Number.objects.get().pool.slug == slug
    assert Number.objects.get().quarantined_at is None
    for other in others:
        assert there(other) is None
    assert send(slug, "call", call_id="last").number == NUMBER
    assert not Incident.objects.filter(until=None).exists()
    assert not UnsentChange.objects.exists()


def test_of_two_moves_at_once_the_second_changes_nothing() -> None:
    make_east()
    west, north = make_pool("west"), make_pool("north")
    first, second = rows_now(), rows_now()
    services.numbers_move(actor="test", numbers=first, pool=west)
    stay = services.numbers_move(actor="test", numbers=second, pool=north)
    assert list(stay) == [NUMBER]
    check_lent_by("west", "east", "north")


def test_a_number_that_is_deleted_during_its_move_is_in_no_pool() -> None:
    east, west = make_east(), make_pool("west")
    rows = rows_now()
    services.numbers_delete(actor="test", pool=east, values=[NUMBER])
    stay = services.numbers_move(actor="test", numbers=rows, pool=west)
    assert list(stay) == [NUMBER]
    assert there("west") is None


def test_a_quarantine_that_comes_during_a_move_stays() -> None:
    make_east()
    west = make_pool("west")
    rows = rows_now()
    services.number_quarantine(actor=operator(), number=rows_now()[0], reason="spam")
    services.numbers_move(actor="test", numbers=rows, pool=west)
    assert Number.objects.get().quarantined_reason == "spam"
    assert send("west", "call").reason == "exhausted"


def test_a_call_to_a_number_that_is_leaving_keeps_it_from_the_new_pool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A quarantined number still takes calls, also after the move has looked."""
    east, west = make_east(), make_pool("west")
    look = removing.in_call

    def then_called(source: Pool, values: Sequence[str]) -> list[str]:
        found = look(source, values)
        assert send("east", "call", NUMBER, call_id="in", direction="in").ok
        return found

    monkeypatch.setattr(removing, "in_call", then_called)
    services.numbers_move(actor="test", numbers=rows_now(), pool=west)
    assert not send("west", "call", call_id="out").ok
    later()
    assert not send("west", "call", call_id="out").ok
    send("east", "hangup", NUMBER, call_id="in")
    later()
    drain(east)
    check_lent_by("west", "east")


def test_no_number_leaves_a_recovering_pool() -> None:
    """Its calls may not have been reported yet."""
    east, west = make_east(), make_pool("west")
    assert send("east", "call", call_id="a", switch="fs1", incarnation="1").ok
    drain(east)
    hotpath.run(commands.destroy("east", east.generation))
    services.watch_pools(0, 1, counting=False)
    with pytest.raises(NumbersError):
        services.numbers_move(actor="test", numbers=rows_now(), pool=west)
    assert there("west") is None


@pytest.mark.parametrize("step", ["set aside", "looked", "committed", "removed"])
def test_a_process_that_dies_during_a_move_leaves_the_number_in_one_pool(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_east()
    west = make_pool("west")

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(removing, "_put_back", die)
        if step == "set aside":
            patched.setattr(removing, "in_call", die)
        elif step == "looked":
            patched.setattr(removing, "_write_move", die)
        elif step == "committed":
            patched.setattr(hotpath_rows, "_send", die)
        else:
            patched.setattr(removing, "load_when_free", die)
        with pytest.raises(Killed):
            services.numbers_move(actor="test", numbers=rows_now(), pool=west)
    later()
    if step in ("set aside", "looked"):
        check_lent_by("east", "west")
    else:
        check_lent_by("west", "east")


def test_a_number_deleted_in_a_call_is_not_free_for_another_pool_at_once() -> None:
    """The history of the call may not have reached SQL."""
    east, west = make_east(), make_pool("west")
    assert send("east", "call", call_id="a").ok
    services.numbers_delete(actor="test", pool=east, values=[NUMBER])
    with pytest.raises(NumbersError, match="still in a call in east"):
        services.number_add(actor="test", pool=west, number=NUMBER)


def test_a_number_that_comes_back_is_not_deleted_by_the_history_of_its_first_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    east, west = make_east(), make_pool("west")
    services.number_change(actor="test", number=rows_now()[0], label="front desk", tags=["vip"])
    services.numbers_move(actor="test", numbers=rows_now(), pool=west)
    drain(west)
    load = removing.load_when_free

    def drain_first(pool: Pool, rows: Sequence[Number]) -> None:
        drain(east)
        load(pool, rows)

    monkeypatch.setattr(removing, "load_when_free", drain_first)
    services.numbers_move(actor="test", numbers=rows_now(), pool=east)
    later()
    assert Number.objects.get().label == "front desk"
    assert list(Number.objects.get().tags.values_list("tag", flat=True)) == ["vip"]
    check_lent_by("east", "west")


def test_a_deleted_number_does_not_come_back_with_the_history_of_its_addition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = make_pool("east", numbers=1)
    remove = removing.remove_numbers

    def drain_first(pool: Pool, values: Sequence[str]) -> None:
        drain(pool)
        remove(pool, values)

    monkeypatch.setattr(removing, "remove_numbers", drain_first)
    services.numbers_delete(actor="test", pool=pool, values=[NUMBER])
    drain(pool)
    assert not Number.objects.exists()
    assert there("east") is None


@pytest.mark.parametrize("act", ["add", "delete", "move", "quarantine", "release"])
def test_what_the_audit_log_cannot_record_does_not_happen(
    act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    east, west = make_east(), make_pool("west")
    if act == "release":
        services.number_quarantine(actor="test", number=rows_now()[0], reason="noise")
    before = Number.objects.values_list("value", "pool__slug", "quarantined_at").get()
    monkeypatch.setattr(access, "audit", Mock(side_effect=DatabaseError("away")))
    acts: dict[str, Callable[[], object]] = {
        "add": lambda: services.number_add(actor="test", pool=east, number="13900000000"),
        "delete": lambda: services.number_delete(actor="test", number=rows_now()[0]),
        "move": lambda: services.numbers_move(actor="test", numbers=rows_now(), pool=west),
        "quarantine": lambda: services.number_quarantine(
            actor="test", number=rows_now()[0], reason="noise"
        ),
        "release": lambda: services.number_release(actor="test", number=rows_now()[0]),
    }
    with pytest.raises(DatabaseError):
        acts[act]()
    assert Number.objects.values_list("value", "pool__slug", "quarantined_at").get() == before
