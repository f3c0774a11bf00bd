"""Every reason that a reply can carry: the words that callers, pages and documents share."""

from typing import Final

from poolsite.hotpath import AggregateRefused

REPEAT: Final = "repeat"
EXISTS: Final = "exists"
ADOPTED: Final = "adopted"

# outcome 0: not now
FULL: Final = "full"
TURN: Final = "turn"  # there is a slot; others stand before
RATE: Final = "rate"
PAUSED: Final = "paused"  # the gate, or the batch
RECOVERING: Final = "recovering"
LOADING: Final = "loading"  # a window is open, and not all its tasks are loaded
NOT_OPEN: Final = "not open"  # the batch's window begins later
CLOSED: Final = "closed"  # the batch's window is over, or it was cancelled

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
OTHER_GENERATION: Final = "other generation"  # a prefix: the generation that is there follows


class GateRefusedError(AggregateRefused):
    """The gate itself refused a command, which changed nothing; `reason` is one of these."""


def check(reply: list[str]) -> list[str]:
    """The reply, or its refusal (-1) as GateRefusedError."""
    if reply[0] == "-1":
        raise GateRefusedError(reply[3])
    return reply
