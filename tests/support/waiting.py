"""Wait for a condition with a deadline, instead of sleeping for a fixed time.

Every deadline of a test is multiplied by the run's patience factor: how much slower a fixed piece
of work is now, on this machine, than on a quiet one. On a loaded machine tests take longer but
don't fail.
"""

import asyncio
import hashlib
import os
import time
from collections.abc import Awaitable, Callable
from functools import cache
from inspect import isawaitable

VARIABLE = "POOLSITE_TEST_PATIENCE"  # set once by the process that starts the run
WORK_SECONDS = 0.5  # what `_work` takes on a quiet core of the machine where it was measured
POLL_SECONDS = 0.02


@cache
def patience() -> float:
    """Return the factor for every deadline of this run. It is at least 1."""
    return float(os.environ.get(VARIABLE, "1"))


def measure_patience() -> float:
    """Measure the factor, store it for this process and its children, and return it.

    A factor in the environment is the minimum.
    """
    began = time.monotonic()
    _work()
    least = float(os.environ.get(VARIABLE, "1"))
    factor = round(max(least, (time.monotonic() - began) / WORK_SECONDS), 1)
    os.environ[VARIABLE] = str(factor)
    patience.cache_clear()
    return factor


def _work() -> None:
    """Do the fixed piece of work."""
    block = bytes(1024)
    for _ in range(480_000):
        block = hashlib.sha256(block).digest() * 32


def patient(seconds: float) -> float:
    """Return a deadline in seconds, adjusted to this machine."""
    return seconds * patience()


def until(
    condition: Callable[[], object], seconds: float = 45.0, evidence: Callable[[], object] = str
) -> None:
    """Return when `condition` holds. Fail after patient(`seconds`).

    evidence: what the failure shows as well, such as the log of the process that is waited for.
    """
    deadline = time.monotonic() + patient(seconds)
    while not condition():
        assert time.monotonic() < deadline, _late(seconds, evidence)
        time.sleep(POLL_SECONDS)


async def eventually(
    condition: Callable[[], object | Awaitable[object]],
    seconds: float = 45.0,
    evidence: Callable[[], object] = str,
) -> None:
    """Like `until`, in an event loop. The condition may be a coroutine function."""
    deadline = time.monotonic() + patient(seconds)
    while True:
        holds = condition()
        if await holds if isawaitable(holds) else holds:
            return
        assert time.monotonic() < deadline, _late(seconds, evidence)
        await asyncio.sleep(POLL_SECONDS)


def _late(seconds: float, evidence: Callable[[], object]) -> str:
    late = f"it did not come about within {seconds:g} s × patience {patience():g}"
    return f"{late}\n{evidence()}".rstrip()
