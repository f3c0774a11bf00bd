"""`manage.py pool`, as people and scripts use it."""

import io
import re

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.models import BooleanField

from numbers import pool as commands
from numbers.models import Pool
from numbers.services.pools import SETTINGS
from poolsite import hotpath
from poolsite.access.models import AuditEntry
from poolsite.console.setting_options import in_words
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.people import drain, make_pool, send, tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("pool", *arguments, stdout=out)
    return out.getvalue()


def in_redis() -> commands.PoolSettings:
    return commands.PoolSettings.from_conf(str(hotpath.client().hget("{east}", "conf")))


def test_a_pool_made_here_works_by_the_redis_command_line(redis_server: RedisServer) -> None:
    told = run("create", "numpool")
    assert "{numpool}" in told
    assert "used immediately" in told
    pool = Pool.objects.get()
    assert (pool.account, pool.added_by_script) == (None, "lend")
    scripts = io.StringIO()
    call_command("scripts", stdout=scripts)
    line = next(line for line in scripts.getvalue().splitlines() if "numbers/event " in line)
    sha = re.findall(r"[0-9a-f]{40}", line)[0]
    with redis_server.client() as client:  # only Redis, and no worker
        for words, state in (
            (("add", "123456"), "idle+down"),
            (("reg", "123456"), "idle+up"),
            (("call",), "busy+up"),
            (("hangup", "123456"), "idle+up"),
        ):
            reply = client.execute_command("EVALSHA", sha, 1, "{numpool}", *words)
            assert list(reply) == ["1", "123456", state, ""]


def test_a_pool_is_made_for_an_account() -> None:
    tenant("north")
    run("create", "east", "--account", "north", "--name", "East")
    assert (Pool.objects.get().account.slug, Pool.objects.get().name) == ("north", "East")


def test_every_setting_can_be_given_and_changed_and_the_change_is_told() -> None:
    run("create", "east", "--cooldown-seconds", "30", "--near", "--blocking-alarm-percent", "2.5")
    pool = Pool.objects.get()
    assert (pool.name, pool.cooldown_seconds, pool.near) == ("east", 30, True)
    assert pool.blocking_alarm_percent == 2.5
    assert in_redis().cooldown_seconds == 30
    for name in SETTINGS:
        field, value = Pool._meta.get_field(name), getattr(Pool.objects.get(), name)
        option = "--" + name.replace("_", "-")
        text = "GB" if name == "home_country" else "other"
        wanted = value + 1 if isinstance(value, int | float) else text
        if field.choices:
            wanted = next(choice for choice, _word in field.flatchoices if choice != value)
        words = [option, str(wanted)]
        if isinstance(field, BooleanField):
            wanted = not value
            words = [option if wanted else option.replace("--", "--no-", 1)]
        said = run("set", "east", *words, "--reason", "a test")
        assert said == f"east: {name}: {in_words(value)} → {in_words(wanted)}\n"
        assert getattr(Pool.objects.get(), name) == wanted
        assert f"  {name:<28}{in_words(wanted)}" in run("show", "east").splitlines()
        entry = AuditEntry.objects.filter(action="numbers.pool_configure").latest("pk")
        assert (entry.after, entry.reason) == ({name: wanted}, "a test")
    assert (in_redis().cooldown_seconds, in_redis().near) == (31, False)


def test_a_setting_that_has_the_value_already_is_no_change() -> None:
    run("create", "east")
    assert run("set", "east", "--cooldown-seconds", "0") == "east: no changes\n"
    assert not AuditEntry.objects.filter(action="numbers.pool_configure").exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("set", "east"), "Give at least one setting"),
        (("set", "nowhere", "--near"), "Pool 'nowhere' not found"),
        (("set", "east", "--lease-seconds", "0"), "lease_seconds: Ensure this value is greater"),
        (("set", "east", "--lease-seconds", "soon"), "invalid int value"),
        (("set", "east", "--blocking-alarm-percent", "nan"), "not a number"),
        (("set", "east", "--slug", "west"), "unrecognized arguments"),
        (("create", "west", "--waiters-limit", "-1"), "waiters_limit: Ensure"),
    ],
)
def test_a_bad_setting_is_one_clear_error_and_changes_nothing(
    arguments: tuple[str, ...], why: str
) -> None:
    run("create", "east")
    before = Pool.objects.values().get()
    with pytest.raises(CommandError, match=why):
        run(*arguments)
    assert Pool.objects.values().get() == before


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
    hotpath.client().hdel("{east}:numstate", "+8613800000000")
    with pytest.raises(CommandError) as drifted:
        run("reconcile", "east", "--check")
    assert drifted.value.returncode == 1
    assert "fixed" in run("reconcile", "east")
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
        pytest.raises(CommandError, match="Can't reach Redis"),
    ):
        run("reconcile")
