"""Waiting in a campaign: until nothing is wrong any more, or with the word of what still is."""

import time
from collections.abc import Callable

from tests.support.waiting import patient


def until_right(
    wrong: Callable[[], str],
    seconds: float,
    broken: type[Exception] = RuntimeError,
    *,
    poll_seconds: float = 0.5,
) -> None:
    """Return when `wrong` names nothing; raise `broken` with its word after `seconds`, patiently.

    Unlike tests.support.waiting it asks seldom: what it asks reads whole databases.
    """
    deadline = time.monotonic() + patient(seconds)
    while problem := wrong():
        if time.monotonic() > deadline:
            raise broken(problem)
        time.sleep(poll_seconds)
