"""Every reason that a reply can have. Switches, pages and documents share these texts."""

from typing import Final

# outcome 1: nothing changed, or changed with a remark
REPEAT: Final = "repeat"
EARLY: Final = "early"
STALE: Final = "stale"
LEFT: Final = "left"
OLD_CALL: Final = "old call"  # also outcome -1: the number's old call is still in progress
ADOPTED: Final = "adopted"
EXISTS: Final = "exists"

# outcome 0
UNKNOWN_NUMBER: Final = "unknown number"
UNKNOWN_CALL: Final = "unknown call"
EXHAUSTED: Final = "exhausted"
WAITING: Final = "waiting"

# outcome -1: this number, this call, this switch
BUSY: Final = "busy"
OFFLINE: Final = "offline"
RESTING: Final = "resting"
CAPPED: Final = "capped"
QUARANTINED: Final = "quarantined"
UNCONFIRMED: Final = "unconfirmed"  # added by a script; SQL has yet to check other pools
ADD_REFUSED: Final = "add refused"  # the pool accepts no numbers from scripts
SUSPECT: Final = "suspect"
OFFERED: Final = "offered"
NOT_IN_A_CALL: Final = "not in a call"
CONFLICT: Final = "conflict"
ENDED: Final = "ended"
OTHER_CALL: Final = "other call"
CALL_ID_NEEDED: Final = "call id needed"
STALE_INCARNATION: Final = "stale incarnation"
STALE_LIST: Final = "stale list"
TOO_MANY_SWITCHES: Final = "too many switches"
TOO_MANY_CONTACTS: Final = "too many contacts"
CHARGE_FIRST: Final = "charge first"
UNREADABLE_STATE: Final = "unreadable state"

# outcome -1: the pool
NO_SUCH_POOL: Final = "no such pool"
PAUSED: Final = "paused"
RECOVERING: Final = "recovering"
SCRIPT_OUTDATED: Final = "script outdated"  # a prefix: the new SHA-1 follows
MALFORMED: Final = "malformed"  # a prefix: what is wrong follows
OTHER_GENERATION: Final = "other generation"  # a prefix: the existing generation follows

# how calls without a hangup end in the history
LOST_HANGUP: Final = "lost hangup"
LEASE_ENDED: Final = "lease ended"
SWITCH_RESTARTED: Final = "switch restarted"
NOT_IN_LIVE_LIST: Final = "not in live list"
UNPAID: Final = "unpaid"

ALL: Final = frozenset(
    value
    for name, value in list(globals().items())
    if name.isupper() and name != "ALL" and isinstance(value, str)
)


def is_malformed(reason: str) -> bool:
    """Whether the input itself was wrong (HTTP: 422)."""
    return reason.startswith(MALFORMED)
