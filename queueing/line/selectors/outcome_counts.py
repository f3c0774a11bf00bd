"""Report data: outcomes of visits, and offers that agents missed."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Count, Expression, F, QuerySet, Sum

from queueing.line.definitions import SERVED
from queueing.line.models import Agent, AgentShift, Desk, OutcomeCode, Visit


def outcome_counts(visits: "QuerySet[Visit]", key: Expression | F) -> dict[Any, dict[str, int]]:
    """Return for each key how many of these served visits have which outcome, by its name."""
    rows = (
        visits.filter(SERVED, outcome_code__isnull=False)
        .annotate(key=key)
        .values_list("key", "outcome_code__name")
        .order_by()
        .annotate(n=Count("pk"))
    )
    found: dict[Any, dict[str, int]] = {}
    for row_key, name, number in rows:
        found.setdefault(row_key, {})[name] = number
    return found


def missed_by_agent(agents: Iterable[Agent], since: datetime, until: datetime) -> dict[int, int]:
    """Return the missed and declined offers by agent, in shifts that began in this span."""
    shifts = AgentShift.objects.filter(agent__in=agents, began_at__gte=since, began_at__lt=until)
    rows = shifts.values_list("agent").order_by().annotate(n=Sum("missed"))
    return {agent: number or 0 for agent, number in rows}


def outcomes_of(desk: Desk, counted: Mapping[str, int]) -> list[OutcomeCode]:
    """Return the desk's outcomes in order. Removed ones are included if they were counted."""
    codes = desk.outcome_codes.all()
    return [code for code in codes if code.archived_at is None or code.name in counted]
