"""What people do to an incident: acknowledge, assign, snooze, add a note, resolve.

Each action is audited and added to the incident's timeline. Only incidents that no check closes can
be resolved.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.operations.models import Incident, IncidentEvent
from poolsite.operations.services import act_of, add_event, end_incident, touch

if TYPE_CHECKING:
    from poolsite.access.models import User

REASON_LONGEST: Final = 200
NOTE_LONGEST: Final = 2_000
MOST_NOTES: Final = 100
LONGEST_SNOOZE: Final = timedelta(days=7)
SAME_SNOOZE: Final = timedelta(minutes=1)  # a second click differs by less than this
Kind = IncidentEvent.Kind


def acknowledge_incident(
    incident: Incident, *, actor: "User", at: datetime | None = None
) -> Incident:
    """Make `actor` the incident's owner unless it has one. A second click changes nothing."""
    now = at or timezone.now()
    with transaction.atomic():
        noted = Incident.objects.filter(pk=incident.pk, until=None, acknowledged_at=None).update(
            acknowledged_by=actor, acknowledged_name=actor.display_name, acknowledged_at=now
        )
        if noted:
            after = {"type": incident.type, "object": incident.object}
            act_of(actor, "operations.acknowledge").write(incident, None, after)
            add_event(incident, Kind.ACKNOWLEDGED, who=actor, at=now)
            touch(incident)
    incident.refresh_from_db()
    return incident


def acknowledge_incidents(group: Iterable[Incident], *, actor: "User") -> None:
    """Make `actor` the owner of all incidents of a cause, at the same time."""
    now = timezone.now()
    for incident in group:
        acknowledge_incident(incident, actor=actor, at=now)


def assign_incidents(incidents: Iterable[Incident], *, owner: "User", actor: "User") -> int:
    """Make `owner` the owner of open incidents. Return how many incidents changed their owner.

    owner: one of `selectors.possible_owners`.
    """
    now = timezone.now()
    return sum(_assign(incident, owner, actor, now) for incident in incidents)


def _assign(incident: Incident, owner: "User", actor: "User", now: datetime) -> bool:
    rows = Incident.objects.filter(pk=incident.pk, until=None).exclude(acknowledged_by=owner)
    with transaction.atomic():
        if not rows.update(
            acknowledged_by=owner, acknowledged_name=owner.display_name, acknowledged_at=now
        ):
            return False
        before, after = {"owner": incident.acknowledged_name}, {"owner": owner.display_name}
        act_of(actor, "operations.assign").write(incident, before, after)
        add_event(incident, Kind.ASSIGNED, who=actor, at=now, text=owner.display_name)
        touch(incident)
    return True


def resolve_incident(incident: Incident, *, actor: "User", reason: str) -> bool:
    """Close an incident that no check closes. Return whether it was open.

    Raise ValidationError if the reason is missing, or if a check closes incidents of this type and
    would open it again.
    """
    if not incident.ends_by_hand:
        raise ValidationError(_("This incident closes when its cause is gone."))
    reason = _text_of(reason, REASON_LONGEST, _("Enter a reason of 1 to %s characters."))
    with transaction.atomic():
        if not end_incident(incident):
            return False
        after = {"type": incident.type, "object": incident.object}
        act_of(actor, "operations.resolve", reason).write(incident, None, after)
        add_event(incident, Kind.RESOLVED, who=actor, at=incident.until, text=reason)
    return True


def snooze_incidents(
    incidents: Iterable[Incident], *, actor: "User", until: datetime, reason: str
) -> int:
    """Snooze open incidents until a time, and their alerts with them. Return how many.

    An incident that has ended or changed its severity since it was read is left as it is. Raise
    ValidationError if the reason is missing, or if the time is past or more than LONGEST_SNOOZE
    ahead.
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
        act_of(actor, "operations.snooze", reason).write(incident, None, {"until": until})
        add_event(incident, Kind.SNOOZED, who=actor, at=now, text=reason, until=until)
        touch(incident)
    return True


def resume_incidents(incidents: Iterable[Incident], *, actor: "User") -> int:
    """End the snooze of open incidents. Return how many were snoozed."""
    now = timezone.now()
    return sum(_resume(incident, actor, now) for incident in incidents)


def _resume(incident: Incident, actor: "User", now: datetime) -> bool:
    rows = Incident.objects.filter(pk=incident.pk, until=None, snoozed_until__gt=now)
    with transaction.atomic():
        if not rows.update(snoozed_until=None):
            return False
        act_of(actor, "operations.snooze_end").write(incident, {"until": incident.snoozed_until})
        add_event(incident, Kind.RESUMED, who=actor, at=now)
        touch(incident)
    return True


def add_incident_note(incident: Incident, text: str, *, actor: "User") -> IncidentEvent:
    """Add a note for other users. Incidents that have ended accept notes, too.

    Raise ValidationError if the text is empty or longer than NOTE_LONGEST characters, or if the
    incident has MOST_NOTES notes.
    """
    text = _text_of(
        text.replace("\r\n", "\n"), NOTE_LONGEST, _("Enter a note of 1 to %s characters.")
    )
    with transaction.atomic():
        Incident.objects.select_for_update(of=("self",)).get(pk=incident.pk)
        if incident.events.filter(kind=Kind.NOTE).count() >= MOST_NOTES:
            raise ValidationError(_("There are already %s notes.") % MOST_NOTES)
        note = add_event(incident, Kind.NOTE, who=actor, text=text)
        act_of(actor, "operations.incident_note").write(incident, None, {"note": text})
        touch(incident)
    return note


def _text_of(given: str, longest: int, refusal: str) -> str:
    text = given.replace("\x00", "").strip()
    if not text or len(text) > longest:
        raise ValidationError(refusal % longest)
    return text
