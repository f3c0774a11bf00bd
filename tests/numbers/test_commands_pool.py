"""`manage.py pool`, as people and scripts use it."""

import io

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from numbers.models import Pool
from poolsite import hotpath
from tests.numbers.people import drain, make_pool, send, tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("pool", *arguments, stdout=out)
    return out.getvalue()


def test_a_pool_made_here_works_by_the_redis_command_line() -> None:
    assert "{numpool}" in run("create", "numpool")
    assert Pool.objects.get().account is None
    for event, state in (("add", "idle+down"), ("reg", "idle+up"), ("call", "busy+up")):
        assert send("numpool", event, "123456").state == state
    assert send("numpool", "hangup", "123456").state == "idle+up"


def test_a_pool_is_made_for_an_account() -> None:
    tenant("north")
    run("create", "east", "--account", "north", "--name", "East")
    assert (Pool.objects.get().account.slug, Pool.objects.get().name) == ("north", "East")


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "Bad Slug"),
        ("create", "east", "--account", "nobody"),
        ("show", "nowhere"),
        ("reconcile", "nowhere"),
        ("pause", "nowhere", "--reason", "x"),
        ("dance",),
        (),
    ],
)
def test_bad_arguments_are_one_clear_error(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        run(*arguments)
    assert not Pool.objects.exists()


def test_show_tells_state_and_figures() -> None:
    make_pool(numbers=2)
    send("east", "call", call_id="a")
    lines = run("show").splitlines()
    assert lines[0].startswith("east  open")
    assert any(line.split() == ["busy+up", "1"] for line in lines)


def test_reconcile_check_exits_1_on_drift_and_0_after_mending() -> None:
    pool = make_pool(numbers=2)
    drain(pool)
    assert "no drift" in run("reconcile", "--check")
    hotpath.client().hdel("{east}:numstate", "13800000000")
    with pytest.raises(CommandError) as drifted:
        run("reconcile", "east", "--check")
    assert drifted.value.returncode == 1
    assert "mended" in run("reconcile", "east")
    run("reconcile", "--check")


def test_a_lost_pool_is_drift_until_it_is_rebuilt() -> None:
    make_pool(numbers=1)
    for key in hotpath.client().keys("{east}*"):
        hotpath.client().delete(key)
    with pytest.raises(CommandError):
        run("reconcile", "--check")


def test_pause_resume_and_their_second_time() -> None:
    make_pool(numbers=1)
    run("pause", "east", "--reason", "carrier down")
    run("pause", "east", "--reason", "again")
    assert send("east", "call").reason == "paused"
    run("resume", "east")
    assert send("east", "call").ok


def test_without_redis_nothing_hangs_and_the_error_says_so() -> None:
    make_pool()
    with (
        hotpath.connect("redis://127.0.0.1:1"),
        pytest.raises(CommandError, match="Redis cannot be reached"),
    ):
        run("reconcile")
