"""Pools of a given size in a private Redis, and traffic as the arguments of plain commands."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import redis

from numbers.pool import ROWS_LIMIT, Event, PoolSettings, StoredNumber, create, event, events, load
from poolsite.hotpath import Command
from poolsite.hotpath.library import library_of
from poolsite.runtime.redis_server import RedisServer
from tests.bench.redis_cpu import send_pipelined

SLUG = "bench"
AREAS = ("86-shanghai", "86-nanjing", "86-suzhou", "86-wuxi", "86-hangzhou")
EVERYTHING_ON = PoolSettings(near=True, sticky_seconds=3600, daily_cap=100_000)
FIRST_NUMBER = 13_000_000_000


@contextmanager
def private_redis() -> Iterator[redis.Redis]:
    """Start a server without AOF for the block, and stop it afterwards. Yield a client."""
    with tempfile.TemporaryDirectory(prefix="poolsite-bench-", dir="/tmp") as folder:
        server = RedisServer(folder=Path(folder), append_only=False).start()
        try:
            with server.client() as client:
                yield client
        finally:
            server.stop()


def words(client: redis.Redis, commands: Sequence[Command]) -> Iterator[tuple[object, ...]]:
    """Yield each command as arguments of EVALSHA, with every key declared as our runner does."""
    loaded: set[str] = set()
    for command in commands:
        script = command.script
        if script.sha1 not in loaded:
            client.script_load(script.text)
            loaded.add(script.sha1)
        yield ("EVALSHA", script.sha1, len(command.keys), *command.keys, *command.args)


def library_words(client: redis.Redis, commands: Sequence[Command]) -> Iterator[tuple[object, ...]]:
    """Yield each command as arguments of FCALL, with only the tag as key as our runner does."""
    loaded: set[str] = set()
    for command in commands:
        library = library_of(command.script)
        assert library is not None, f"{command.script.title} is written without modules"
        if library.name not in loaded:
            client.function_load(library.text, replace=True)
            loaded.add(library.name)
        yield command.fcall(library.function(command.script), whole=False)


def numbers_of(count: int) -> list[str]:
    """Return the numbers of a pool of that size."""
    return [f"+86{FIRST_NUMBER + index}" for index in range(count)]


def fill(client: redis.Redis, count: int, settings: PoolSettings = EVERYTHING_ON) -> list[str]:
    """Make the pool with `count` numbers, all ready. Return the numbers."""
    numbers = numbers_of(count)
    commands: list[Command] = [create(SLUG, 1, settings)]
    for start in range(0, count, ROWS_LIMIT):
        rows = [
            StoredNumber(number, up=True, region=AREAS[index % len(AREAS)])
            for index, number in enumerate(numbers[start : start + ROWS_LIMIT])
        ]
        commands.append(load(SLUG, rows, event=""))
    replies = send_pipelined(client, words(client, commands))
    assert replies[0][0] == "1", replies[0]
    return numbers


def call_id(index: int) -> str:
    """Return the name that a switch gives to the call with this index."""
    return f"{index:x}-bench@fs-01"


def call_event(index: int, *, policy: str) -> Event:
    """Return a call with every field of a switch; `policy` names how to pick its number."""
    return Event.of(
        "call",
        call_id=call_id(index),
        switch="fs-01",
        incarnation="boot-1",
        agent=f"agent {index % 500}",
        callee=f"+86139{index % 20_000:08d}",
        sticky=policy == "sticky",
        near=AREAS[index % len(AREAS)] if policy == "near" else "",
    )


def calls_and_hangups(first: int, count: int, *, policy: str) -> list[Command]:
    """Return `count` calls and, 200 calls later each, their hangups by call ID alone."""
    return [event(SLUG, each) for each in call_and_hangup_events(first, count, policy=policy)]


def lists_of_calls(first: int, count: int, *, policy: str, size: int) -> list[Command]:
    """Like `calls_and_hangups`, in commands of up to `size` events."""
    all_events = call_and_hangup_events(first, count, policy=policy)
    starts = range(0, len(all_events), size)
    return [events(SLUG, all_events[start : start + size]) for start in starts]


def call_and_hangup_events(first: int, count: int, *, policy: str) -> list[Event]:
    """Return the events of `calls_and_hangups` themselves."""
    found: list[Event] = []
    for index in range(first, first + count):
        found.append(call_event(index, policy=policy))
        if index >= first + 200:
            found.append(hangup_event(index - 200))
    last = range(first + count - 200, first + count)
    return found + [hangup_event(index) for index in last]


def hangup_event(index: int) -> Event:
    """Return the hangup of the call with this index. It names no number."""
    return Event.of("hangup", call_id=call_id(index), switch="fs-01", incarnation="boot-1")
