"""The event log of a group, filtered."""

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from queueing.dispatch import dispatcher as door
from queueing.dispatch.models import DispatchEvent, Group

if TYPE_CHECKING:
    from django.db.models import QuerySet


def story(group: Group, **filters: Any) -> "QuerySet[DispatchEvent]":
    """A group's history, newest first; page it by (at_us, pk)."""
    return DispatchEvent.objects.filter(aggregate=group, **filters).order_by("-at_us", "-pk")


def event_words() -> dict[str, str]:
    """What people read for each event; one that is not here is shown by its own name."""
    return {
        "created": _("Group created"),
        "recovering": _("Recovery started"),
        "opened": _("Recovered"),
        "configured": _("Settings changed"),
        "registered": _("Registered"),
        "reconnected": _("Reconnected"),
        "restarted": _("Restarted"),
        "replaced": _("Replaced by a newer link"),
        "pending": _("Link pending"),
        "active": _("Link active again"),
        "stopped": _("Stopped"),
        "resynced": _("Sessions reported"),
        "cleared": _("Sessions cleared"),
        "open": _("Opened"),
        "drain": _("Draining started"),
        "blocked": pgettext("instance", "Blocked"),
        "upgrading": _("Draining for an upgrade"),
        "upgraded": _("Upgrade drain lifted"),
        "forgotten": _("Instance name removed"),
        "ended": _("Session ended manually"),
        "disconnected": _("Link closed manually"),
    }


def reason_words() -> dict[str, str]:
    """What people read for the dispatcher's own reasons; one that is not here is a person's."""
    reasons = door.reasons
    return {
        reasons.NO_SUCH_SESSION: _("session not found"),
        reasons.SESSION_EXISTS: _("the session already exists"),
        reasons.SESSION_ENDING: _("the session is ending"),
        reasons.NOT_YOURS: _("the session belongs to another peer"),
        reasons.NO_SESSIONS: _("this profile has no sessions"),
        reasons.PEER_PENDING: _("the other end's link is pending"),
        reasons.PEER_FULL: _("the other end accepts no more frames"),
        reasons.PEER_GONE: _("the other end is gone"),
        reasons.ALL_FULL: _("all instances are full"),
        reasons.NONE_OPEN: _("no instance is open"),
        reasons.RECOVERING: _("the group is recovering"),
        reasons.INSTANCE_LOST: _("instance lost"),
        reasons.INSTANCE_RESTARTED: _("instance restarted"),
        reasons.FRONT_LOST: _("front-end lost"),
        reasons.FRONT_RESTARTED: _("front-end restarted"),
        reasons.BLOCKED: _("blocked"),
        reasons.EXPIRED: _("expired"),
        reasons.ONE_END_ONLY: _("reported by one end only"),
        reasons.ELSEWHERE: _("session is on another peer"),
        reasons.REPLACED: _("replaced by a newer link"),
        reasons.GAP: _("a frame number is missing"),
        reasons.BEHIND: _("frames are not acknowledged"),
        reasons.SILENT: _("no response"),
        reasons.DISCONNECTED: _("closed manually"),
        reasons.CLEARED: _("all sessions cleared"),
        reasons.NAMED_ANEW: _("a new instance started under its name"),
        reasons.CLOSED_BY_PEER: _("closed by the peer"),
    }
