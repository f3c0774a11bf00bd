"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-queue": (404, "Queue not found"),
    "unknown-visit": (404, "Visit not found"),
    "unknown-agent": (404, "Agent not found"),
    "queue-closed": (409, "The queue is closed"),
    "queue-full": (409, "The queue is full"),
    "no-agent": (409, "No agents are available"),
    "bad-token": (403, "The visitor's token is not valid"),
    "visitor-blocked": (403, "Visits from this network are blocked"),
    "not-yours": (409, "The room belongs to another agent"),
    "offer-over": (409, "The offer has ended"),
    "no-room": (409, "The agent has no free room"),
    "not-in-room": (409, "The visitor is not in a room"),
    "not-joined": (409, "You have not joined this room"),
    "not-an-agent": (409, "You are not an agent of this desk"),
    "pause-reason": (422, "Pause reason not found"),
    "visit-ended": (409, "The visit has ended"),
    "no-call-back": (409, "Callbacks are not set up"),
    "no-number": (409, "No number is free for the call"),
    "visit-running": (409, "The visit is running"),
    "agent-online": (409, "The agent is online"),
    "unknown-desk": (404, "Desk not found"),
    "unknown-message": (404, "Message not found"),
    "unknown-code": (404, "Code not found"),
    "mail-sent": (409, "The email was already sent"),
    "no-transcript": (409, "There is no transcript to send"),
    "rating-over": (409, "The rating can no longer be changed"),
    "message-handled": (409, "The message is already handled"),
    "no-files": (409, "Files are not accepted here"),
    "too-many-files": (409, "No more files are accepted"),
    "file-too-large": (413, "The file is too large"),
    "file-kind": (415, "This file type is not accepted"),
    "unknown-file": (404, "File not found"),
    "no-such-outcome": (404, "Outcome not found"),
    "outcome-closed": (409, "The outcome can no longer be changed"),
    "wrap-up-over": (409, "The wrap-up has ended"),
    "wrap-up-limit": (409, "The wrap-up can no longer be extended"),
}


class LineError(RefusedError):
    """A use case of the line that was refused; nothing was changed."""
