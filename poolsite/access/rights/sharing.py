"""One look-up for all callers that need the same principal at the same time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from poolsite.access.principal import Principal

LookUps = dict[str, "asyncio.Task[Principal]"]  # by credential, in one event loop


async def shared(
    standing: LookUps, credential: str, begin: Callable[[], Coroutine[Any, Any, Principal]]
) -> Principal:
    """Await the running look-up of the credential, or begin one and add it to `standing`.

    A look-up leaves `standing` when it is done. If it is removed earlier, later callers begin
    another one. The look-up continues if one of its callers is cancelled. Raise the errors of the
    look-up.
    """
    return await asyncio.shield(begun(standing, credential, begin))


def begun(
    standing: LookUps, credential: str, begin: Callable[[], Coroutine[Any, Any, Principal]]
) -> "asyncio.Task[Principal]":
    """Return the task of the same look-up, for a caller that does not wait for it."""
    task = standing.get(credential)
    if task is None:
        task = standing[credential] = asyncio.create_task(begin())
        task.add_done_callback(lambda done: _leave(standing, credential, done))
    return task


def _leave(standing: LookUps, credential: str, task: "asyncio.Task[Principal]") -> None:
    if standing.get(credential) is task:
        del standing[credential]
    if not task.cancelled():
        task.exception()  # callers that still wait get the error
