"""The four laws of a desk, checked on the running data.

1. A visitor is in at most one place. 2. An agent never has more rooms than capacity. 3. No present
visitor waits in an automatic, open queue while an agent who could serve is free. 4. Nobody is
overtaken within class and skill set, and nobody is lost (the order of the line is the order of its
records; a visit without record, timer or place is a loss). Who has declined a visitor a moment ago
cannot serve it, while others who are there may.
"""

from poolsite import hotpath
from queueing.line import desk as door

PARTS = ("visits", "agents", "waiting", "ready", "free", "idle")


def check(slug: str) -> list[tuple[str, str]]:
    """What contradicts the laws at this desk: (thing, what is wrong); [] = nothing.

    Read in parts, each at one moment, so that a desk of any size is checked while it works; a
    contradiction is inside one part, so work between the parts cannot feign one.
    """
    wrong: list[tuple[str, str]] = []
    for part in PARTS:
        cursor = "0"
        while True:
            cursor, found = hotpath.run(door.check(slug, part, cursor))
            wrong += found
            if cursor == "0":
                break
    return wrong
