"""Releases the old calls of a switch with a new incarnation immediately, in batches.

Ten thousand calls take about a second. If the process dies, the sweep completes the work.
"""

import asyncio
import logging

from numbers import pool
from poolsite import hotpath
from poolsite.per_loop import PerLoop

logger = logging.getLogger(__name__)

_running: PerLoop[dict[str, asyncio.Task[None]]] = PerLoop(dict)


def release_later(slug: str) -> None:
    """Start releasing in this loop, unless it is already running."""
    running = _running()
    if slug not in running:
        task = running[slug] = asyncio.get_running_loop().create_task(_release(slug))
        task.add_done_callback(lambda _: running.pop(slug, None))


async def _release(slug: str) -> None:
    try:
        more = True
        while more:  # each batch is a command of its own, so other events run in between
            more = await hotpath.arun(pool.release(slug))
    except hotpath.HotPathError as error:
        logger.warning("numbers: releasing calls of %s is left to the sweep: %s", slug, error)
