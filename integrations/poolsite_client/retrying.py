"""How a client asks again: a bounded number of times, after pauses that grow and differ.

Clients that all ask again in the same moment keep an overloaded server down for ever.
"""

import random

FIRST_SECONDS = 0.2
LONGEST_SECONDS = 10.0
TRIES = 8


def pause_seconds(attempt: int, longest_seconds: float = LONGEST_SECONDS) -> float:
    """The pause after the attempt of this number, counted from 0: doubled each time, up to the
    longest, of which a random half is left out.
    """
    grown = min(FIRST_SECONDS * 2.0 ** min(attempt, 16), longest_seconds)
    return grown * random.uniform(0.5, 1.0)  # noqa: S311


def spread(seconds: float) -> float:
    """A pause that the server named, up to a tenth longer, so that not all come at once."""
    return seconds * random.uniform(1.0, 1.1)  # noqa: S311
