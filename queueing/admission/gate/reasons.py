"""Every reason that a reply can have. Callers, pages and documents use the same texts."""

from typing import Final

from poolsite.hotpath import AggregateRefused

REPEAT: Final = "repeat"
EXISTS: Final = "exists"
ADOPTED: Final = "adopted"

# outcome 0: not now
FULL: Final = "full"
TURN: Final = "turn"  # a slot is free, but others are before it in line
RATE: Final = "rate"
PAUSED: Final = "paused"  # the gate, or the batch
RECOVERING: Final = "recovering"
LOADING: Final = "loading"  # a window is open, but not all its tasks are loaded
NOT_OPEN: Final = "not open"  # the batch's window opens later
CLOSED: Final = "closed"  # the batch's window is over, or the batch was cancelled

# outcome 0: not this permit
NOT_HELD: Final = "not held"
OTHER_TOKEN: Final = "other token"  # noqa: S105  a reason
LATE: Final = "late"

# results
ACCEPTED: Final = "accepted"
UNKNOWN_TASK: Final = "unknown task"
UNKNOWN_TOKEN: Final = "unknown token"  # noqa: S105  a reason

# outcome -1
NO_SUCH_GATE: Final = "no such gate"
NO_SUCH_BATCH: Final = "no such batch"
OVER: Final = "over"
OTHER_WEIGHT: Final = "other weight"  # the holder has a permit of another weight
WEIGHT_OVER_CAP: Final = "weight over cap"
TOO_MANY_BATCHES: Final = "too many batches"
SCRIPT_OUTDATED: Final = "script outdated"  # a prefix: the new SHA-1 follows
MALFORMED: Final = "malformed"  # a prefix: what is wrong follows
OTHER_GENERATION: Final = "other generation"  # a prefix: the existing generation follows


class GateRefusedError(AggregateRefused):
    """A gate refused a command, which changed nothing. `reason` is one of this module's."""


def check(reply: list[str]) -> list[str]:
    """Return the reply. Raise GateRefusedError if it is a refusal (-1)."""
    if reply[0] == "-1":
        raise GateRefusedError(reply[3])
    return reply
