"""Whether the other instances can carry the load while an instance is away."""

from collections.abc import Iterable, Sequence

from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import LinkState, ManualState


def backs(rows: Iterable[commands.PeerRow]) -> list[commands.PeerRow]:
    """Return the instances among a group's peers that have not stopped, by name."""
    found = (row for row in rows if not row.is_front and row.state != LinkState.STOP)
    return sorted(found, key=lambda row: row.name)


def lacking(rows: Sequence[commands.PeerRow], without: str) -> int:
    """Return how many sessions would have no room without this instance, or 0 if it can go.

    The room is what the instances can hold that are active, open, not ejected and not draining for
    an upgrade. The sessions are all that run now, including those of the instance, because each
    session that ends on it is replaced by a new one on the others.
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
