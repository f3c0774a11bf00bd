"""A desk's history as the drain would have written it: visits, rooms, shifts at chosen moments."""

from datetime import datetime, timedelta

from django.utils import timezone

from queueing.line.models import Agent, AgentShift, Queue, Rating, Room, Visit
from tests.line.line_world import LineWorld

_COUNT = iter(range(1, 10**6))


def today(line: LineWorld) -> datetime:
    """Return a past moment of today: at the desk it is about noon."""
    now = timezone.now()
    line.account.zone = f"Etc/GMT{now.hour - 12:+d}"
    line.account.save()
    line.desk.refresh_from_db()
    return now - timedelta(minutes=10)


def past_visit(
    queue: Queue,
    joined: datetime,
    *,
    wait: float = 10,
    agent: Agent | None = None,
    room: float | None = 60,
    stars: int | None = None,
    name: str = "",
    contact: str = "",
) -> Visit:
    """Write a visit that joined then. Without an agent it gave up after `wait` seconds.

    room: seconds in the room; None if it is still running.
    """
    matched = joined + timedelta(seconds=wait)
    ended = matched if agent is None else matched + timedelta(seconds=room) if room else None
    visit = Visit.objects.create(
        public_id=f"past{next(_COUNT):08}",
        desk=queue.desk,
        queue=queue,
        name=name,
        contact=contact,
        joined_at=joined,
        matched_at=matched if agent is not None else None,
        agent=agent,
        ended_at=ended,
        outcome="" if ended is None else "served" if agent is not None else "left",
    )
    if agent is not None:
        Room.objects.create(visit=visit, queue=queue, agent=agent, began_at=matched, ended_at=ended)
    if stars is not None:
        Rating.objects.create(visit=visit, stars=stars, comment="well")
    return visit


def past_shift(
    agent: Agent, began: datetime, ended: datetime | None, *pauses: tuple[datetime, datetime]
) -> AgentShift:
    """Write a shift with its pauses."""
    return AgentShift.objects.create(
        agent=agent,
        began_at=began,
        ended_at=ended,
        pauses=[
            {"reason": "lunch", "from": since.isoformat(), "until": until.isoformat()}
            for since, until in pauses
        ],
    )
