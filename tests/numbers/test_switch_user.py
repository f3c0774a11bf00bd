"""The Redis user of a switch: it can do its work, and has no access outside its pool."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest
import redis

from numbers import pool
from numbers.pool import switch_user
from poolsite.hotpath.library import library_of
from poolsite.hotpath.scripts import preluded_with
from poolsite.runtime.redis_server import RedisServer
from tests.hotpath.starving import everything
from tests.numbers.pool_support import KEYS, SLUG, PoolUnderTest, pool_on
from tests.support.clock import KEY as CLOCK
from tests.support.clock import TEST_PRELUDE, ScriptClock

PASSWORD = "a password of a test"
# Allowed without a right: these commands identify a client, or end the connection.
ALWAYS = {"auth", "hello", "quit", "reset"}
BOOT_1 = ("switch", "fs-01", "incarnation", "boot-1")
BOOT_2 = ("switch", "fs-01", "incarnation", "boot-2")


@pytest.fixture
def bench(each_redis: RedisServer) -> Iterator[PoolUnderTest]:
    """A pool on each kind of server, under a clock that the test moves."""
    with (
        preluded_with(TEST_PRELUDE),
        each_redis.client() as client,
        pool_on(each_redis.url, ScriptClock(client)) as bench,
    ):
        bench.path.load_scripts()
        yield bench.create(near=True, sticky_seconds=100, callback_window_seconds=100)
        for name in client.acl_users():
            if name != "default":
                client.acl_deluser(name)


@contextmanager
def user(bench: PoolUnderTest, server: RedisServer, *changes: str) -> Iterator[Any]:
    """Yield a connection of the switch's user, which may read the test clock: the scripts do."""
    knows = bench.path.knows_functions()
    made = switch_user.switch_user(SLUG, "fs-01", PASSWORD, functions=knows)
    rules = (*made.rules, "+get", "~" + CLOCK, *changes)
    bench.client.execute_command("ACL", "SETUSER", made.name, *rules)
    with redis.Redis(
        unix_socket_path=str(server.socket),
        username=made.name,
        password=PASSWORD,
        decode_responses=True,
        protocol=2,
    ) as client:
        yield client


Step = tuple[str, tuple[str | int, ...]]


def day(now_us: int) -> Iterator[Step]:
    """Yield what a switch sends in a day: script and arguments.

    Each step is a second after the last.
    """
    listing = ("fs-01", "boot-1", str(now_us), 1, 1, 0)
    yield "event", ("add", "1001", "near", "86")
    yield "event", ("reg", "1001")
    yield "event", ("add", "1002")
    yield "event", ("reg", "1002", "contact", "sip:a", "expires", 50, "seq", 3, *BOOT_1)
    yield (
        "event",
        ("call", "-", "call_id", "a", "near", "86", "callee", "139", "agent", "x", *BOOT_1),
    )
    yield "event", ("renew", "-", "call_id", "a", *BOOT_1)
    yield "event", ("call", "1002", "call_id", "b", *BOOT_1)
    yield "event", ("call", "-", "call_id", "c", "wait_ms", 60_000, *BOOT_1)
    yield "event", ("hangup", "1001", "call_id", "a", *BOOT_1)
    yield "event", ("call", "-", "call_id", "c", "wait_ms", 60_000, *BOOT_1)
    yield "event", ("call", "-", "call_id", "d", *BOOT_1)
    yield "live_list", (*listing, "b", "1002", "c", "1001", "ghost", "1003")
    yield "live_list", (*listing, "b", "1002")
    yield "event", ("hangup", "-", "call_id", "c", *BOOT_1)
    yield "events", (2, "unreg", "1001", 2, "reg", "1001")
    yield "event", ("del", "1002", *BOOT_1)
    yield "event", ("hangup", "1002", "call_id", "b", *BOOT_1)
    yield "event", ("call", "1001", "direction", "in", "call_id", "e", *BOOT_1)
    yield "event", ("unreg", "1001")
    yield "event", ("call", "-", "call_id", "f", *BOOT_2)
    yield "release", (100,)
    yield "event", ("hangup", "1001", "call_id", "e", *BOOT_2)
    yield "event", ("add", "1002")
    yield "event", ("reg", "1002", "contact", "sip:b", "expires", 1)
    yield "event", ("call", "-", "call_id", "g", *BOOT_2)
    yield "event", ("call", "1002")
    yield "event", ("hangup", "1002")


