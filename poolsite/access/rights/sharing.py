"""One look-up for all who want to know the same at the same time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from poolsite.access.principal import Principal

LookUps = dict[str, "asyncio.Task[Principal]"]  # by credential, in one event loop


async def shared(
    standing: LookUps, credential: str, begin: Callable[[], Coroutine[Any, Any, Principal]]
) -> Principal:
    """Await the credential's look-up in `standing`; without one, begin it and have it stand there.

    It leaves when it is done; whoever takes it out earlier lets later ones begin another. Who is
    cancelled leaves it to the others. Raises what it raised.
    """
    return await asyncio.shield(begun(standing, credential, begin))


def begun(
    standing: LookUps, credential: str, begin: Callable[[], Coroutine[Any, Any, Principal]]
) -> "asyncio.Task[Principal]":
    """The same look-up for who does not wait for it."""
    task = standing.get(credential)
    if task is None:
        task = standing[credential] = asyncio.create_task(begin())
        task.add_done_callback(lambda done: _leave(standing, credential, done))
    return task


def _leave(standing: LookUps, credential: str, task: "asyncio.Task[Principal]") -> None:
    if standing.get(credential) is task:
        del standing[credential]
    if not task.cancelled():
        task.exception()  # whoever still waits is told of it
