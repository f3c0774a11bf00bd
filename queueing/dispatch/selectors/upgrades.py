"""Upgrades and their progress."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from poolsite.console.templatetags.console import figure, span
from queueing.dispatch.models import Group, ManualState, Upgrade, UpgradeStep

if TYPE_CHECKING:
    from django.db.models import QuerySet

# Upgrades are checked every second. An older count is shown with its time.
COUNT_IS_LATE = timedelta(seconds=5)


def upgrades_of(group: Group) -> "QuerySet[Upgrade]":
    """Return a group's upgrades, newest first."""
    return Upgrade.objects.filter(group=group).order_by("-id")


def running_upgrade(group: Group) -> Upgrade | None:
    """Return the running upgrade of a group, or None."""
    return upgrades_of(group).filter(status=Upgrade.Status.RUNNING).first()


def upgrade_out(upgrade: Upgrade, now: datetime | None = None) -> dict[str, Any]:
    """Return an upgrade with its steps as pages and the API show it. Times are ISO 8601."""
    now = now or timezone.now()
    steps = list(upgrade.steps.select_related("instance").order_by("position"))
    return {
        "id": upgrade.pk,
        "group": upgrade.group.slug,
        "target_version": upgrade.target_version,
        "status": upgrade.status,
        "waits_for": waits_for(upgrade),
        "max_drain_seconds": upgrade.max_drain_seconds,
        "at_limit": upgrade.at_limit,
        "created_by": upgrade.created_by,
        "created_at": upgrade.created_at.isoformat(),
        "ended_at": _iso(upgrade.ended_at),
        "ended_by": upgrade.ended_by,
        "ended_reason": upgrade.ended_reason,
        "done": sum(step.status == UpgradeStep.Status.DONE for step in steps),
        "total": len(steps),
        "steps": [_step_out(step, now) for step in steps],
    }


def _step_out(step: UpgradeStep, now: datetime) -> dict[str, Any]:
    manual = step.state_after or step.instance.manual_state
    is_counted = step.drain_began_at is not None and step.status != UpgradeStep.Status.SKIPPED
    return {
        "name": step.instance.name,
        "status": step.status,
        "word": capfirst(str(step.get_status_display())),
        "version_before": step.version_before,
        "sessions_at_start": step.sessions_at_start,
        "sessions": step.sessions,
        "sessions_ended": step.sessions_ended,
        "counted_at": _iso(step.counted_at),
        "count_is_late": count_is_late(step, now),
        "is_counted": is_counted,
        "oldest_seconds": _seconds(step.oldest_at, now) if is_counted else None,
        "estimate_seconds": estimate_seconds(step, now),
        "drain_began_at": _iso(step.drain_began_at),
        "safe_at": _iso(step.safe_at),
        "beats": step.beats,
        "beats_needed": UpgradeStep.BEATS,
        "note": note(step, now),
        "forced_by": step.forced_by,
        "ended_at": _iso(step.ended_at),
        "manual_state": manual,
        "manual_word": capfirst(str(ManualState(manual).label)),
    }


def note(step: UpgradeStep, now: datetime) -> str:
    """Return how long a step took and who ended sessions, or "" before its drain started."""
    took = _seconds(step.drain_began_at, step.ended_at or now)
    if took is None:
        return ""
    if step.status == UpgradeStep.Status.SKIPPED:
        first = _("drained for %(time)s")
    else:
        first = _("took %(time)s") if step.ended_at else _("for %(time)s")
    parts = [first % {"time": span(took)}]
    if step.sessions_ended:
        by = _("the drain timeout") if step.forced_by == step.BY_ITSELF else step.forced_by
        text = ngettext(
            "%(n)s session ended by %(by)s", "%(n)s sessions ended by %(by)s", step.sessions_ended
        )
        parts.append(text % {"n": figure(step.sessions_ended), "by": by})
    return " · ".join(parts)


def count_is_late(step: UpgradeStep, now: datetime) -> bool:
    """Return whether the sessions of a draining instance were last counted too long ago."""
    if step.status != UpgradeStep.Status.DRAINING or step.counted_at is None:
        return False
    return now - step.counted_at > COUNT_IS_LATE


def estimate_seconds(step: UpgradeStep, now: datetime) -> int | None:
    """Estimate the seconds until the last session ends.

    The estimate uses the pace between the start of the drain and the last count. Return None if the
    instance is not draining, no session has ended yet, or the last count is late.
    """
    if step.status != UpgradeStep.Status.DRAINING or step.drain_began_at is None:
        return None
    ended = step.sessions_at_start - step.sessions
    if step.counted_at is None or count_is_late(step, now) or ended <= 0 or not step.sessions:
        return None
    counted_after = (step.counted_at - step.drain_began_at).total_seconds()
    left = step.sessions * counted_after / ended - (now - step.counted_at).total_seconds()
    return max(0, round(left))


def waits_for(upgrade: Upgrade) -> str:
    """Return why an upgrade is waiting, as text, or "" if it isn't."""
    return {
        "no room": _("The other instances can't carry the load. Open or add an instance."),
        "over the limit": _("The drain timeout has passed. Wait, or end the remaining sessions."),
        "other version": _("Safe to stop. Start the target version under the same name."),
        "not linked": _("Stopped. Waiting for the target version to register."),
        "recovering": _("The group is recovering. Waiting for instances to report their sessions."),
    }.get(upgrade.note, "")


def _iso(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""


def _seconds(since: datetime | None, now: datetime) -> int | None:
    return max(0, round((now - since).total_seconds())) if since else None
