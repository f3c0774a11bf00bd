"""Every reason that a reply can carry: the words that callers, pages and documents share."""

import re
from typing import Final

from poolsite.hotpath import AggregateRefused

REPEAT: Final = "repeat"
EXISTS: Final = "exists"

# outcome 0: refused, told to the sender by a `refused` frame
NO_SUCH_SESSION: Final = "no such session"
SESSION_EXISTS: Final = "session exists"
SESSION_ENDING: Final = "session ending"
NOT_YOURS: Final = "not yours"
NO_SESSIONS: Final = "no sessions in this profile"
PEER_PENDING: Final = "peer pending"
PEER_FULL: Final = "peer full"
PEER_GONE: Final = "no such peer"
ALL_FULL: Final = "all full"
NONE_OPEN: Final = "none open"
RECOVERING: Final = "recovering"
REFUSALS: Final = (
    *(NO_SUCH_SESSION, SESSION_EXISTS, SESSION_ENDING, NOT_YOURS, NO_SESSIONS),
    *(PEER_PENDING, PEER_FULL, PEER_GONE, ALL_FULL, NONE_OPEN, RECOVERING),
)

# outcome -1: a registration is refused
TAKEN: Final = "taken"
TOO_MANY_PEERS: Final = "too many peers"
TOO_MANY_NAMES: Final = "too many names"

# outcome -1: a frame is refused, its link with it
REPLACED: Final = "replaced"  # this link is no longer the peer's
GAP: Final = "gap"  # a number of the peer's own sequence is missing
BEHIND: Final = "behind"  # the peer acknowledges nothing: no room even for refusals
IN_USE: Final = "in use"

# outcome -1
NO_SUCH_GROUP: Final = "no such group"
NO_SUCH_PEER: Final = "no such peer"
NO_SUCH_NAME: Final = "no such name"
SCRIPT_OUTDATED: Final = "script outdated"  # a prefix: the new SHA-1 follows
MALFORMED: Final = "malformed"  # a prefix: what is wrong follows
OTHER_GENERATION: Final = "other generation"  # a prefix: the generation that is there follows

# why a session ended or must be freed: the reasons of `end`, `peer-lost` and `free` frames
INSTANCE_LOST: Final = "instance lost"
INSTANCE_RESTARTED: Final = "instance restarted"
FRONT_LOST: Final = "front-end lost"
FRONT_RESTARTED: Final = "front-end restarted"
BLOCKED: Final = "blocked"
EXPIRED: Final = "expired"
ONE_END_ONLY: Final = "one end only"
ELSEWHERE: Final = "elsewhere"
ENDS: Final = (
    *(INSTANCE_LOST, INSTANCE_RESTARTED, FRONT_LOST, FRONT_RESTARTED),
    *(BLOCKED, EXPIRED, ONE_END_ONLY, ELSEWHERE),
)

# why a link is pending or a peer stopped: the reasons of the log
SILENT: Final = "silent"
DISCONNECTED: Final = "disconnected"
CLEARED: Final = "clear"
NAMED_ANEW: Final = "started anew under its name"
# why an instance is ejected: how many of its sessions failed, and of how many
_SHARE_FAILED: Final = re.compile(r"(\d+) of (\d+) sessions failed", re.ASCII)
# why an ejection is over; an operator gives another
TIME_PASSED: Final = "its time has passed"  # of a drain or block too
RESTARTED: Final = "restarted"  # another program is registered under the name
EJECTION_OFF: Final = "ejection is off"
# said by the link, not by a script
CLOSED_BY_PEER: Final = "closed by the peer"
CONNECTION_LOST: Final = "connection lost"  # no close frame, or pings are not answered
SERVER_STOPPED: Final = "server stopped"
OF_LOG: Final = (
    *(SILENT, DISCONNECTED, CLEARED, NAMED_ANEW),
    *(CLOSED_BY_PEER, CONNECTION_LOST, SERVER_STOPPED),
    *(REPLACED, GAP, BEHIND),
    *(TIME_PASSED, RESTARTED, EJECTION_OFF),
)


def share_failed(reason: str) -> tuple[int, int] | None:
    """What the reason of an ejection says: failed sessions, of how many; None = another reason."""
    found = _SHARE_FAILED.fullmatch(reason)
    return (int(found[1]), int(found[2])) if found else None


class DispatchRefusedError(AggregateRefused):
    """The group itself refused a command, which changed nothing; `reason` is one of these."""


def check(reply: list[str]) -> list[str]:
    """The reply, or its refusal (-1) as DispatchRefusedError."""
    if reply[0] == "-1":
        raise DispatchRefusedError(reply[1])
    return reply
