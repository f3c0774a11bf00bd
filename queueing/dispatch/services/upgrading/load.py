"""Whether the other instances can carry what runs while one of them is away."""

from collections.abc import Iterable, Sequence

from queueing.dispatch import dispatcher as door
from queueing.dispatch.models import LinkState, ManualState


def backs(rows: Iterable[door.PeerRow]) -> list[door.PeerRow]:
    """The instances among a group's peers that have not stopped, by name."""
    found = (row for row in rows if not row.is_front and row.state != LinkState.STOP)
    return sorted(found, key=lambda row: row.name)


def lacking(rows: Sequence[door.PeerRow], without: str) -> int:
    """Sessions for which there would be no room if that instance took none; 0 = it can go.

    Room: what instances that are active, open, not ejected and in no upgrade's drain can hold at
    once.
    Sessions: all that run now, those of the instance that goes too, because as many new ones
    as end there come to the others.
    """
    room = sum(
        row.capacity
        for row in rows
        if row.name != without
        and row.state == LinkState.ACTIVE
        and row.manual == ManualState.OPEN
        and not row.upgrading
        and row.ejected_until_us is None
    )
    return max(0, sum(row.sessions for row in rows) + 1 - room)
