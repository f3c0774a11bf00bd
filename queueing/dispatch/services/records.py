"""History entries become rows of the event log."""

import logging
from collections.abc import Sequence

from poolsite.history import Entry
from poolsite.history.services import insert_rows
from queueing.dispatch import dispatcher as door
from queueing.dispatch.models import DispatchEvent

logger = logging.getLogger(__name__)


def write_entries(group_id: int, generation: int, entries: Sequence[Entry]) -> None:
    """One page of a group's history, inside the drain's transaction."""
    insert_rows([_row(group_id, generation, entry) for entry in entries])


def _row(group_id: int, generation: int, entry: Entry) -> DispatchEvent:
    base = {
        "aggregate_id": group_id,
        "generation": generation,
        "seq": entry.seq,
        "at_us": entry.at_us,
    }
    try:
        change = door.read_change(entry.fields, entry.at_us)
    except (KeyError, ValueError):
        logger.warning("dispatch: entry %s was written by a strange hand", entry.seq)
        return DispatchEvent(event="unreadable", data=str(dict(entry.fields))[:1_000], **base)
    return DispatchEvent(
        event=change.event[:24],
        peer=change.peer[:42],
        name=change.name[:40],
        other=change.other[:80],
        count=change.count,
        reason=change.reason[:200],
        data=change.data,
        **base,
    )
