"""The four laws of a desk, checked on live data.

1. A visitor is in at most one place. 2. An agent never has more rooms than capacity. 3. No present
visitor waits in an automatic, open queue while an agent who could serve them is free. 4. No one is
overtaken within class and skill set, and no one is lost (the order of the line is the order of its
records; a visit without a record, timer or place is a loss). An agent who has just declined a
visitor does not count as able to serve them while other present agents may.
"""

from poolsite import hotpath
from queueing.line import desk as commands

PARTS = ("visits", "agents", "waiting", "ready", "free", "idle")


def check(slug: str) -> list[tuple[str, str]]:
    """Return the violations of the laws at this desk as (object, fault), [] if there are none.

    The desk is read in parts, each atomically, so that a desk of any size can be checked while it
    works. A violation lies within one part, so work between the reads cannot fake one.
    """
    wrong: list[tuple[str, str]] = []
    for part in PARTS:
        cursor = "0"
        while True:
            cursor, found = hotpath.run(commands.check(slug, part, cursor))
            wrong += found
            if cursor == "0":
                break
    return wrong
