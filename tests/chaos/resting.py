"""Waiting in a campaign: until nothing is wrong any more, or until the time is up."""

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
    """Return when `wrong` names nothing. Raise `broken` with its text after `seconds`, patiently.

    Unlike tests.support.waiting it polls seldom: each check reads whole databases.
    """
    deadline = time.monotonic() + patient(seconds)
    while problem := wrong():
        if time.monotonic() > deadline:
            raise broken(problem)
        time.sleep(poll_seconds)
