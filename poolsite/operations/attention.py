"""What needs attention: open incidents with the platform's health as it is now, by cause.

One source for the overview, the incidents page, the badges of the sidebar and their live topic.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DatabaseError
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from poolsite.operations import health
from poolsite.operations.models import Incident
from poolsite.operations.registry import CHECKS

MOST_ROWS = 200  # of the worst; what is beyond them is on the incidents page
MOST_NAMED = 8  # of one cause
HEALTH_TYPES = "health."


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
    return Incident.objects.filter(until=None).order_by("severity", "since")


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
        found.append(now)
    return sorted(found, key=lambda row: (row.severity, row.since))


def by_cause(incidents: Iterable[Incident]) -> list[Cause]:
    """Put incidents of one type together, in the order of the first of each."""
    groups: dict[str, list[Incident]] = {}
    for incident in incidents:
        groups.setdefault(incident.type, []).append(incident)
    return [Cause(rows) for rows in groups.values()]


def as_live(found: list[Cause]) -> dict[str, Any]:
    """The causes as browsers show them, in the active language: each with its row, drawn."""
    return {
        "causes": [
            {
                "type": cause.worst.type,
                "severity": cause.worst.severity,
                "title": cause.title,
                "count": len(cause.incidents),
                "html": render_to_string(
                    "operations/attention_row.html", {"cause": cause, "first": index == 0}
                ),
            }
            for index, cause in enumerate(found)
        ],
        **counts(found),
    }


def counts(found: list[Cause]) -> dict[str, int]:
    """How many causes are critical, how many warnings."""
    critical = sum(cause.worst.severity == Incident.Severity.CRITICAL for cause in found)
    return {"critical": critical, "warnings": len(found) - critical}
