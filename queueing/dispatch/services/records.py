"""Turns history entries into rows of the event log."""

import logging
from collections.abc import Sequence
from typing import Any

from poolsite.history import StreamEntry
from poolsite.history.services import insert_rows
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import DispatchEvent

logger = logging.getLogger(__name__)


def write_entries(group_id: int, generation: int, entries: Sequence[StreamEntry]) -> None:
    """Write a page of a group's history, inside the drain's transaction."""
    insert_rows(DispatchEvent, group_id, generation, [(entry, _row(entry)) for entry in entries])


def _row(entry: StreamEntry) -> dict[str, Any]:
    try:
        change = commands.read_change(entry.fields, entry.at_us)
    except (KeyError, ValueError):
        logger.warning("dispatch: entry %s was written by a strange hand", entry.seq)
        return {"event": "unreadable", "data": str(dict(entry.fields))[:1_000]}
    return {
        "event": change.event[:24],
        "peer": change.peer[:42],
        "name": change.name[:40],
        "other": change.other[:80],
        "count": change.count,
        "reason": change.reason[:200],
        "data": change.data,
    }
