"""The close codes of docs/reference/dispatch/protocol.md, and the refusals that lead to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from queueing.dispatch.dispatcher import reasons

MALFORMED = 4400
FOREIGN_SESSION = 4403
UNREGISTERED = 4408
GAP = 4409
REPLACED = 4410
TAKEN = 4411
UNKNOWN_LINK = 4412
TOO_MANY = 4429
TOO_BIG = 1009
TRY_LATER = 1013
FAULT = 1011
# What a server reports for links that ended without a close frame from the peer, or by the server.
NO_STATUS, ABNORMAL, RESTART = 1005, 1006, 1012


@dataclass(frozen=True, slots=True)
class Close:
    """How a socket is closed: the close frame's code and reason."""

    code: int
    reason: str


_CODES = {
    reasons.REPLACED: REPLACED,
    reasons.GAP: GAP,
    reasons.NO_SUCH_PEER: UNKNOWN_LINK,
    reasons.TAKEN: TAKEN,
    reasons.TOO_MANY_PEERS: TOO_MANY,
    reasons.TOO_MANY_NAMES: TOO_MANY,
    reasons.BEHIND: TRY_LATER,
    reasons.NO_SUCH_GROUP: TRY_LATER,  # Redis lost it, and it is being rebuilt
}


def close_of(reason: str) -> Close:
    """Return the close frame for a refusal of the dispatcher."""
    if reason in _CODES:
        return Close(_CODES[reason], reason)
    if reason.startswith(reasons.MALFORMED):
        return Close(MALFORMED, reason)
    return Close(TRY_LATER, reason)  # script outdated or recovering: another process may accept it


def lost_reason(disconnect: Mapping[str, Any], *, silent: bool) -> str:
    """Return why a link ended, given the server's `websocket.disconnect`.

    silent: whether nothing was received for too long. A server closes a link whose pings are not
    answered and only reports a broken connection, without the `reason` that uvicorn includes if the
    peer sent a close frame.
    """
    code = disconnect.get("code", NO_STATUS)
    if code == RESTART:
        return reasons.SERVER_STOPPED
    if code in (ABNORMAL, FAULT) or (code == NO_STATUS and "reason" not in disconnect):
        return reasons.SILENT if silent else reasons.CONNECTION_LOST
    return reasons.CLOSED_BY_PEER
