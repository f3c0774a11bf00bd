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
        "created": _("Group made"),
        "recovering": _("Data began anew"),
        "opened": _("Recovered"),
        "configured": _("Settings changed"),
        "registered": _("Registered"),
        "reconnected": _("Reconnected"),
        "restarted": _("Restarted"),
        "replaced": _("Newer link took over"),
        "pending": _("Link pending"),
        "active": _("Link active again"),
        "stopped": _("Stopped"),
        "resynced": _("Told its sessions"),
        "cleared": _("Sessions cleared"),
        "open": _("Opened"),
        "drain": _("Drained"),
        "blocked": pgettext("instance", "Blocked"),
        "upgrading": _("Drained for an upgrade"),
        "upgraded": _("Upgrade's drain lifted"),
        "forgotten": _("Name forgotten"),
        "ended": _("Session ended by hand"),
        "disconnected": _("Link closed by hand"),
    }


def reason_words() -> dict[str, str]:
    """What people read for the dispatcher's own reasons; one that is not here is a person's."""
    reasons = door.reasons
    return {
        reasons.NO_SUCH_SESSION: _("no such session"),
        reasons.SESSION_EXISTS: _("the session is there already"),
        reasons.SESSION_ENDING: _("the session is ending"),
        reasons.NOT_YOURS: _("the session belongs to another peer"),
        reasons.NO_SESSIONS: _("no sessions in this profile"),
        reasons.PEER_PENDING: _("the other end's link is pending"),
        reasons.PEER_FULL: _("the other end takes no more frames"),
        reasons.PEER_GONE: _("the other end is gone"),
        reasons.ALL_FULL: _("every instance is full"),
        reasons.NONE_OPEN: _("no instance is open"),
        reasons.RECOVERING: _("the group is recovering"),
        reasons.INSTANCE_LOST: _("instance lost"),
        reasons.INSTANCE_RESTARTED: _("instance restarted"),
        reasons.FRONT_LOST: _("front-end lost"),
        reasons.FRONT_RESTARTED: _("front-end restarted"),
        reasons.BLOCKED: _("blocked"),
        reasons.EXPIRED: _("expired"),
        reasons.ONE_END_ONLY: _("one end only"),
        reasons.ELSEWHERE: _("elsewhere"),
        reasons.REPLACED: _("a newer link took over"),
        reasons.GAP: _("a frame's number is missing"),
        reasons.BEHIND: _("it acknowledges nothing"),
        reasons.SILENT: _("silent"),
        reasons.DISCONNECTED: _("closed by hand"),
        reasons.CLEARED: _("all sessions cleared"),
        reasons.NAMED_ANEW: _("started anew under its name"),
        reasons.CLOSED_BY_PEER: _("closed by the peer"),
    }
