"""Every answer and flag that a wallet's reply can have, with the names used in all interfaces."""

from typing import Final

# answers to a hold, a session message
HELD: Final = "held"
REPEAT: Final = "repeat"
CONFLICT: Final = "conflict"
INSUFFICIENT: Final = "insufficient balance"
FROZEN: Final = "frozen"
CLOSED: Final = "closed"
SAFE_MODE: Final = "safe mode"
DAILY_LIMIT: Final = "daily limit"
BACKLOG_FULL: Final = "backlog full"
UNPAID: Final = "unpaid"

# answers to sent, a report, a cancellation (in addition to REPEAT)
SENT: Final = "sent"
SETTLED: Final = "settled"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"
PARKED: Final = "parked"
PARKED_FULL: Final = "parked full"
NOTED: Final = "noted"
UNKNOWN: Final = "unknown"
REFUSED: Final = "refused"
TOO_LATE: Final = "too late"
LATE: Final = "late"
CONTRADICTION: Final = "contradiction"
UNREADABLE: Final = "unreadable"

# flags only
EARLY: Final = "early"
UNEXPECTED_MODE: Final = "unexpected mode"
ORPHAN: Final = "orphan"

# answers to a movement of money (in addition to REPEAT, CONFLICT, INSUFFICIENT, CANCELLED)
APPLIED: Final = "applied"
TOO_LARGE: Final = "too large"
TOO_MANY_GRANTS: Final = "too many grants"

# the wallet itself
NO_SUCH_WALLET: Final = "no such wallet"
OTHER_GENERATION: Final = "other generation"  # a prefix in some replies
SCRIPT_OUTDATED: Final = "script outdated"  # a prefix: the new SHA-1 follows
MALFORMED: Final = "malformed"  # a prefix: what is wrong follows
NO_SUCH_BATCH: Final = "no such batch"
LOG_BROKEN: Final = "log broken"
NOT_IN_SAFE_MODE: Final = "not in safe mode"

# flags that stay in the operators' list until the report is closed
LISTED: Final = frozenset({LATE, CONTRADICTION, UNEXPECTED_MODE, UNPAID, ORPHAN, UNREADABLE})

# reasons for which a hold was not made
REFUSALS: Final = frozenset(
    {INSUFFICIENT, FROZEN, CLOSED, SAFE_MODE, DAILY_LIMIT, BACKLOG_FULL, NO_SUCH_WALLET}
)

ALL: Final = frozenset(
    value for name, value in list(globals().items()) if name.isupper() and isinstance(value, str)
)
