"""Whether a simulated call is answered, how long it lasts, and the cause of its end."""

import random
import zlib
from dataclasses import dataclass

ANSWERED_SHARE = 0.65
BAD_ANSWERED_SHARE = 0.08
BAD_OF = 40  # one number in this many is labelled as spam and hardly answered
RING_SECONDS = 20.0
# Why a call was not answered, as Q.850 causes with their weights.
CAUSES = {"17": 25, "19": 45, "18": 10, "21": 15, "34": 5}
CLEARED = "16"


@dataclass(frozen=True)
class CallEnd:
    """The course of a call: seconds from its pick to its end, and the data of its hangup."""

    seconds: float
    answered: bool
    talk_seconds: int
    cause: str

    def told(self) -> dict[str, object]:
        """Return the options of the hangup."""
        if not self.answered:
            return {"answered": False, "cause": self.cause}
        return {"answered": True, "talk_seconds": self.talk_seconds, "cause": self.cause}


def is_bad(number: str) -> bool:
    """Whether a number is one of the few that are hardly answered."""
    return zlib.crc32(number.encode()) % BAD_OF == 0


def draw_end(chance: random.Random, number: str, mean_seconds: float) -> CallEnd:
    """Return the course of a call through a number. Calls last `mean_seconds` on average.

    Unanswered calls are short, because no one lets a phone ring for minutes. Answered calls are
    longer to make up for them.
    """
    ring_mean = min(RING_SECONDS, mean_seconds / 2)
    talk_mean = (mean_seconds - (1 - ANSWERED_SHARE) * ring_mean) / ANSWERED_SHARE
    share = BAD_ANSWERED_SHARE if is_bad(number) else ANSWERED_SHARE
    if chance.random() < share:
        seconds = chance.expovariate(1 / talk_mean)
        ring = min(seconds, chance.uniform(0, ring_mean))
        return CallEnd(seconds, True, int(seconds - ring), CLEARED)
    cause = chance.choices(list(CAUSES), list(CAUSES.values()))[0]
    return CallEnd(chance.expovariate(1 / ring_mean), False, 0, cause)
