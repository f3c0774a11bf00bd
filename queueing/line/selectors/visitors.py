"""A visitor's earlier visits at the same desk, found by the visitor's own key or by contact.

Never by name or network address. A key belongs to a browser (or a program); a contact is what
someone entered. So each row states by which of the two it was found.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import Avg, Count, QuerySet

from queueing.line.models import Agent, Message, Visit

VISITS_LIMIT = 50  # per page
KNOWN_LIMIT = 500  # visits that are considered, newest first
NOTES_LIMIT = 20


def earlier_visits(visit: Visit) -> "QuerySet[Visit]":
    """Return the visitor's ended visits at the desk before this one, newest first.

    An erased visit is not found and finds none.
    """
    keys: set[int] = set()  # a query per index: SQLite reads the whole desk for an OR
    ways = {"visitor_key": visit.visitor_key, "contact": visit.contact}
    for name, value in ways.items():
        if value:
            known = Visit.objects.filter(**{name: value}).order_by("-joined_at")
            keys.update(known.values_list("pk", flat=True)[:KNOWN_LIMIT])
    rows = Visit.objects.filter(pk__in=keys, desk=visit.desk_id, joined_at__lt=visit.joined_at)
    return rows.filter(ended_at__isnull=False, erased_at=None).order_by("-joined_at", "-pk")


def is_earlier_visit(desk: str, public_id: str, later: Collection[str]) -> bool:
    """Whether it is an earlier visit of the visitor of one of these visits, all at this desk."""
    rows = Visit.objects.filter(desk__slug=desk, public_id__in=later)
    return any(earlier_visits(row).filter(public_id=public_id).exists() for row in rows)


def history_out(visit: Visit, reader: Agent, before: datetime | None = None) -> dict[str, Any]:
    """Return a visitor's history for the agent who has the visitor now.

    before: the next page starts below this arrival. The total and the mean rating cover all visits.
    """
    rows = earlier_visits(visit)
    figures = rows.order_by().aggregate(total=Count("pk"), stars=Avg("rating__stars"))
    shown = rows.filter(joined_at__lt=before) if before else rows
    page = list(
        shown.select_related("queue", "agent", "outcome_code", "rating")[: VISITS_LIMIT + 1]
    )
    more = len(page) > VISITS_LIMIT
    stars = figures["stars"]
    return {
        "visit": visit.public_id,
        "total": figures["total"],
        "stars": round(float(stars), 1) if stars is not None else None,
        "visits": [_visit_out(row, visit, reader) for row in page[:VISITS_LIMIT]],
        "before": page[VISITS_LIMIT - 1].joined_at.isoformat() if more else None,
        "notes": _notes(rows),
    }


def _visit_out(row: Visit, now: Visit, reader: Agent) -> dict[str, Any]:
    seconds = None
    if row.matched_at is not None and row.ended_at is not None:
        seconds = round((row.ended_at - row.matched_at).total_seconds())
    code, rating = row.outcome_code, getattr(row, "rating", None)
    return {
        "visit": row.public_id,
        "at": row.joined_at.isoformat(),
        "name": row.name,
        "topic": row.topic,
        "queue": row.queue.name,
        "agent": row.agent.name if row.agent is not None else None,
        "mine": row.agent_id == reader.pk,
        "seconds": seconds,
        "ended": str(row.get_outcome_display()),
        "outcome": code.name if code is not None else "",
        "tone": code.tone if code is not None else "",
        "stars": rating.stars if rating is not None else None,
        "by": "key" if row.visitor_key and row.visitor_key == now.visitor_key else "contact",
    }


def _notes(rows: "QuerySet[Visit]") -> list[dict[str, Any]]:
    """Return agents' notes from the latest of these visits, newest first."""
    recent = rows.values_list("pk", flat=True)[:VISITS_LIMIT]
    notes = Message.objects.filter(visit__in=list(recent), author=Message.Author.NOTE)
    return [
        {
            "text": each.text,
            "agent": each.agent.name if each.agent is not None else "",
            "at": each.at.isoformat(),
        }
        for each in notes.select_related("agent").order_by("-at", "-pk")[:NOTES_LIMIT]
    ]
