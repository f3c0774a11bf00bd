"""The hot path: Redis connections, Lua scripts, commands as values, and the runner.

The functions of this module work on the Redis of `settings.REDIS_URL`, which is read at first use.
For another Redis, create `HotPath(url)`, which has the same methods.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from poolsite.hotpath.aggregates import (
    BEHIND,
    FRESH,
    LOST,
    AggregateState,
    generation_new,
    state_command,
)
from poolsite.hotpath.clock import ClockMonitor
from poolsite.hotpath.commands import Argument, Command
from poolsite.hotpath.errors import (
    AggregateRefused,
    Full,
    HotPathError,
    ScriptFailed,
    ScriptHeaderError,
    Unavailable,
    UnknownOutcome,
)
from poolsite.hotpath.fields import read_fields
from poolsite.hotpath.planner import Limits
from poolsite.hotpath.rights import channels_of, commands_of
from poolsite.hotpath.runner import HotPath
from poolsite.hotpath.scripts import PRELUDE, Script, load_folder, registered

T = TypeVar("T")
_default: HotPath | None = None

__all__ = [
    "BEHIND",
    "FRESH",
    "LOST",
    "PRELUDE",
    "AggregateRefused",
    "AggregateState",
    "Argument",
    "ClockMonitor",
    "Command",
    "Full",
    "HotPath",
    "HotPathError",
    "Limits",
    "Script",
    "ScriptFailed",
    "ScriptHeaderError",
    "Unavailable",
    "UnknownOutcome",
    "aclient",
    "aclose",
    "aggregate_state",
    "arun",
    "arun_batch",
    "channels_of",
    "client",
    "commands_of",
    "connect",
    "default",
    "generation_new",
    "load_folder",
    "pubsub_client",
    "read_fields",
    "registered",
    "reset",
    "run",
    "run_all",
    "run_batch",
    "state_command",
]


def default() -> HotPath:
    """Return the HotPath of settings.REDIS_URL."""
    global _default
    if _default is None:
        from django.conf import settings

        _default = HotPath(settings.REDIS_URL)
    return _default


def reset() -> None:
    """Close and forget the default HotPath. Only its sync connections are closed here.

    The next use reads settings again.
    """
    global _default
    if _default is not None:
        _default.close()
    _default = None


@contextmanager
def connect(url: str, limits: Limits | None = None) -> Iterator[HotPath]:
    """Point the functions of this module at another Redis for a while (tests, tools)."""
    global _default
    before, _default = _default, HotPath(url, limits)
    try:
        yield _default
    finally:
        _default.close()
        _default = before


def run(command: Command[T]) -> T:
    """Run one command. Raise Unavailable, UnknownOutcome or ScriptFailed."""
    return default().run(command)


async def arun(command: Command[T]) -> T:
    """Run one command without blocking the loop. Raise the same errors as `run`."""
    return await default().arun(command)


def run_batch(commands: Sequence[Command[T]]) -> list[T | HotPathError]:
    """Run commands, one pipeline per node, and return one outcome each. Not a transaction."""
    return default().run_batch(commands)


def run_all(commands: Sequence[Command[T]]) -> list[T]:
    """Run commands like `run_batch`, but raise the first error after all of them ran."""
    return default().run_all(commands)


async def arun_batch(commands: Sequence[Command[T]]) -> list[T | HotPathError]:
    """Like `run_batch`, without blocking the loop."""
    return await default().arun_batch(commands)


def client() -> Any:
    """Return a sync redis client for plain reads (text decoded, no retries). Do not close it."""
    return default().client()


def aclient() -> Any:
    """Return the running loop's redis.asyncio client for plain reads. Do not close it."""
    return default().aclient()


async def pubsub_client() -> Any:
    """Return a new redis.asyncio.Redis for subscriptions, on any topology. The caller closes it."""
    return await default().pubsub_client()


async def aclose() -> None:
    """Close the running loop's connections. The end of the loop closes them too."""
    await default().aclose()


def aggregate_state(tag: str, expected_generation: str, sql_seq: int) -> AggregateState:
    """Return whether Redis still holds what SQL knows: FRESH, LOST or BEHIND. Raise Unavailable.

    `sql_seq` is the last history entry that SQL has of this generation (the drain's cursor).
    """
    return run(state_command(tag, expected_generation, sql_seq))
