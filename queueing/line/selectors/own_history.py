"""An agent's own past rooms: listed, searched, and read as far as the agent could read them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    Avg,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
)
from django.utils import timezone

from poolsite.console.tables import PAGE_ROWS
from poolsite.sql_functions import Elapsed
from queueing.line.models import Agent, Message, OutcomeCode, Room, Visit

DAYS = 90  # how long agents can find and read their own rooms
PERIODS = (7, 30, DAYS)
ROWS = PAGE_ROWS
SEARCH_LENGTH = 80


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """A search. `outcome`: a code's ID, 0 for none chosen; `stars`: this number or fewer."""

    days: int = 30
    search: str = ""
    outcome: int | None = None
    stars: int | None = None


def own_rooms(agent: Agent, wanted: HistoryQuery) -> "QuerySet[Room]":
    """Return the agent's ended rooms that match, newest first.

    The search covers names, topics, and messages up to the end of the room; erased visits have none
    of these. It reads the messages of the agent's own rooms in the period, through their indexes.
    """
    rows = _of_period(agent, wanted.days)
    if wanted.search:
        said = Message.objects.filter(
            visit=OuterRef("visit"), at__lte=OuterRef("ended_at"), text__icontains=wanted.search
        )
        named = Q(visit__name__icontains=wanted.search) | Q(visit__topic__icontains=wanted.search)
        rows = rows.filter(named | Exists(said))
    if wanted.outcome is not None:
        rows = rows.filter(visit__outcome_code=wanted.outcome or None)
    if wanted.stars is not None:
        rows = rows.filter(visit__rating__stars__lte=wanted.stars)
    return rows.select_related(
        "visit__queue", "visit__outcome_code", "visit__rating", "queue"
    ).order_by("-began_at", "-pk")


def _of_period(agent: Agent, days: int) -> "QuerySet[Room]":
    """Return the agent's ended rooms of the period. Uses the index on (agent, began_at)."""
    since = timezone.now() - timedelta(days=min(days, DAYS))
    return Room.objects.filter(agent=agent, began_at__gte=since, ended_at__isnull=False)


def older_rooms(rows: "QuerySet[Room]", before: str) -> "QuerySet[Room]":
    """Return the rows below a cursor of `cursor_of`. Return all rows if the cursor is invalid."""
    at_text, _, key = before.partition("~")
    try:
        at = datetime.fromisoformat(at_text)
    except ValueError:
        return rows
    if at.tzinfo is None or not (key.isascii() and key.isdecimal() and len(key) < 19):
        return rows
    return rows.filter(Q(began_at__lt=at) | Q(began_at=at, pk__lt=int(key)))


def cursor_of(room: Room) -> str:
    """Return the cursor of the page after this row."""
    return f"{room.began_at.isoformat()}~{room.pk}"


def figures(agent: Agent, days: int) -> dict[str, Any]:
    """Return the period's figures: visitors served, mean room (s), ratings and their mean.

    A rating counts for the agent of the visit's last room.
    """
    rooms = _of_period(agent, days)
    found = rooms.aggregate(
        served=Count("visit", distinct=True), mean=Avg(Elapsed("began_at", "ended_at"))
    )
    rated = Visit.objects.filter(agent=agent, pk__in=rooms.values("visit"))
    stars = rated.aggregate(n=Count("rating__stars"), mean=Avg("rating__stars"))
    mean = found["mean"]
    return {
        "served": found["served"],
        "mean_seconds": mean.total_seconds() if mean is not None else None,
        "ratings": stars["n"],
        "stars": float(stars["mean"]) if stars["mean"] is not None else None,
    }


def own_visit(agent: Agent, public_id: str) -> Visit | None:
    """Return an ended visit in which the agent had a room within DAYS, or None."""
    mine = _of_period(agent, DAYS).filter(visit=OuterRef("pk"))
    rows = Visit.objects.filter(Exists(mine), public_id=public_id, ended_at__isnull=False)
    return rows.select_related("desk__account", "queue", "agent", "outcome_code", "rating").first()


def own_messages(agent: Agent, visit: Visit) -> "QuerySet[Message]":
    """Return the messages up to the end of the agent's last room, and the agent's own notes."""
    last = Room.objects.filter(visit=visit, agent=agent).aggregate(at=Max("ended_at"))["at"]
    until = Q(at__lte=last) if last is not None else Q(pk__in=())
    return (
        Message.objects.filter(until | Q(agent=agent), visit=visit)
        .select_related("agent")
        .order_by("number")
    )


def codes_of(agent: Agent) -> list[OutcomeCode]:
    """Return the desk's outcomes to choose from."""
    codes = OutcomeCode.objects.filter(desk=agent.desk_id, archived_at=None)
    return list(codes.order_by(F("position"), "pk"))
