"""An incident's timeline: what checks and people did, and the alerts sent, newest first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import dates
from poolsite.access import Principal
from poolsite.console.templatetags.console import span
from poolsite.operations.models import Incident, IncidentEvent, OutgoingCall

MOST_EVENTS = 200
MOST_CALLS = 100
MOST_EARLIER = 5
Kind = IncidentEvent.Kind
DOTS = {
    Kind.WORSE: "bad",
    Kind.EASED: "warn",
    Kind.RESUMED: "warn",
    **dict.fromkeys((Kind.ACKNOWLEDGED, Kind.ASSIGNED, Kind.RESOLVED), "good"),
}
OWNED = (Kind.ACKNOWLEDGED, Kind.ASSIGNED)


@dataclass(frozen=True)
class TimelineItem:
    """A line of the timeline, as templates/components/timeline.html shows it."""

    at: datetime
    dot: str
    title: str
    why: str = ""


def timeline(reader: Principal, group: Sequence[Incident]) -> list[TimelineItem]:
    """Return everything that happened to a cause's incidents and that the reader may see."""
    events = list(IncidentEvent.objects.filter(incident__in=group)[:MOST_EVENTS])
    found = [
        *_openings(group, events),
        *_told(group, events),
        *_over(events),
        *_sent(reader, group),
    ]
    found += [_closing(row) for row in group if row.until]
    return sorted(found, key=lambda item: item.at, reverse=True)


def earlier(incident: Incident) -> list[Incident]:
    """Return the earlier incidents of the same type and object, newest first."""
    return list(_same(incident).filter(pk__lt=incident.pk)[:MOST_EARLIER])


def again(incident: Incident) -> Incident | None:
    """Return the newest later incident of the same type and object, or None."""
    return _same(incident).filter(pk__gt=incident.pk).first()


def _same(incident: Incident) -> QuerySet[Incident]:
    same = Incident.objects.filter(type=incident.type, object=incident.object)
    return same.filter(account=incident.account_id).order_by("-pk")


def _openings(group: Sequence[Incident], events: Iterable[IncidentEvent]) -> Iterator[TimelineItem]:
    snoozes = [(each.at, each.until) for each in events if each.kind == Kind.SNOOZED]
    first = min(group, key=lambda row: row.since)
    for row in group:
        dot = "bad" if row.severity == Incident.Severity.CRITICAL else "warn"
        if row is first:
            opened_before = earlier(row)[:1]
            yield TimelineItem(
                row.since,
                dot,
                _("Opened again") if opened_before else _("Incident opened"),
                row.title,
            )
            continue
        woke = any(at < row.since < until for at, until in snoozes if until)
        why = _("One more object: the snooze ended.") if woke else ""
        yield TimelineItem(row.since, dot, _("Joined: %(title)s") % {"title": row.title}, why)


def _told(group: Sequence[Incident], events: Iterable[IncidentEvent]) -> Iterator[TimelineItem]:
    """Yield what people and checks did. An action on a whole cause is shown once."""
    titles = {row.pk: row.title for row in group}
    seen = set()
    for each in events:
        act = (each.kind, each.at, each.who) if each.who else (each.kind, each.at, str(each.pk))
        if act not in seen:
            seen.add(act)
            more = titles[each.incident_id] if len(group) > 1 and not each.who else ""
            yield TimelineItem(
                each.at, DOTS.get(Kind(each.kind), "plain"), _title(each), _why(each) or more
            )
    if any(each.kind in OWNED for each in events):
        return
    for row in group:  # acknowledged before timelines existed
        if row.acknowledged_at:
            title = _("Acknowledged by %(name)s") % {"name": row.acknowledged_name}
            yield TimelineItem(row.acknowledged_at, "good", title)
            return


def _title(event: IncidentEvent) -> str:
    titles = {
        Kind.ACKNOWLEDGED: _("Acknowledged by %(name)s"),
        Kind.ASSIGNED: _("Assigned to %(owner)s by %(name)s"),
        Kind.SNOOZED: _("Snoozed by %(name)s"),
        Kind.RESUMED: _("Snooze ended by %(name)s"),
        Kind.NOTE: _("Note by %(name)s"),
        Kind.RESOLVED: _("Resolved by %(name)s"),
    }
    said = titles.get(Kind(event.kind))
    if said is None:
        return str(event.get_kind_display())
    return said % {"name": event.who, "owner": event.text}


def _why(event: IncidentEvent) -> str:
    if event.kind in (Kind.NOTE, Kind.RESOLVED):
        return _("“%(text)s”") % {"text": event.text}
    if event.kind == Kind.SNOOZED and event.until:
        until = dates.moment(event.until)
        return _("Until %(time)s: “%(text)s”") % {"time": until, "text": event.text}
    return ""


def _over(events: Sequence[IncidentEvent]) -> Iterator[TimelineItem]:
    """Yield the ends of snoozes that ran their full time."""
    ends = [each for each in events if each.kind in (Kind.SNOOZED, Kind.RESUMED, Kind.WORSE)]
    now, seen = timezone.now(), set()
    for each in events:
        until = each.until
        if each.kind != Kind.SNOOZED or until is None or until > now or until in seen:
            continue
        seen.add(until)
        closed = each.incident.until
        early = any(each.at < other.at < until for other in ends) or (closed and closed < until)
        if not early:
            yield TimelineItem(until, "warn", _("Snooze ended"), _("The time was up."))


def _sent(reader: Principal, group: Sequence[Incident]) -> Iterator[TimelineItem]:
    """Yield the alerts. Users who aren't operators see those to their accounts' recipients."""
    calls = OutgoingCall.objects.filter(notice__incident__in=group)
    if not reader.is_operator:
        calls = calls.filter(account_id__in=reader.account_ids)
    for call in calls.order_by("-pk")[:MOST_CALLS]:
        place = {"address": call.address}
        if not call.error:
            yield TimelineItem(call.at, "plain", _("Alert sent to %(address)s") % place)
        else:
            yield TimelineItem(
                call.at, "warn", _("Alert to %(address)s failed") % place, call.error
            )


def _closing(row: Incident) -> TimelineItem:
    until = row.until or timezone.now()
    lasted = span((until - row.since).total_seconds())
    return TimelineItem(
        until, "good", _("Incident closed"), _("Open for %(time)s.") % {"time": lasted}
    )
