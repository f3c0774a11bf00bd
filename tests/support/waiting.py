"""Waiting for what must come about, with a deadline, instead of sleeping and hoping.

Every deadline of a test is multiplied by the run's patience factor: how much slower a fixed piece
of work is on this machine, at this moment, than on a quiet one. A loaded machine makes tests
slower, never red.
"""

import asyncio
import hashlib
import os
import time
from collections.abc import Awaitable, Callable
from functools import cache
from inspect import isawaitable

VARIABLE = "POOLSITE_TEST_PATIENCE"  # set once by the process that starts the run
WORK_SECONDS = 0.5  # what `_work` takes on a quiet core of the machine it was made on
POLL_SECONDS = 0.02


@cache
def patience() -> float:
    """Return by what every deadline of this run is multiplied, at least 1."""
    return float(os.environ.get(VARIABLE, "1"))


def measure_patience() -> float:
    """Measure the factor, keep it for this process and its children, and return it.

    A factor that the environment names is the least.
    """
    began = time.monotonic()
    _work()
    least = float(os.environ.get(VARIABLE, "1"))
    factor = round(max(least, (time.monotonic() - began) / WORK_SECONDS), 1)
    os.environ[VARIABLE] = str(factor)
    patience.cache_clear()
    return factor


def _work() -> None:
    """The fixed piece of work."""
    block = bytes(1024)
    for _ in range(480_000):
        block = hashlib.sha256(block).digest() * 32


def patient(seconds: float) -> float:
    """Return a deadline's seconds on this machine."""
    return seconds * patience()


def until(
    condition: Callable[[], object], seconds: float = 45.0, evidence: Callable[[], object] = str
) -> None:
    """Return when `condition` holds; fail after `seconds`, made patient.

    evidence: what the failure tells besides, such as the log of the process that is waited for.
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
    """Do as `until` does, in an event loop; the condition may be a coroutine function."""
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
