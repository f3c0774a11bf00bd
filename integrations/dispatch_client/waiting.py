"""Waiting with a time limit."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def within(seconds: float, work: Coroutine[Any, Any, Any]) -> bool:
    """Run `work` and return True. Return False if it did not end in time and was cancelled."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        return False
    return True
