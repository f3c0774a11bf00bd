"""The permits and the waiting line, as pages and their live topics show them."""

from typing import Any

from poolsite import hotpath
from poolsite.console.tables import PAGE_ROWS
from queueing.admission import gate as commands

SHOWN = PAGE_ROWS  # rows per table; the list of holders has all permits


def holder_rows(found: commands.Holders) -> dict[str, dict[str, Any]]:
    """Return permits by holder: token, deadline_us, granted_us, task, weight, device."""
    return {
        row.holder: {
            "token": row.token,
            "deadline_us": row.deadline_us,
            "granted_us": row.granted_us,
            "task": row.task,
            "weight": row.weight,
            "device": row.holder[1:] if row.holder.startswith("@") else "",
        }
        for row in found.rows
    }


def line_rows(found: commands.WaitingLine) -> dict[str, dict[str, Any]]:
    """Return the waiting requesters by name: arrived_us, asked_us, weight.

    Their places follow from the order of arrival. As a field, the place of every row would change
    with every slot.
    """
    return {
        row.who: {"arrived_us": row.arrived_us, "asked_us": row.asked_us, "weight": row.weight}
        for row in found.rows
    }


def first_snapshots(slug: str) -> dict[str, Any]:
    """Return the first state of both live topics of a gate, or {} if Redis doesn't answer."""
    try:
        holders, line = hotpath.run_batch(
            [commands.holders(slug, 0, SHOWN), commands.line(slug, 0, SHOWN)]
        )
    except hotpath.HotPathError:
        return {}
    if not isinstance(holders, commands.Holders) or not isinstance(line, commands.WaitingLine):
        return {}
    return {
        f"admission.holders:{slug}": {"rows": holder_rows(holders)},
        f"admission.line:{slug}": {"rows": line_rows(line)},
    }
