"""The refusals of the line's use cases, in the terms of the API."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError
from queueing.line.setup_errors import SETUP_OPERATIONS

# type → (status, title, when it is returned)
PROBLEMS: Mapping[str, tuple[int, str, str]] = {
    "unknown-queue": (
        *(404, "Queue not found"),
        "The queue doesn't exist, or it belongs to another desk.",
    ),
    "unknown-visit": (
        *(404, "Visit not found"),
        "The visit doesn't exist, or the token has no access to it.",
    ),
    "unknown-agent": (404, "Agent not found", "No agent of the desk has this user ID."),
    "queue-closed": (
        *(409, "The queue is closed"),
        "The queue is closed. `opens_at` says when it opens.",
    ),
    "queue-full": (409, "The queue is full", "The queue takes no more visitors or messages now."),
    "no-agent": (409, "No agents are available", "No agents are online for this queue."),
    "bad-token": (
        *(403, "The visitor's token is not valid"),
        "`identity` isn't valid at this desk. `detail` says why.",
    ),
    "visitor-blocked": (
        *(403, "Visits from this network are blocked"),
        "The visitor's network is blocked, or it has too many visits.",
    ),
    "not-yours": (
        *(409, "The room belongs to another agent"),
        "The room or the call has ended, or it belongs to another agent.",
    ),
    "offer-over": (409, "The offer has ended", "The offer has ended. The visitor has moved on."),
    "no-room": (
        *(409, "The agent can't take this visitor"),
        "The agent has no free room, or no visitor is there to take. `detail` says which.",
    ),
    "not-in-room": (409, "The visitor is not in a room", "The visitor isn't in a room."),
    "not-joined": (409, "You have not joined this room", "The caller hasn't joined the room."),
    "not-an-agent": (
        *(409, "You are not an agent of this desk"),
        "The caller isn't an agent of the desk.",
    ),
    "pause-reason": (
        *(422, "Pause reason not found"),
        "The desk has no such reason. `detail` lists those it has.",
    ),
    "visit-ended": (409, "The visit has ended", "The visit has ended."),
    "no-call-back": (409, "Callbacks are not set up", "The desk has no number pool for callbacks."),
    "no-number": (
        *(409, "No number is free for the call"),
        "The pool has no free number, or another call is still ending.",
    ),
    "visit-running": (
        *(409, "The visit is running"),
        "A visit of this visitor is running. Nothing was erased.",
    ),
    "agent-online": (409, "The agent is online", "The agent is online."),
    "unknown-desk": (
        *(404, "Desk not found"),
        "The desk doesn't exist, or the token has no access to it.",
    ),
    "unknown-message": (404, "Message not found", "No message has this ID."),
    "unknown-code": (404, "Code not found", "The code is wrong, used or expired."),
    "mail-sent": (409, "The email was already sent", "The email was already sent."),
    "no-transcript": (
        *(409, "There is no transcript to send"),
        "The visitor hasn't talked to an agent yet.",
    ),
    "rating-over": (
        *(409, "The rating can no longer be changed"),
        "The rating is more than an hour old.",
    ),
    "message-handled": (
        *(409, "The message is already handled"),
        "The message is already handled. Reopen it first.",
    ),
    "no-files": (409, "Files are not accepted here", "The desk doesn't accept files."),
    "too-many-files": (
        *(409, "No more files are accepted"),
        "The limit of the visit, or of the desk's day, is reached.",
    ),
    "file-too-large": (
        *(413, "The file is too large"),
        "The file is over the desk's limit, or has too many pixels.",
    ),
    "file-kind": (
        *(415, "This file type is not accepted"),
        "The file is damaged, or of a type that the desk doesn't accept.",
    ),
    "unknown-file": (404, "File not found", "The file doesn't exist, or its URL has expired."),
    "unknown-skill": (404, "Skill not found", "The desk has no skill with this slug."),
    "unknown-reply": (404, "Reply not found", "The desk has no reply with this shortcut."),
    "unknown-closure": (404, "Day not found", "The queue has no hours of its own on this day."),
    "unknown-secret": (404, "Secret not found", "The desk has no such secret in use."),
    "unknown-address": (404, "Address not found", "The desk has no blocked address with this ID."),
    "no-such-outcome": (404, "Outcome not found", "The desk has no outcome with this ID."),
    "outcome-closed": (
        *(409, "The outcome can no longer be changed"),
        "The visit ended more than seven days ago.",
    ),
    "wrap-up-over": (409, "The wrap-up has ended", "The wrap-up has ended."),
    "wrap-up-limit": (
        *(409, "The wrap-up can no longer be extended"),
        "The wrap-up has its longest possible time.",
    ),
}

# The problem types that each API operation can return, including those of other apps.
OPERATIONS: Mapping[str, str] = {
    "GET queues/{slug}": "unknown-queue",
    "POST queues/{slug}/join": (
        "forbidden unknown-queue queue-closed queue-full no-agent bad-token "
        "visitor-blocked too-many-requests"
    ),
    "POST queues/{slug}/left-messages": "unknown-queue queue-full too-many-requests",
    "POST queues/{slug}/resume": (
        "forbidden unknown-queue unknown-code visit-ended too-many-requests"
    ),
    "GET visits/{visit}": "unknown-visit",
    "GET visits/{visit}/why": "unknown-visit",
    "GET visits/{visit}/messages": "unknown-visit",
    "GET visits/{visit}/attachments": "unknown-visit",
    "GET visits/{visit}/rating": "unknown-visit",
    "GET visits/{visit}/tell": "unknown-visit",
    "GET visits/{visit}/transcript": "unknown-visit",
    "POST visits/{visit}/beat": "unknown-visit media-type",
    "POST visits/{visit}/leave": "unknown-visit",
    "POST visits/{visit}/messages": "unknown-visit visit-ended",
    "POST visits/{visit}/attachments": (
        "unknown-visit no-files too-many-files file-too-large file-kind visit-ended "
        "too-many-requests"
    ),
    "POST visits/{visit}/typing": "unknown-visit",
    "POST visits/{visit}/read": "unknown-visit",
    "POST visits/{visit}/rating": "unknown-visit rating-over",
    "POST visits/{visit}/language": "unknown-visit",
    "POST visits/{visit}/tell": "unknown-visit visit-ended mail-sent too-many-requests",
    "POST visits/{visit}/transcript-mail": (
        "unknown-visit no-transcript mail-sent too-many-requests"
    ),
    "POST visits/{visit}/code": "unknown-visit visit-ended too-many-requests",
    "GET agent/rooms": "unknown-agent",
    "GET agent/colleagues": "unknown-agent",
    "GET agent/why/{visit}": "unknown-agent unknown-visit",
    "GET agent/visitor/{visit}": "unknown-agent unknown-visit not-yours",
    "POST agent/login": "unknown-agent",
    "POST agent/pause": "unknown-agent pause-reason",
    "POST agent/logout": "unknown-agent",
    "POST agent/beat": "unknown-agent",
    "POST agent/ready": "unknown-agent",
    "POST agent/take": "unknown-agent no-room",
    "POST agent/accept": "unknown-agent offer-over",
    "POST agent/decline": "unknown-agent offer-over",
    "POST agent/finish": "unknown-agent not-yours",
    "POST agent/transfer": (
        "unknown-agent unknown-visit unknown-queue not-yours visit-ended no-room queue-full"
    ),
    "POST agent/call-back": "unknown-agent unknown-visit not-yours no-call-back no-number",
    "POST agent/call-end": "unknown-agent not-yours",
    "POST agent/messages": "unknown-agent unknown-visit not-yours visit-ended",
    "POST agent/notes": "unknown-agent unknown-visit not-yours",
    "POST agent/attachments": (
        "unknown-agent unknown-visit not-yours no-files too-many-files file-too-large "
        "file-kind visit-ended too-many-requests"
    ),
    "POST agent/read": "unknown-agent unknown-visit not-yours",
    "POST agent/typing": "unknown-agent unknown-visit not-yours",
    "POST agent/more-time": "unknown-agent wrap-up-over wrap-up-limit",
    "POST agent/outcome": "unknown-agent unknown-visit no-such-outcome not-yours outcome-closed",
    "GET desks/{slug}/report": "unknown-desk unknown-queue",
    "GET desks/{slug}/forecast": "unknown-desk unknown-queue",
    "GET desks/{slug}/board": "unknown-desk",
    "GET desks/{slug}/floor": "unknown-desk",
    "GET desks/{slug}/queues/{queue}/why": "unknown-desk unknown-queue",
    "GET desks/{slug}/visits/{visit}/why": "unknown-desk unknown-visit",
    "GET desks/{slug}/left-messages": "unknown-desk unknown-queue",
    "POST desks/{slug}/left-messages/{message}/handled": "unknown-desk unknown-message",
    "POST desks/{slug}/left-messages/{message}/reopened": "unknown-desk unknown-message",
    "POST desks/{slug}/left-messages/{message}/call": (
        "unknown-desk unknown-message unknown-agent message-handled not-yours "
        "no-call-back no-number"
    ),
    "POST desks/{slug}/left-messages/{message}/call-end": (
        "unknown-desk unknown-message unknown-agent not-yours"
    ),
    "POST desks/{slug}/erasures": "unknown-desk unknown-visit visit-running",
    "POST desks/{slug}/visits/{visit}/whisper": (
        "unknown-desk unknown-visit not-in-room visit-ended"
    ),
    "POST desks/{slug}/visits/{visit}/messages": (
        "unknown-desk unknown-visit not-joined not-in-room visit-ended"
    ),
    "POST desks/{slug}/visits/{visit}/join": "unknown-desk unknown-visit not-in-room visit-ended",
    "POST desks/{slug}/visits/{visit}/leave": "unknown-desk unknown-visit",
    "POST desks/{slug}/visits/{visit}/take-over": (
        "unknown-desk unknown-visit unknown-agent not-an-agent not-in-room no-room visit-ended"
    ),
    "POST desks/{slug}/visits/{visit}/front": "unknown-desk unknown-visit visit-ended",
    "POST desks/{slug}/visits/{visit}/end": "unknown-desk unknown-visit",
    "POST desks/{slug}/agents/{agent}/pause": "unknown-desk unknown-agent pause-reason",
    "POST desks/{slug}/agents/{agent}/logout": "unknown-desk unknown-agent",
    **SETUP_OPERATIONS,
}


class LineError(RefusedError):
    """A refused use case of the line. Nothing was changed."""
