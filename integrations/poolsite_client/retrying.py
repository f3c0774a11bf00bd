"""How a client retries: a limited number of times, after pauses that grow and vary.

Clients that all retry at the same moment keep an overloaded server down.
"""

import random

FIRST_SECONDS = 0.2
LONGEST_SECONDS = 10.0
TRIES = 8


def pause_seconds(attempt: int, longest_seconds: float = LONGEST_SECONDS) -> float:
    """Return the pause after an attempt, counted from 0.

    It doubles with each attempt, up to the longest, and is shortened at random by up to half.
    """
    grown = min(FIRST_SECONDS * 2.0 ** min(attempt, 16), longest_seconds)
    return grown * random.uniform(0.5, 1.0)  # noqa: S311


def spread(seconds: float) -> float:
    """Return a pause that the server named, lengthened by up to a tenth to spread the clients."""
    return seconds * random.uniform(1.0, 1.1)  # noqa: S311
