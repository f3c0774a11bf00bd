"""Waits for the first of several tasks of a socket."""

import asyncio
from collections.abc import Awaitable


async def first_of(*work: Awaitable[object]) -> None:
    """Run all until the first ends, then cancel the rest. Raise what the first one raised."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
