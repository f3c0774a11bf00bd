"""How far visitor and agent have read, from SQL."""

from typing import Any

from queueing.line.models import ReadReceipt


def receipts_of(visit: str) -> dict[str, Any]:
    """side → {"number", "at"}, by the visit's public id; a side that has read nothing is absent."""
    rows = ReadReceipt.objects.filter(visit__public_id=visit)
    return {row.side: {"number": row.number, "at": row.at.isoformat()} for row in rows}
