"""Why nobody serves, as the interface tells it."""

from typing import Any

from poolsite.api.root import ProblemError
from queueing.line.models import Desk
from queueing.line.selectors import why


def why_as_data(desk: Desk, visit: str, *, first: int = 0) -> dict[str, Any]:
    """Agent by agent, `first` before all. ProblemError unknown-visit: it is not at the desk now."""
    found = why.why_nobody(desk, visit, first=first)
    if found is None:
        raise ProblemError("unknown-visit")
    return {
        "visit": visit,
        "state": found.state,
        "mode": found.mode,
        "agents": [
            {
                "agent": row.agent,
                "name": row.name,
                "reason": row.code,
                "params": dict(row.params),
                "words": row.words,
            }
            for row in found.reasons
        ],
    }
