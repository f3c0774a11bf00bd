"""Every reason that a reply can have. Callers, pages and documents use the same texts."""

import re
from typing import Final

from poolsite.hotpath import AggregateRefused

REPEAT: Final = "repeat"
EXISTS: Final = "exists"

# outcome 0: refused; the sender gets a `refused` frame
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

# outcome -1: a frame is refused, and its link is closed
REPLACED: Final = "replaced"  # the peer has another link now
GAP: Final = "gap"  # a number is missing in the peer's own sequence
BEHIND: Final = "behind"  # the peer acknowledges nothing: no room even for refusals
IN_USE: Final = "in use"

# outcome -1
NO_SUCH_GROUP: Final = "no such group"
NO_SUCH_PEER: Final = "no such peer"
NO_SUCH_NAME: Final = "no such name"
SCRIPT_OUTDATED: Final = "script outdated"  # a prefix: the new SHA-1 follows
MALFORMED: Final = "malformed"  # a prefix: what is wrong follows
OTHER_GENERATION: Final = "other generation"  # a prefix: the existing generation follows

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

# why a link is pending or a peer stopped: reasons in the log
SILENT: Final = "silent"
DISCONNECTED: Final = "disconnected"
CLEARED: Final = "clear"
NAMED_ANEW: Final = "started anew under its name"
# why an instance is ejected: how many of its sessions failed
_SHARE_FAILED: Final = re.compile(r"(\d+) of (\d+) sessions failed", re.ASCII)
# why an ejection ended; operators enter their own reason
TIME_PASSED: Final = "its time has passed"  # also for a drain or block
RESTARTED: Final = "restarted"  # another program is registered under the name
EJECTION_OFF: Final = "ejection is off"
# set by the link, not by a script
CLOSED_BY_PEER: Final = "closed by the peer"
CONNECTION_LOST: Final = "connection lost"  # no close frame, or pings were not answered
SERVER_STOPPED: Final = "server stopped"
OF_LOG: Final = (
    *(SILENT, DISCONNECTED, CLEARED, NAMED_ANEW),
    *(CLOSED_BY_PEER, CONNECTION_LOST, SERVER_STOPPED),
    *(REPLACED, GAP, BEHIND),
    *(TIME_PASSED, RESTARTED, EJECTION_OFF),
)


def share_failed(reason: str) -> tuple[int, int] | None:
    """Return the failed sessions and all sessions in the reason of an ejection, or None."""
    found = _SHARE_FAILED.fullmatch(reason)
    return (int(found[1]), int(found[2])) if found else None


class DispatchRefusedError(AggregateRefused):
    """A group refused a command, which changed nothing. `reason` is one of this module's."""


def check(reply: list[str]) -> list[str]:
    """Return the reply. Raise DispatchRefusedError if it is a refusal (-1)."""
    if reply[0] == "-1":
        raise DispatchRefusedError(reply[1])
    return reply
