"""How far the visitor and the agent have read, from SQL."""

from typing import Any

from queueing.line.models import ReadReceipt


def receipts_of(visit: str) -> dict[str, Any]:
    """Return side → {"number", "at"} by the visit's public ID.

    A side that has read nothing is absent.
    """
    rows = ReadReceipt.objects.filter(visit__public_id=visit)
    return {row.side: {"number": row.number, "at": row.at.isoformat()} for row in rows}
