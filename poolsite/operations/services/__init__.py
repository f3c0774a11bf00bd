"""Opens and closes incidents and queues their alerts. `incident_care` has what people do."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from poolsite.operations.models import Incident, IncidentEvent, NoticeTarget, OutgoingCall
from poolsite.operations.notices import queue_notices

if TYPE_CHECKING:
    from poolsite.access import Principal
    from poolsite.access.models import User
    from poolsite.access.services.aggregates import Act

TARGET_FIELDS = ("account", "address", "warnings", "active")
TOPIC = "operations.incidents"
Kind = IncidentEvent.Kind


def open_incident(kind: str, object_name: str, *, severity: str, **texts: Any) -> Incident:
    """Open an incident, or update the open one. The unique open row prevents duplicates."""
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
            touch(incident)
            return incident
    except IntegrityError:  # another process was first
        found = _update_open(kind, object_name, severity, texts)
        if found is None:  # and that process has closed it again
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
    if worse and found.snoozed_until is not None:  # end the snooze
        changed["snoozed_until"] = None
    with transaction.atomic():
        rows = Incident.objects.filter(pk=found.pk, until=None, severity=found.severity)
        if rows.update(**changed):
            for name, value in changed.items():
                setattr(found, name, value)
            if "severity" in changed:
                add_event(found, Kind.WORSE if worse else Kind.EASED)
            if worse:
                queue_notices(found, "worse")
            touch(found)
    return found


def close_incident(kind: str, object_name: str) -> bool:
    """Close the open incident. Return whether there was one."""
    found = Incident.objects.filter(type=kind, object=object_name, until=None).first()
    return found is not None and end_incident(found)


def end_incident(incident: Incident) -> bool:
    """Close this incident. If several callers try, one closes it and queues the alerts."""
    now = timezone.now()
    with transaction.atomic():
        if not Incident.objects.filter(pk=incident.pk, until=None).update(until=now):
            return False
        incident.until = now
        queue_notices(incident, "closed")
        touch(incident)
    return True


def add_event(
    incident: Incident,
    kind: str,
    *,
    who: "User | None" = None,
    at: datetime | None = None,
    **more: Any,
) -> IncidentEvent:
    """Add an entry to the incident's timeline, in the transaction of the change."""
    name = who.display_name if who else ""
    return IncidentEvent.objects.create(
        incident=incident, kind=kind, at=at or timezone.now(), who=name, **more
    )


def save_target(target: NoticeTarget, *, actor: "Principal | User") -> NoticeTarget:
    """Create or change an alert recipient."""
    if NoticeTarget.objects.filter(pk=target.pk).exists():
        values = {name: getattr(target, name) for name in TARGET_FIELDS}
        return change_target(target=target, actor=actor, **values)
    with transaction.atomic():
        target.save()
        act_of(actor, "operations.target_create").write(target, None, _described(target))
    return target


@transaction.atomic
def change_target(
    *, target: NoticeTarget, actor: "Principal | User", reason: str = "", **values: Any
) -> NoticeTarget:
    """Change an alert recipient's settings. Raise ValidationError if a value is invalid."""
    from poolsite.access.services import aggregates

    aggregates.require_known(values, TARGET_FIELDS)
    found = NoticeTarget.objects.select_for_update(of=("self",)).get(pk=target.pk)
    act = act_of(actor, "operations.target_change", reason)
    aggregates.configure(found, values, NoticeTarget.full_clean, act)
    return found


def delete_target(target: NoticeTarget, *, actor: "Principal | User") -> None:
    """Delete an alert recipient with its unsent alerts. Its logged calls are kept."""
    with transaction.atomic():
        act_of(actor, "operations.target_delete").write(target, _described(target))
        OutgoingCall.objects.filter(notice__target=target).update(notice=None)
        target.delete()


def _described(target: NoticeTarget) -> dict[str, Any]:
    return {name: getattr(target, name) for name in TARGET_FIELDS}


def act_of(actor: "Principal | User", action: str, reason: str = "") -> "Act":
    from poolsite.access.services.aggregates import Act

    return Act(actor, action, reason)


def confirm_clock(*, actor: "User", reason: str = "") -> bool:
    """Accept the clock's new time in every process. Return False if it was not in doubt.

    The sweeps run again, and every monitor restarts from the current clock.
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


def touch(incident: Incident) -> None:
    """Notify the pages after the commit. They read SQL again."""
    from poolsite import live

    live.touch(f"{TOPIC}:all")
    if incident.account_id is not None:
        live.touch(f"{TOPIC}:{incident.account_id}")