def send(client: Any, step: Step, form: str = "evalsha") -> list[str]:
    name, words = step
    what = pool.SCRIPTS[name].sha1 if form == "evalsha" else f"numbers_{name}"
    reply: list[str] = client.execute_command(form.upper(), what, 1, KEYS.tag, *words)
    return reply


def forms(bench: PoolUnderTest) -> tuple[str, ...]:
    """Return how the server lets a switch run an operation: Redis 6.2 has no functions."""
    return ("evalsha", "fcall") if bench.path.knows_functions() else ("evalsha",)


def the_day_of_a_switch(bench: PoolUnderTest, server: RedisServer, form: str) -> list[Any]:
    """Return all replies, and the pool's state then."""
    assert bench.clock is not None
    with user(bench, server) as client:
        replies = []
        for step in day(bench.clock.now_us):
            bench.advance(1)
            replies.append((step, send(client, step, form)))
            assert bench.problems() == []
        client.ping()
        listener = client.pubsub()
        listener.subscribe(KEYS.offers_channel)
        assert listener.get_message(timeout=5)["type"] == "subscribe"
        listener.close()
    said = {reply[0] for _, reply in replies}
    reasons = {reply[3] for _, reply in replies if len(reply) > 3}
    assert said == {"1", "0", "-1", "4"}, replies
    assert reasons >= {"waiting", "exhausted", "old call", "offline"}, replies
    assert not any(reason.startswith("malformed") for reason in reasons), replies
    return [*replies, bench.everything()]


def test_the_user_does_all_that_a_switch_does_alike_in_each_form(
    bench: PoolUnderTest, each_redis: RedisServer
) -> None:
    assert bench.clock is not None
    words = [words[0] for name, words in day(0) if name == "event"]
    assert set(words) == {"add", "del", "reg", "unreg", "call", "hangup", "renew"}
    began, days = bench.clock.now_us, []
    for form in forms(bench):
        bench.clock.set(began)
        bench.create_again(near=True, sticky_seconds=100, callback_window_seconds=100)
        days.append(the_day_of_a_switch(bench, each_redis, form))
    assert all(each == days[0] for each in days)


def test_what_is_refused_is_refused_alike_in_each_form(
    bench: PoolUnderTest, each_redis: RedisServer
) -> None:
    steps: list[Step] = [
        *(("event", words) for words in ((), ("ring",), ("call", "1 1"), ("call", "-", "wait_ms"))),
        *(("events", words) for words in ((), (1,), (1, "call", 2), (3, "hangup", "1", "x"))),
        *(("live_list", words) for words in ((), ("fs-01", "b", "never", 1, 1, 0))),
        *(("release", words) for words in ((), (0,), ("x",))),
        ("event", ("hangup", "1001")),
    ]
    said = []
    for form in forms(bench):
        with user(bench, each_redis) as client:
            replies = [send(client, step, form) for step in steps]
            bench.client.delete(*KEYS.all)
            said.append([*replies, send(client, ("event", ("call",)), form)])
        assert said[-1][-1] == ["-1", "", "", "no such pool"]
        assert {reply[0] for reply in said[-1] if reply} <= {"-1", "0", "4"}, said[-1]
        bench.create_again()
    assert all(each == said[0] for each in said)


def test_every_other_command_is_refused(bench: PoolUnderTest, each_redis: RedisServer) -> None:
    allowed = set(switch_user.commands(functions=bench.path.knows_functions()))
    refused, tried = set(), 0
    with user(bench, each_redis, "-get") as client:
        for words in every_command(bench.client):
            if words[0] in ALWAYS or words[0] in allowed:
                continue
            tried += 1
            # EXEC puts its own error around it; MODULE and DEBUG are closed for everyone.
            with pytest.raises(redis.exceptions.RedisError, match=r"no permissions|not allowed"):
                client.execute_command(*words)
            refused.add(words[0])
    assert tried > 180
    assert {
        "eval",
        "script",
        "config",
        "flushall",
        "del",
        "set",
    } <= refused
    assert ("function" in refused) == bench.path.knows_functions()


def every_command(client: Any) -> Iterator[list[str]]:
    """Yield each command and subcommand of the server, with as many arguments as it requires."""
    client.response_callbacks.pop("COMMAND", None)  # as the server reports it
    for row in client.execute_command("COMMAND"):
        yield from _words_of(row)


def _words_of(row: list[Any]) -> Iterator[list[str]]:
    name, arity = str(row[0]), int(row[1])
    subcommands = row[9] if len(row) > 9 else []
    if subcommands:
        for below in subcommands:
            yield from _words_of(below)
    else:
        words = name.split("|")
        yield words + ["1"] * (abs(arity) - len(words))


