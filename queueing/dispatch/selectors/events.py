"""The event log of a group, filtered."""

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

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
