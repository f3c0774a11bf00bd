"""What can go wrong for a client."""

from collections.abc import Mapping
from typing import Any


class PoolsiteError(Exception):
    """The base of them all."""


class UnreachableError(PoolsiteError):
    """No usable answer after every retry: what was asked may have been done."""


class RejectedError(PoolsiteError):
    """The server will not do this: a bad token, no free number, a balance that is too low, …

    `status` is the HTTP status, `kind` the problem type (`unauthenticated`, `exhausted`, …),
    `body` the whole problem document, with what else it says.
    """

    def __init__(
        self, status: int, kind: str, detail: str, body: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(f"{status} {kind}: {detail}")
        self.status = status
        self.kind = kind
        self.detail = detail
        self.body = body or {}


class Refused(PoolsiteError):  # noqa: N818  the gate's own word for it
    """There was no slot: `reason` is full, turn, rate, paused or recovering.

    retry_after: seconds until asking again is of use. place: in the line, from 1; None: unknown.
    """

    def __init__(
        self, reason: str, retry_after: float, place: int | None, estimate_seconds: int | None
    ) -> None:
        super().__init__(f"{reason}; again in {retry_after:g} s")
        self.reason = reason
        self.retry_after = retry_after
        self.place = place
        self.estimate_seconds = estimate_seconds


class PermitLost(PoolsiteError):  # noqa: N818  what has happened, not a fault
    """The deadline has passed, or the gate says that the permit is not held: stop the work."""


class TaskFailed(PoolsiteError):  # noqa: N818  a handler's own word
    """Raised by a handler: the task failed for good; `data` is told to the gate as JSON."""

    def __init__(self, data: object = None) -> None:
        super().__init__(repr(data))
        self.data = data
