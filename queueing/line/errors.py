"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-queue": (404, "There is no such queue"),
    "unknown-visit": (404, "There is no such visit"),
    "unknown-agent": (404, "There is no such agent"),
    "queue-closed": (409, "The queue is closed"),
    "queue-full": (409, "The queue is full"),
    "no-agent": (409, "Nobody is there to serve"),
    "visitor-blocked": (403, "Visits from here are refused"),
    "not-yours": (409, "The room is another agent's"),
    "offer-over": (409, "The offer is over"),
    "no-room": (409, "The agent has no free room"),
    "visit-ended": (409, "The visit has ended"),
    "no-call-back": (409, "Calls back are not set up"),
    "no-number": (409, "No number is free for the call"),
    "visit-running": (409, "The visit is running"),
    "agent-online": (409, "The agent is online"),
    "unknown-desk": (404, "There is no such desk"),
    "unknown-message": (404, "There is no such message"),
    "message-handled": (409, "The message is handled"),
    "no-such-outcome": (404, "There is no such outcome"),
    "outcome-closed": (409, "The outcome cannot be changed any more"),
    "wrap-up-over": (409, "The wrap-up is over"),
    "wrap-up-limit": (409, "The wrap-up cannot be extended any more"),
}


class LineError(RefusedError):
    """A use case of the line that was refused; nothing was changed."""
