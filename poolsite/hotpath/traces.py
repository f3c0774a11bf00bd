"""Spans of scripts, and which request changed an aggregate last.

`trace:{tag}` holds the traceparent of the last traced request that changed the aggregate, for ten
seconds. The drain and the pushes that follow link to it. It is written only while tracing is on.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from redis.exceptions import RedisError

from poolsite import tracing
from poolsite.hotpath.commands import Command
from poolsite.hotpath.errors import HotPathError

P = ParamSpec("P")
R = TypeVar("R")
KEPT_SECONDS = 10
MOST_TAGS = 20
NAMES_SHOWN = 3
_tasks: set[asyncio.Task[None]] = set()


class Clients(Protocol):
    """The part of HotPath that these functions need."""

    def client(self) -> Any: ...

    def aclient(self) -> Any: ...


def traced(method: Callable[P, R]) -> Callable[P, R]:
    """Decorate a sync method of HotPath that runs commands: give it a span in the current one."""

    @wraps(method)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if not tracing.is_recording():
            return method(*args, **kwargs)
        path, commands = _called(args)
        if cause := tracing.cause():
            with suppress(RedisError, OSError):
                for key in _keys([command.tag for command in commands]):
                    path.client().set(key, cause, ex=KEPT_SECONDS)
        with _span(commands) as made:
            outcome = method(*args, **kwargs)
            _note(made, outcome)
            return outcome

    return run


def traced_async(
    method: Callable[P, Coroutine[Any, Any, R]],
) -> Callable[P, Coroutine[Any, Any, R]]:
    """Like `traced`, for a method that is awaited."""

    @wraps(method)
    def run(*args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, R]:
        if not tracing.is_recording():
            return method(*args, **kwargs)
        return _arun(method, args, kwargs)

    return run


async def _arun(method: Callable[..., Coroutine[Any, Any, R]], args: Any, kwargs: Any) -> R:
    path, commands = _called(args)
    _remember_soon(path, [command.tag for command in commands])
    with _span(commands) as made:
        outcome = await method(*args, **kwargs)
        _note(made, outcome)
        return outcome


def _note(made: Any, outcome: Any) -> None:
    """Record the errors of a batch, which returns them instead of raising."""
    for each in outcome if isinstance(outcome, list) else ():
        if isinstance(each, HotPathError):
            tracing.note_error(made, each)


def _remember_soon(path: Clients, tags: Sequence[str]) -> None:
    """Start the write without waiting for it: the span measures only the script."""
    if cause := tracing.cause():
        task = asyncio.get_running_loop().create_task(_remember(path, tags, cause))
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)


async def _remember(path: Clients, tags: Sequence[str], cause: str) -> None:
    with suppress(RedisError, OSError):
        for key in _keys(tags):
            await path.aclient().set(key, cause, ex=KEPT_SECONDS)


def _called(args: tuple[Any, ...]) -> tuple[Clients, Sequence[Command[Any]]]:
    path, given = args[0], args[1]
    return path, [given] if isinstance(given, Command) else given


def _span(commands: Sequence[Command[Any]]) -> AbstractContextManager[Any]:
    names = list(dict.fromkeys(command.script.title for command in commands))
    tags = {command.tag for command in commands}
    attributes: dict[str, str | int] = {"db.system.name": "redis"}
    if len(commands) > 1:
        attributes["db.operation.batch.size"] = len(commands)
    if len(tags) == 1:
        attributes["poolsite.aggregate"] = tags.pop()
    shown = ", ".join(names[:NAMES_SHOWN]) + (" …" if len(names) > NAMES_SHOWN else "")
    return tracing.span(shown, "client", attributes=attributes)


def waiting(path: Clients, command: Command[Any]) -> AbstractContextManager[Any]:
    """Return a span for the wait for a shared pipeline in which this command runs."""
    _remember_soon(path, [command.tag])
    return _span([command])


def links(tags: Iterable[str], path: Clients) -> list[str]:
    """Return the traceparents of recent changes of these aggregates, or [] if tracing is off."""
    if tracing.is_on():
        with suppress(RedisError, OSError):
            return _found([path.client().get(key) for key in _keys(tags)])
    return []


async def alinks(tags: Iterable[str], path: Clients) -> list[str]:
    """Like `links`, without blocking the loop."""
    if tracing.is_on():
        with suppress(RedisError, OSError):
            return _found([await path.aclient().get(key) for key in _keys(tags)])
    return []


def _keys(tags: Iterable[str]) -> list[str]:
    return [f"trace:{tag}" for tag in list(dict.fromkeys(tags))[:MOST_TAGS] if tag]


def _found(values: Sequence[Any]) -> list[str]:
    return list(dict.fromkeys(cast(str, value) for value in values if value))
