"""When to send again what was not accepted: soon at first, and for about a day."""

import random
from datetime import timedelta

# 23 hours in total: a receiver that is down for most of a day still gets it.
WAITS_SECONDS = (10, 60, 300, 900, 3_600, 2 * 3_600, 4 * 3_600, 8 * 3_600, 8 * 3_600)
JITTER = 0.1  # share of a wait, so that what failed together isn't retried together


def next_wait(attempts: int) -> timedelta | None:
    """Return how long to wait after the `attempts`th attempt failed, or None if it was the last."""
    if attempts > len(WAITS_SECONDS):
        return None
    spread = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311  not a secret
    return timedelta(seconds=WAITS_SECONDS[attempts - 1] * spread)
