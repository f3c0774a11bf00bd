"""Waiting for what must come about, with a deadline, instead of sleeping and hoping."""

import time
from collections.abc import Callable


def until(condition: Callable[[], object], seconds: float = 45.0) -> None:
    """Return when `condition` holds; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"it did not come about within {seconds:g} s"
        time.sleep(0.02)
