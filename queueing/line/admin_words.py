"""The admin's labels for a desk's events. The agent and the queue have their own columns."""

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

EVENTS: Final[dict[str, Any]] = {
    "join": _("Joined the line"),
    "loaded": _("Restored after Redis lost data"),
    "away": _("Visitor disconnected"),
    "back": _("Visitor reconnected"),
    "offer": _("Offered to the agent"),
    "declined": _("Offer declined"),
    "missed": _("Offer missed"),
    "miss": _("Counted as a missed offer"),
    "room": _("Room started"),
    "room_away": _("Visitor disconnected; room held"),
    "room_back": _("Visitor reconnected to the room"),
    "returned": _("Returned to the line"),
    "transfer": _("Transferred to another queue"),
    "move": _("Moved in line"),
    "overflow": _("Moved to the overflow queue"),
    "end": _("Visit ended"),
    "guest_joined": _("Supervisor joined the room"),
    "guest_left": _("Supervisor left the room"),
    "guest_whispered": _("Supervisor whispered"),
    "login": _("Agent logged in"),
    "logout": _("Agent logged out"),
    "agent_away": _("Agent disconnected"),
    "agent_back": _("Agent reconnected"),
    "agent_lost": _("Agent offline"),
    "asked": _("Pause requested"),
    "pause": _("Agent paused"),
    "resume": _("Agent resumed"),
    "wrapup": _("Wrap-up started"),
    "more_time": _("Wrap-up extended"),
    "ready": _("Wrap-up ended"),
    "call": _("Callback requested"),
    "called": _("Callback started"),
    "call_end": _("Callback ending"),
    "call_over": _("Callback ended"),
    "queue": _("Queue settings changed"),
    "agents": _("Agents online again"),
    "no_agent": _("No agent online"),
    "opened": _("Desk opened"),
    "created": _("Desk created"),
    "recovering": _("Recovery started"),
}

# Labels of an event's data (docs/reference/line/redis.md): the common ones, and those by kind.
DATA: Final[dict[str, Any]] = {
    "c": _("class"),
    "t": _("ticket"),
    "w": _("reason"),
    "by": _("by"),
    "n": _("missed offers"),
    "r": _("from a room"),
    "ms": _("wait"),
    "p": _("pending"),
    "o": _("operation"),
    "d": _("change in the line"),
}
DATA_OF: Final[dict[str, dict[str, Any]]] = {
    "join": {"n": _("skill set")},
    "end": {"w": _("outcome")},
    "more_time": {"w": _("ends at")},
    "queue": {"w": _("settings")},
    **{kind: {"w": _("operation")} for kind in ("call", "called", "call_over")},
}
PENDING: Final[dict[str, Any]] = {"-": "–", "p": _("pause"), "l": _("log-out")}
