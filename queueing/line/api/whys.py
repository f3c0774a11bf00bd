"""Why no one serves a visitor, in the form of the API."""

from typing import Any

from poolsite.api.root import ProblemError
from queueing.line.models import Desk
from queueing.line.selectors import why


def why_as_data(desk: Desk, visit: str, *, first: int = 0) -> dict[str, Any]:
    """Return the reasons, agent by agent, `first` at the top.

    Raise ProblemError unknown-visit if the visit is not at the desk now.
    """
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