def test_no_other_key_and_no_other_channel_is_reached(
    bench: PoolUnderTest, each_redis: RedisServer
) -> None:
    others = ["{other}", "{other}:numstate", "numpool", "{numpool", KEYS.charges, KEYS.tag + "x"]
    with user(bench, each_redis) as client:
        for key in others:
            for words in (
                ("HGET", key, "a"),
                ("HSET", key, "a", "1"),
                ("ZADD", key, "1", "a"),
                ("XADD", key, "*", "a", "1"),
                ("EVALSHA", pool.SCRIPTS["event"].sha1, 1, key, "add", "1001"),
                ("FCALL", "numbers_event", 1, key, "add", "1001"),
            ):
                if words[0] == "FCALL" and not bench.path.knows_functions():
                    continue
                with pytest.raises(redis.exceptions.NoPermissionError):
                    client.execute_command(*words)
        for channel in (
            "{other}:wake",
            "{other}:offers",
            "live:to:user:1",
            KEYS.wake_channel + "x",
        ):
            for order in (("PUBLISH", channel, ""), ("SUBSCRIBE", channel)):
                with pytest.raises(redis.exceptions.NoPermissionError):
                    client.execute_command(*order)
        assert everything(bench.client).keys() <= {*KEYS.all, CLOCK}


def test_what_such_a_user_can_do_all_the_same(
    bench: PoolUnderTest, each_redis: RedisServer
) -> None:
    """Redis can't separate a script's rights from those of its commands (numbers/redis.md)."""
    with user(bench, each_redis) as client:
        client.hset(KEYS.tag, "made", "up")
        assert client.evalsha(pool.SCRIPTS["pause"].sha1, 1, KEYS.tag, "1", "because")[0] == "1"
        with pytest.raises(redis.exceptions.RedisError):
            client.evalsha(pool.SCRIPTS["destroy"].sha1, 1, KEYS.tag, "1")
        if bench.path.knows_functions():
            can_no_more_by_a_function(client)
    assert bench.client.exists(KEYS.tag)


def can_no_more_by_a_function(client: Any) -> None:
    """Check that the switch gains nothing by functions: only four have its names.

    Our own processes' functions need rights that the switch lacks, like their scripts.
    """
    for name in set(pool.SCRIPTS) - set(pool.SWITCH_SCRIPTS):
        with pytest.raises(redis.exceptions.ResponseError, match="Function not found"):
            client.execute_command("FCALL", f"numbers_{name}", 1, KEYS.tag)
    library = library_of(pool.SCRIPTS["destroy"])
    assert library is not None
    with pytest.raises(redis.exceptions.RedisError):
        client.execute_command("FCALL", library.function(pool.SCRIPTS["destroy"]), 1, KEYS.tag, "1")


def lacking(bench: PoolUnderTest) -> Iterator[str]:
    """Yield each right, taken away, except that of running a script at all."""
    for command in switch_user.commands():
        if command not in switch_user.CONNECTION:
            yield "-" + command
    yield from ("keys " + key for key in KEYS.all)
    yield "resetchannels"


def without(right: str) -> tuple[str, ...]:
    if right.startswith("keys "):
        left = [key for key in (*KEYS.all, CLOCK) if key != right.removeprefix("keys ")]
        return ("resetkeys", *("~" + key for key in left))
    return (right,)


def done(client: Any, step: Step, form: str) -> bool:
    """Return whether Redis allowed the step."""
    try:
        send(client, step, form)
    except redis.exceptions.RedisError:
        return False
    return True


def test_a_user_who_lacks_a_right_changes_nothing_or_all(
    bench: PoolUnderTest, each_redis: RedisServer
) -> None:
    """Redis 6.2 cannot be asked for a user's rights: there only a missing channel does no harm."""
    asks = not bench.client.info("server")["redis_version"].startswith("6.")
    for form, right in product(forms(bench), lacking(bench)):
        if not asks and right not in ("-publish", "resetchannels"):
            continue
        bench.create_again(near=True, sticky_seconds=100, callback_window_seconds=100)
        refused = 0
        with user(bench, each_redis, *without(right)) as client:
            assert bench.clock is not None
            for step in day(bench.clock.now_us):
                bench.advance(1)
                before = everything(bench.client)
                if not done(client, step, form):
                    refused += 1
                    changed = everything(bench.client) != before
                    assert not changed, (form, right, step)
                    send(bench.client, step)
            assert bench.problems() == [], (form, right)
        harmless = right in ("-publish", "resetchannels")
        assert (refused == 0) == harmless, (form, right, refused)
