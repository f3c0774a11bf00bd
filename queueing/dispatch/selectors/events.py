"""The event log of a group, filtered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from poolsite.moments import moment_of
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import DispatchEvent, Group

if TYPE_CHECKING:
    from django.db.models import QuerySet

FOLD_US = 60_000_000  # a link that is lost and back within a minute is one line
Look = Literal["ok", "warn", "bad", "neutral"]
LOOKS: dict[str, tuple[Look, str]] = {
    "opened": ("ok", "check_circle"),
    "registered": ("ok", "link"),
    "reconnected": ("ok", "link"),
    "active": ("ok", "link"),
    "open": ("ok", "lock_open"),
    "upgraded": ("ok", "check_circle"),
    "recovering": ("warn", "sync"),
    "restarted": ("warn", "restart_alt"),
    "replaced": ("warn", "swap_horiz"),
    "pending": ("warn", "link_off"),
    "drain": ("warn", "logout"),
    "upgrading": ("warn", "logout"),
    "blocked": ("warn", "block"),
    "ended": ("warn", "cancel"),
    "disconnected": ("warn", "link_off"),
    "retried": ("warn", "swap_horiz"),
    "ejected": ("bad", "eject"),
    "returned": ("ok", "check_circle"),
    "stopped": ("bad", "error"),
    "cleared": ("bad", "delete_sweep"),
}


@dataclass(frozen=True, slots=True)
class StoryLine:
    """An event as pages show it. With `away_seconds`, a link that was lost and came back."""

    at: datetime
    word: str
    who: str
    other: str
    count: int | None
    reason: str
    look: Look
    icon: str
    away_seconds: float | None = None


def story_lines(rows: "Sequence[DispatchEvent]") -> list[StoryLine]:
    """Return lines for rows of `story`, newest first. A loss of under a minute is merged."""
    labels, reasons = event_words(), reason_words()
    taken: set[int] = set()
    lines = []
    for index, row in enumerate(rows):
        if row.pk in taken:
            continue
        lost = _lost_before(rows, index) if row.event == "reconnected" else None
        if lost is not None:
            taken.add(lost.pk)
        told = lost or row
        look, icon = LOOKS.get(row.event, ("neutral", "settings"))
        reason = reason_told(told.reason, reasons)
        lines.append(
            StoryLine(
                moment_of(row.at_us),
                labels.get(row.event, row.event),
                peer_name(row),
                row.other.partition(":")[2] or row.other,
                row.count,
                reason[:1].upper() + reason[1:],
                look,
                icon,
                None if lost is None else (row.at_us - lost.at_us) / 1e6,
            )
        )
    return lines


def peer_name(row: DispatchEvent) -> str:
    """Return the instance's name or the peer's ID without the letter of its kind."""
    return row.name or row.peer.partition(":")[2] or row.peer


def _lost_before(rows: "Sequence[DispatchEvent]", index: int) -> DispatchEvent | None:
    """Return the loss that a reconnect ended, or None.

    It must be the peer's previous event and have lasted less than a minute.
    """
    back = rows[index]
    who = peer_name(back)
    for row in rows[index + 1 :]:
        if back.at_us - row.at_us > FOLD_US:
            return None
        if peer_name(row) == who:
            return row if row.event == "pending" else None
    return None


def story(group: Group, **filters: Any) -> "QuerySet[DispatchEvent]":
    """Return a group's history, newest first. Page it by (at_us, pk)."""
    return DispatchEvent.objects.filter(aggregate=group, **filters).order_by("-at_us", "-pk")


def story_of(
    group: Group,
    *,
    event: str = "",
    who: str = "",
    since_us: int | None = None,
    until_us: int | None = None,
) -> "QuerySet[DispatchEvent]":
    """Return a group's history, filtered. who: part of an instance's name or of a peer's key."""
    rows = story(group)
    if event:
        rows = rows.filter(event=event)
    if who:
        rows = rows.filter(Q(name__icontains=who) | Q(peer__icontains=who))
    if since_us is not None:
        rows = rows.filter(at_us__gte=since_us)
    if until_us is not None:
        rows = rows.filter(at_us__lt=until_us)
    return rows


def place_told(row: DispatchEvent) -> str:
    """Return the place after a row, as text for the next page's URL."""
    return f"{row.at_us}.{row.pk}"


def place_of(text: str) -> tuple[int, int] | None:
    """Parse a text of `place_told`. Return None for any other text."""
    parts = text.split(".")
    if len(parts) != 2 or not all(p.isascii() and p.isdecimal() and len(p) < 19 for p in parts):
        return None
    return int(parts[0]), int(parts[1])


def older_than(
    rows: "QuerySet[DispatchEvent]", place: tuple[int, int]
) -> "QuerySet[DispatchEvent]":
    """Return the rows of a story after a place."""
    return rows.filter(Q(at_us__lt=place[0]) | Q(at_us=place[0], pk__lt=place[1]))


def event_words() -> dict[str, str]:
    """Return the label of each event. An event without a label is shown by its name."""
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
        "retried": _("Sessions offered to other instances"),
        "ejected": _("Ejected"),
        "returned": _("Ejection ended"),
        "backup": _("Made a backup"),
        "primary": _("Made a primary"),
    }


def reason_told(reason: str, words: dict[str, str] | None = None) -> str:
    """Return a reason as pages show it. A text that a person entered is not changed.

    words: the result of `reason_words()`, for callers with many reasons.
    """
    share = commands.reasons.share_failed(reason)
    if share is None:
        return (reason_words() if words is None else words).get(reason, reason)
    failed, sessions = share
    told = ngettext(
        "%(failed)s of %(sessions)s session failed",
        "%(failed)s of %(sessions)s sessions failed",
        sessions,
    )
    return told % {"failed": f"{failed:,}", "sessions": f"{sessions:,}"}


def reason_words() -> dict[str, str]:
    """Return the labels of the dispatcher's own reasons. See `reason_told`."""
    reasons = commands.reasons
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
        reasons.CONNECTION_LOST: _("the connection was lost"),
        reasons.SERVER_STOPPED: _("the server was stopped"),
        reasons.TIME_PASSED: _("its time has passed"),
        reasons.RESTARTED: _("the program was started again"),
        reasons.EJECTION_OFF: _("ejection is turned off"),
    }
