"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping
from typing import Any

from poolsite.api import problems

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-queue": (404, "There is no such queue"),
    "unknown-visit": (404, "There is no such visit"),
    "unknown-agent": (404, "There is no such agent"),
    "queue-closed": (409, "The queue is closed"),
    "queue-full": (409, "The queue is full"),
    "no-agent": (409, "Nobody is there to serve"),
    "visitor-blocked": (403, "Visits from here are refused"),
    "not-yours": (409, "The room is another agent's"),
    "offer-over": (409, "The offer is over"),
    "no-room": (409, "The agent has no free room"),
    "visit-ended": (409, "The visit has ended"),
}


class LineError(Exception):
    """A use case that was refused; nothing was changed. `detail`: one sentence for a person."""

    def __init__(self, kind: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.more = more


def declare_problems() -> None:
    """Called once, by AppConfig.ready()."""
    for kind, (status, title) in PROBLEMS.items():
        problems.declare(kind, status, title)
