"""What happens to incidents, and the notices that follow from it."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.operations.models import Incident, IncidentEvent, NoticeTarget, OutgoingCall
from poolsite.operations.notices import queue_notices

if TYPE_CHECKING:
    from poolsite.access import Principal
    from poolsite.access.models import User
    from poolsite.access.services.aggregates import Act

TARGET_FIELDS = ("account", "channel", "address", "warnings", "active")
TOPIC = "operations.incidents"
REASON_LONGEST: Final = 200
NOTE_LONGEST: Final = 2_000
MOST_NOTES: Final = 100
LONGEST_SNOOZE: Final = timedelta(days=7)
SAME_SNOOZE: Final = timedelta(minutes=1)  # a second click asks for almost the same moment
Kind = IncidentEvent.Kind


def open_incident(kind: str, object_name: str, *, severity: str, **texts: Any) -> Incident:
    """Open or bring up to date; race-safe on both databases by the unique open row."""
    if severity not in Incident.Severity.values:
        raise ValueError(f"severity is critical or warning, not {severity!r}")
    found = _update_open(kind, object_name, severity, texts)
    if found is not None:
        return found
    try:
        with transaction.atomic():
            incident = Incident.objects.create(
                type=kind, object=object_name, severity=severity, since=timezone.now(), **texts
            )
            queue_notices(incident, "opened")
            _touch(incident)
            return incident
    except IntegrityError:  # another process was first
        found = _update_open(kind, object_name, severity, texts)
        if found is None:  # and has closed it again
            return Incident.objects.filter(type=kind, object=object_name).latest("pk")
        return found


def _update_open(
    kind: str, object_name: str, severity: str, texts: dict[str, Any]
) -> Incident | None:
    found = Incident.objects.filter(type=kind, object=object_name, until=None).first()
    if found is None:
        return None
    wanted = {"severity": severity, **texts}
    changed = {name: value for name, value in wanted.items() if getattr(found, name) != value}
    if not changed:
        return found
    worse = found.severity == Incident.Severity.WARNING and severity != found.severity
    if worse and found.snoozed_until is not None:  # it comes back at once
        changed["snoozed_until"] = None
    with transaction.atomic():
        rows = Incident.objects.filter(pk=found.pk, until=None, severity=found.severity)
        if rows.update(**changed):
            for name, value in changed.items():
                setattr(found, name, value)
            if "severity" in changed:
                _note(found, Kind.WORSE if worse else Kind.EASED)
            if worse:
                queue_notices(found, "worse")
            _touch(found)
    return found


def close_incident(kind: str, object_name: str) -> bool:
    """Close the open one, if there is one; of several callers, one closes and tells."""
    found = Incident.objects.filter(type=kind, object=object_name, until=None).first()
    if found is None:
        return False
    now = timezone.now()
    with transaction.atomic():
        if not Incident.objects.filter(pk=found.pk, until=None).update(until=now):
            return False
        found.until = now
        queue_notices(found, "closed")
        _touch(found)
    return True


def acknowledge_incident(
    incident: Incident, *, actor: "User", at: datetime | None = None
) -> Incident:
    """Make `actor` its owner; the first one stays, and a second click changes nothing."""
    now = at or timezone.now()
    with transaction.atomic():
        noted = Incident.objects.filter(pk=incident.pk, until=None, acknowledged_at=None).update(
            acknowledged_by=actor, acknowledged_name=actor.display_name, acknowledged_at=now
        )
        if noted:
            after = {"type": incident.type, "object": incident.object}
            _act(actor, "operations.acknowledge").write(incident, None, after)
            _note(incident, Kind.ACKNOWLEDGED, who=actor, at=now)
            _touch(incident)
    incident.refresh_from_db()
    return incident


def snooze_incidents(
    incidents: Iterable[Incident], *, actor: "User", until: datetime, reason: str
) -> int:
    """Fold open incidents away until a moment; returns how many. Their notices wait as long.

    One that has ended or changed its severity since it was read is left as it is. ValidationError:
    no reason, or a moment that is over or more than LONGEST_SNOOZE ahead.
    """
    now = timezone.now()
    reason = _text_of(reason, REASON_LONGEST, _("Enter a reason of 1 to %s characters."))
    if not now < until <= now + LONGEST_SNOOZE:
        raise ValidationError(_("Choose a time within the next 7 days."))
    return sum(_snooze(incident, actor, now, until, reason) for incident in incidents)


def _snooze(incident: Incident, actor: "User", now: datetime, until: datetime, reason: str) -> bool:
    known = (incident.snoozed_name, incident.snooze_reason) == (actor.display_name, reason)
    if known and incident.snoozed_until and abs(incident.snoozed_until - until) < SAME_SNOOZE:
        return True
    rows = Incident.objects.filter(pk=incident.pk, until=None, severity=incident.severity)
    with transaction.atomic():
        if not rows.update(
            snoozed_until=until, snoozed_name=actor.display_name, snooze_reason=reason
        ):
            return False
        _act(actor, "operations.snooze", reason).write(incident, None, {"until": until})
        _note(incident, Kind.SNOOZED, who=actor, at=now, text=reason, until=until)
        _touch(incident)
    return True


def resume_incidents(incidents: Iterable[Incident], *, actor: "User") -> int:
    """End the snooze of open incidents; returns how many were snoozed."""
    now = timezone.now()
    return sum(_resume(incident, actor, now) for incident in incidents)


def _resume(incident: Incident, actor: "User", now: datetime) -> bool:
    rows = Incident.objects.filter(pk=incident.pk, until=None, snoozed_until__gt=now)
    with transaction.atomic():
        if not rows.update(snoozed_until=None):
            return False
        _act(actor, "operations.snooze_end").write(incident, {"until": incident.snoozed_until})
        _note(incident, Kind.RESUMED, who=actor, at=now)
        _touch(incident)
    return True


def add_incident_note(incident: Incident, text: str, *, actor: "User") -> IncidentEvent:
    """Write for the others what is known; also beside one that has ended.

    ValidationError: no text, more than NOTE_LONGEST characters, or more than MOST_NOTES notes.
    """
    text = _text_of(
        text.replace("\r\n", "\n"), NOTE_LONGEST, _("Enter a note of 1 to %s characters.")
    )
    with transaction.atomic():
        Incident.objects.select_for_update(of=("self",)).get(pk=incident.pk)
        if incident.events.filter(kind=Kind.NOTE).count() >= MOST_NOTES:
            raise ValidationError(_("There are already %s notes.") % MOST_NOTES)
        note = _note(incident, Kind.NOTE, who=actor, text=text)
        _act(actor, "operations.incident_note").write(incident, None, {"note": text})
        _touch(incident)
    return note


def _text_of(given: str, longest: int, refusal: str) -> str:
    text = given.replace("\x00", "").strip()
    if not text or len(text) > longest:
        raise ValidationError(refusal % longest)
    return text


def _note(
    incident: Incident,
    kind: str,
    *,
    who: "User | None" = None,
    at: datetime | None = None,
    **more: Any,
) -> IncidentEvent:
    """Add to the incident's timeline; in the change's transaction."""
    name = who.display_name if who else ""
    return IncidentEvent.objects.create(
        incident=incident, kind=kind, at=at or timezone.now(), who=name, **more
    )


def save_target(target: NoticeTarget, *, actor: "Principal | User") -> NoticeTarget:
    """Make or change a notice target; audited without its secret."""
    if NoticeTarget.objects.filter(pk=target.pk).exists():
        values = {name: getattr(target, name) for name in TARGET_FIELDS}
        return change_target(target=target, actor=actor, **values)
    with transaction.atomic():
        target.save()
        _act(actor, "operations.target_create").write(target, None, _described(target))
    return target


@transaction.atomic
def change_target(
    *, target: NoticeTarget, actor: "Principal | User", reason: str = "", **values: Any
) -> NoticeTarget:
    """Change who is told of incidents, and how; ValidationError when a value does not fit."""
    from poolsite.access.services import aggregates

    aggregates.require_known(values, TARGET_FIELDS)
    found = NoticeTarget.objects.select_for_update(of=("self",)).get(pk=target.pk)
    act = _act(actor, "operations.target_change", reason)
    aggregates.configure(found, values, NoticeTarget.full_clean, act)
    return found


def delete_target(target: NoticeTarget, *, actor: "Principal | User") -> None:
    """Delete a notice target with what is still to be sent to it; its calls stay logged."""
    with transaction.atomic():
        _act(actor, "operations.target_delete").write(target, _described(target))
        OutgoingCall.objects.filter(notice__target=target).update(notice=None)
        target.delete()


def _described(target: NoticeTarget) -> dict[str, Any]:
    return {name: getattr(target, name) for name in TARGET_FIELDS}


def _act(actor: "Principal | User", action: str, reason: str = "") -> "Act":
    from poolsite.access.services.aggregates import Act

    return Act(actor, action, reason)


def confirm_clock(*, actor: "User", reason: str = "") -> bool:
    """Take the clock's new time as right, in every process; False = it was not in doubt.

    The sweeps run again, and every monitor begins anew from the clock as it is.
    """
    from poolsite import access, hotpath
    from poolsite.jobs import sweeping
    from poolsite.operations import clock

    if not sweeping.paused_reason():
        return False
    with transaction.atomic():
        access.audit(actor=actor, action="operations.confirm_clock", reason=reason)
        close_incident(*clock.INCIDENT)
    hotpath.client().incr(clock.CONFIRMED_KEY)
    sweeping.resume()
    return True


def _touch(incident: Incident) -> None:
    """Tell the pages after the commit; they read SQL again."""
    from poolsite import live

    live.touch(f"{TOPIC}:all")
    if incident.account_id is not None:
        live.touch(f"{TOPIC}:{incident.account_id}")
