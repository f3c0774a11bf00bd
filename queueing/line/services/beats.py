"""Heartbeats of visitors. They also return a visit to a desk that has forgotten it."""

import re

from poolsite import hotpath
from poolsite.moments import us_of
from queueing.line import desk as commands
from queueing.line.models import Desk, Visit
from queueing.line.services import keeping
from queueing.line.tokens import LinePlace, read_place

_PUBLIC_ID = re.compile(r"^[A-Za-z0-9_-]{8,32}\Z")


def visit_beat(*, desk: Desk, visit: str, place: str = "") -> commands.Standing:
    """Record that the visitor is present (by WebSocket or poll). Return the visit's current state.

    A desk that has forgotten the visit takes it back at its original place, using the visitor's
    proof or SQL. While a desk is being rebuilt, SQL states which visits are in a room. The answer
    is `gone` if the visit does not exist or ended long ago.
    """
    if not _PUBLIC_ID.match(visit):
        return commands.Standing("gone")
    standing = hotpath.run(commands.beat(desk.slug, visit))
    keeping.heard(desk.slug)
    if standing.answer != "gone":
        return standing
    row = Visit.objects.filter(desk=desk, public_id=visit).select_related("agent").first()
    if row is not None and row.ended_at is not None:
        return commands.Standing(
            "ended", agent=None, queue=row.queue_id, priority=row.priority, word=row.outcome
        )
    if row is not None and row.agent is not None and standing.word == commands.RECOVERING:
        # The rebuild is about to load this visit into its room. Joining the line now would lose the
        # room.
        arrived_us = us_of(row.joined_at)
        return commands.Standing(
            *("room", standing.seq, 0, row.agent.user_id, row.queue_id, row.priority),
            *(arrived_us, arrived_us),
        )
    back = _place_of(desk, visit, row, place)
    if back is None:
        return standing
    command = commands.join(
        *(desk.slug, visit, back.queue),
        priority=back.priority,
        skills=row.skills if row is not None else None,
        arrived_us=back.arrived_us,
    )
    return hotpath.run(command)


def visit_beat_by_name(visit: str) -> commands.Standing:
    """Call visit_beat for a visit whose desk is unknown. Return `gone` if SQL has no such visit."""
    desk = Desk.objects.filter(visits__public_id=visit).first()
    return visit_beat(desk=desk, visit=visit) if desk is not None else commands.Standing("gone")


def _place_of(desk: Desk, visit: str, row: Visit | None, proof: str) -> LinePlace | None:
    place = read_place(proof) if proof else None
    if place is not None and (place.desk, place.visit) == (desk.slug, visit):
        return place
    if row is None:
        return None
    return LinePlace(desk.slug, visit, row.queue_id, row.priority, us_of(row.joined_at))
