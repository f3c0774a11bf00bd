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
    "bad-token": (403, "The visitor's token is not valid"),
    "visitor-blocked": (403, "Visits from here are refused"),
    "not-yours": (409, "The room is another agent's"),
    "offer-over": (409, "The offer is over"),
    "no-room": (409, "The agent has no free room"),
    "not-in-room": (409, "The visitor is in no room"),
    "not-joined": (409, "You have not joined this room"),
    "not-an-agent": (409, "You are no agent of this desk"),
    "pause-reason": (422, "The desk has no such pause reason"),
    "visit-ended": (409, "The visit has ended"),
    "no-call-back": (409, "Calls back are not set up"),
    "no-number": (409, "No number is free for the call"),
    "visit-running": (409, "The visit is running"),
    "agent-online": (409, "The agent is online"),
    "unknown-desk": (404, "There is no such desk"),
    "unknown-message": (404, "There is no such message"),
    "unknown-code": (404, "There is no such code"),
    "mail-sent": (409, "The mail was sent already"),
    "no-transcript": (409, "There is no transcript to send"),
    "rating-over": (409, "The rating can no longer be changed"),
    "message-handled": (409, "The message is handled"),
    "no-files": (409, "Files are not taken here"),
    "too-many-files": (409, "No more files are taken"),
    "file-too-large": (413, "The file is too large"),
    "file-kind": (415, "This kind of file is not taken"),
    "unknown-file": (404, "There is no such file"),
    "no-such-outcome": (404, "There is no such outcome"),
    "outcome-closed": (409, "The outcome cannot be changed any more"),
    "wrap-up-over": (409, "The wrap-up is over"),
    "wrap-up-limit": (409, "The wrap-up cannot be extended any more"),
}


class LineError(RefusedError):
    """A use case of the line that was refused; nothing was changed."""
