"""What needs attention: open incidents with the platform's health as it is now, by cause.

One source for the overview, the incidents page, the badges of the sidebar and their live topic.
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

MOST_ROWS = 200  # of the worst; what is beyond them is on the incidents page
MOST_NAMED = 8  # of one cause
HEALTH_TYPES = "health."
FINDERS = ("workers", "beat", "timers", "redis")  # without these nothing finds an app's problems


@dataclass(frozen=True)
class Cause:
    """Open incidents of one type, the worst and oldest first: one row for who must act."""

    incidents: list[Incident]

    @property
    def worst(self) -> Incident:
        """The one that gives the row its title, its severity and its next step."""
        return self.incidents[0]

    @property
    def title(self) -> str:
        """The worst one's, and how many more there are."""
        if not self.others:
            return self.worst.title
        more = {"title": self.worst.title, "count": len(self.others)}
        return _("%(title)s, and %(count)s similar") % more

    @property
    def others(self) -> list[Incident]:
        """All but the worst."""
        return self.incidents[1:]

    @property
    def named(self) -> list[Incident]:
        """The others that are named in the row."""
        return self.others[:MOST_NAMED]

    @property
    def unnamed(self) -> int:
        """How many more there are than are named."""
        return len(self.others) - len(self.named)

    @property
    def since(self) -> datetime:
        """When the first of them began."""
        return min(incident.since for incident in self.incidents)

    @property
    def acknowledged_by(self) -> str:
        """Who knows of all of them; "" = one of them is nobody's yet."""
        names = [incident.acknowledged_name for incident in self.incidents]
        return names[0] if all(names) else ""

    @property
    def snoozed_until(self) -> datetime | None:
        """When it comes back; None = it is not snoozed, because one of them is not: a snooze ends
        at once when one more is found.
        """
        now = timezone.now()
        ends = [row.snoozed_until for row in self.incidents if row.snoozed_until]
        whole = len(ends) == len(self.incidents)
        return min(ends) if whole and min(ends) > now else None

    @property
    def last_event(self) -> int:
        """Grows with everything that is added to its timeline, so that pages hear of it."""
        return max(getattr(row, "last_event", None) or 0 for row in self.incidents)

    @property
    def key(self) -> int | None:
        """The id of the worst one that is in SQL: its page is the cause's; None = none is yet."""
        return next((row.pk for row in self.incidents if row.pk), None)

    @property
    def to_acknowledge(self) -> int | None:
        """The id of one that is nobody's yet; None = none, or it is not in SQL yet."""
        return next(
            (row.pk for row in self.incidents if row.pk and not row.acknowledged_name), None
        )


def causes(account_id: int | None) -> list[Cause]:
    """What is wrong for an account, or on the whole platform (None): critical first, then oldest.

    The platform's health needs no SQL: without it the causes are those that health knows.
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
    """Whether the platform's health opens and closes it."""
    key = (incident.type, incident.object)
    return incident.type.startswith(HEALTH_TYPES) or key in {c.key for c in CHECKS.values()}


def with_health(rows: Iterable[Incident], judged: health.Health) -> list[Incident]:
    """The rows, with those of the platform's health as it was judged, critical first, then oldest.

    One that has no row yet is among them, unsaved; one that is over is not.
    """
    kept = {(row.type, row.object): row for row in rows}
    found = [row for row in kept.values() if not is_of_health(row)]
    for now in judged.incidents():
        row = kept.get((now.type, now.object))
        if row is not None:
            now.pk, now.since = row.pk, row.since
            now.acknowledged_name = row.acknowledged_name
            vars(now)["last_event"] = getattr(row, "last_event", None)
            if now.severity >= row.severity:  # "critical" < "warning": what is worse comes back
                now.snoozed_until, now.snoozed_name = row.snoozed_until, row.snoozed_name
                now.snooze_reason = row.snooze_reason
        found.append(now)
    return sorted(found, key=lambda row: (row.severity, row.since))


def by_cause(incidents: Iterable[Incident]) -> list[Cause]:
    """Put incidents of one type together, in the order of the first of each."""
    groups: dict[str, list[Incident]] = {}
    for incident in incidents:
        groups.setdefault(incident.type, []).append(incident)
    return [Cause(rows) for rows in groups.values()]


@dataclass(frozen=True)
class Attention:
    """The causes as pages show them: those to be looked at, the snoozed ones, and what is silent.

    silent: whether the checks that find problems do not run, so that none found says nothing.
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
        """How many are warnings."""
        return len(self.causes) - self.critical

    @property
    def problems(self) -> int:
        """How many incidents those causes have."""
        return sum(len(cause.incidents) for cause in self.causes)

    @property
    def primary(self) -> Cause | None:
        """The one whose next step comes first: the worst that has no owner."""
        return next((cause for cause in self.causes if not cause.acknowledged_by), None)


def sorted_out(found: list[Cause], *, account: bool) -> Attention:
    """The causes as pages show them.

    account: they are an account's, which workers alone find; the platform's tell of dead workers.
    """
    snoozed = [cause for cause in found if cause.snoozed_until]
    snoozed.sort(key=lambda cause: cause.snoozed_until or timezone.now())
    shown = [cause for cause in found if not cause.snoozed_until]
    return Attention(shown, snoozed, account and health.in_trouble(*FINDERS))


def as_live(found: Attention) -> dict[str, Any]:
    """The causes as browsers show them, in the active language: each with its row, drawn."""
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
