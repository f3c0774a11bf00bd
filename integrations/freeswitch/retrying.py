"""How long to wait before trying again: doubled each time, up to a limit, and spread at random.

Switches that all came back in the same moment would keep an overloaded server down.
"""

import random

FIRST_SECONDS = 0.2
LONGEST_SECONDS = 10.0


def pause_seconds(failures: int, longest_seconds: float = LONGEST_SECONDS) -> float:
    """The pause after that many failures in a row, of which a random half is left out."""
    grown = min(FIRST_SECONDS * 2.0 ** min(failures, 16), longest_seconds)
    return grown * random.uniform(0.5, 1.0)  # noqa: S311  spread, not secrecy


def spread(seconds: float) -> float:
    """A pause that the server named, up to a tenth longer, so that not all come at once."""
    return seconds * random.uniform(1.0, 1.1)  # noqa: S311  spread, not secrecy
