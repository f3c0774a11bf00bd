"""The pauses before a retry: doubled each time, up to a limit, and spread at random.

If all switches came back at the same moment, they would keep an overloaded server down.
"""

import random

FIRST_SECONDS = 0.2
LONGEST_SECONDS = 10.0


def pause_seconds(failures: int, longest_seconds: float = LONGEST_SECONDS) -> float:
    """Return the pause after this many failures in a row, shortened at random by up to half."""
    grown = min(FIRST_SECONDS * 2.0 ** min(failures, 16), longest_seconds)
    return grown * random.uniform(0.5, 1.0)  # noqa: S311  spread, not secrecy


def spread(seconds: float) -> float:
    """Return a pause that the server named, lengthened by up to a tenth to spread the clients."""
    return seconds * random.uniform(1.0, 1.1)  # noqa: S311  spread, not secrecy
