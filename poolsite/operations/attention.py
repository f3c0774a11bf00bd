"""What needs attention: open incidents and the platform's current health, grouped by cause.

The overview, the incidents page, the sidebar's badges and their live topic all use this module.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DatabaseError
from django.db.models import Max
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.operations import health
from poolsite.operations.models import Incident
from poolsite.operations.registry import CHECKS

MOST_ROWS = 200  # the worst ones; the incidents page has the rest
MOST_NAMED = 8  # per cause
HEALTH_TYPES = "health."
FINDERS = ("workers", "beat", "timers", "redis")  # without these, an app's problems aren't found


@dataclass(frozen=True)
class Cause:
    """Open incidents of one type, the worst and oldest first. Pages show them as one row."""

    incidents: list[Incident]

    @property
    def worst(self) -> Incident:
        """The worst incident. It gives the row its title, severity and next step."""
        return self.incidents[0]

    @property
    def title(self) -> str:
        """The title of the worst incident, and how many similar ones there are."""
        if not self.others:
            return self.worst.title
        more = {"title": self.worst.title, "count": len(self.others)}
        return _("%(title)s, and %(count)s similar") % more

    @property
    def others(self) -> list[Incident]:
        """All incidents but the worst."""
        return self.incidents[1:]

    @property
    def named(self) -> list[Incident]:
        """The other incidents that the row names."""
        return self.others[:MOST_NAMED]

    @property
    def unnamed(self) -> int:
        """How many of the other incidents the row doesn't name."""
        return len(self.others) - len(self.named)

    @property
    def since(self) -> datetime:
        """When the first incident began."""
        return min(incident.since for incident in self.incidents)

    @property
    def acknowledged_by(self) -> str:
        """Who acknowledged the incidents, or "" if one of them has no owner yet."""
        names = [incident.acknowledged_name for incident in self.incidents]
        return names[0] if all(names) else ""

    @property
    def snoozed_until(self) -> datetime | None:
        """When the snooze ends, or None if any of the incidents is not snoozed.

        So the snooze ends immediately when another incident of this type is found.
        """
        now = timezone.now()
        ends = [row.snoozed_until for row in self.incidents if row.snoozed_until]
        whole = len(ends) == len(self.incidents)
        return min(ends) if whole and min(ends) > now else None

    @property
    def last_event(self) -> int:
        """The ID of the newest timeline entry, which grows, so that pages notice new entries."""
        return max(getattr(row, "last_event", None) or 0 for row in self.incidents)

    @property
    def key(self) -> int | None:
        """The ID of the worst incident that has a row in SQL, whose page is shown for the cause.

        None if no incident has a row yet.
        """
        return next((row.pk for row in self.incidents if row.pk), None)

    @property
    def to_acknowledge(self) -> int | None:
        """The ID of an incident without an owner. None if there is none or it isn't in SQL yet."""
        return next(
            (row.pk for row in self.incidents if row.pk and not row.acknowledged_name), None
        )


def causes(account_id: int | None) -> list[Cause]:
    """Return the causes for an account or, with None, for the whole platform.

    Critical causes come first, then the oldest. The platform's health needs no SQL: if SQL is down,
    the causes are those that health reports.
    """
    if account_id is not None:
        return by_cause(_open().filter(account_id=account_id)[:MOST_ROWS])
    judged = health.read()
    try:
        rows = [] if judged.of("sql").trouble else list(_open()[:MOST_ROWS])
    except DatabaseError:
        rows = []
    return by_cause(with_health(rows, judged))


def _open() -> Any:
    rows = Incident.objects.filter(until=None).order_by("severity", "since")
    return rows.annotate(last_event=Max("events__pk"))


def is_of_health(incident: Incident) -> bool:
    """Return whether the platform's health opens and closes the incident."""
    key = (incident.type, incident.object)
    return incident.type.startswith(HEALTH_TYPES) or key in {c.key for c in CHECKS.values()}


def with_health(rows: Iterable[Incident], judged: health.Health) -> list[Incident]:
    """Merge the incidents of the platform's health into the rows: critical first, then oldest.

    An incident of health that has no row yet is included, unsaved. A row of health that is over is
    left out.
    """
    kept = {(row.type, row.object): row for row in rows}
    found = [row for row in kept.values() if not is_of_health(row)]
    for now in judged.incidents():
        row = kept.get((now.type, now.object))
        if row is not None:
            now.pk, now.since = row.pk, row.since
            now.acknowledged_name = row.acknowledged_name
            vars(now)["last_event"] = getattr(row, "last_event", None)
            if now.severity >= row.severity:  # "critical" < "warning": worse ends the snooze
                now.snoozed_until, now.snoozed_name = row.snoozed_until, row.snoozed_name
                now.snooze_reason = row.snooze_reason
        found.append(now)
    return sorted(found, key=lambda row: (row.severity, row.since))


def by_cause(incidents: Iterable[Incident]) -> list[Cause]:
    """Group incidents by type, in the order in which each type first appears."""
    groups: dict[str, list[Incident]] = {}
    for incident in incidents:
        groups.setdefault(incident.type, []).append(incident)
    return [Cause(rows) for rows in groups.values()]


@dataclass(frozen=True)
class Attention:
    """The causes as pages show them: the active ones and the snoozed ones.

    silent: whether the checks that find problems are down, so an empty list proves nothing.
    """

    causes: list[Cause]
    snoozed: list[Cause]
    silent: bool

    @property
    def critical(self) -> int:
        """How many causes are critical."""
        return sum(cause.worst.severity == Incident.Severity.CRITICAL for cause in self.causes)

    @property
    def warnings(self) -> int:
        """How many causes are warnings."""
        return len(self.causes) - self.critical

    @property
    def problems(self) -> int:
        """How many incidents the active causes have."""
        return sum(len(cause.incidents) for cause in self.causes)

    @property
    def primary(self) -> Cause | None:
        """The worst cause without an owner. Its next step is shown first."""
        return next((cause for cause in self.causes if not cause.acknowledged_by), None)


def sorted_out(found: list[Cause], *, account: bool) -> Attention:
    """Split the causes into active and snoozed ones, as pages show them.

    account: whether they are an account's causes. Only workers find those, so pages must warn if
    the workers are down; the platform's own causes report that anyway.
    """
    snoozed = [cause for cause in found if cause.snoozed_until]
    snoozed.sort(key=lambda cause: cause.snoozed_until or timezone.now())
    shown = [cause for cause in found if not cause.snoozed_until]
    return Attention(shown, snoozed, account and health.in_trouble(*FINDERS))


def as_live(found: Attention) -> dict[str, Any]:
    """Return the causes for browsers, in the active language, each with its rendered row."""
    return {
        "causes": [_live(cause, first=cause is found.primary) for cause in found.causes],
        "snoozed": [_live(cause) for cause in found.snoozed],
        "problems": found.problems,
        "silent": found.silent,
        "critical": found.critical,
        "warnings": found.warnings,
    }


def _live(cause: Cause, *, first: bool = False) -> dict[str, Any]:
    return {
        "type": cause.worst.type,
        "severity": cause.worst.severity,
        "title": cause.title,
        "count": len(cause.incidents),
        "last_event": cause.last_event,
        "back_at": cause.snoozed_until.isoformat() if cause.snoozed_until else "",
        "html": render_to_string("operations/attention_row.html", {"cause": cause, "first": first}),
    }
