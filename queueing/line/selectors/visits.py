"""A desk's visits as a list, with filters."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from queueing.line.models import Desk, Room, Visit


@dataclass(frozen=True, slots=True)
class WantedVisits:
    """Filters; None and "" match any visit. A visit joined at or after `since` and before `until`.

    `agent`: the user of the visit's last agent; `stars`: exactly this number.
    """

    queue: str = ""
    agent: int | None = None
    state: str = ""
    since: datetime | None = None
    until: datetime | None = None
    stars: int | None = None


def visits_of(desk: Desk, wanted: WantedVisits) -> "QuerySet[Visit]":
    """Return the desk's visits that match, with the data of a list, as far as SQL has it."""
    in_room = Room.objects.filter(visit=OuterRef("pk"), ended_at=None)
    rows = Visit.objects.filter(desk=desk).annotate(in_room=Exists(in_room))
    if wanted.queue:
        rows = rows.filter(queue__slug=wanted.queue)
    if wanted.agent is not None:
        rows = rows.filter(agent__user_id=wanted.agent)
    if wanted.since is not None:
        rows = rows.filter(joined_at__gte=wanted.since)
    if wanted.until is not None:
        rows = rows.filter(joined_at__lt=wanted.until)
    if wanted.stars is not None:
        rows = rows.filter(rating__stars=wanted.stars)
    if wanted.state == "ended":
        rows = rows.filter(ended_at__isnull=False)
    elif wanted.state:
        rows = rows.filter(ended_at=None, in_room=wanted.state == "room")
    return rows.select_related("queue", "agent", "outcome_code", "rating")
