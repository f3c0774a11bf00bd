"""The errors of the clients."""

from collections.abc import Mapping
from typing import Any


class PoolsiteError(Exception):
    """The base class of all errors of this package."""


class UnreachableError(PoolsiteError):
    """There was no usable answer after every retry. The request may have been carried out."""


class RejectedError(PoolsiteError):
    """The server refuses the request: a bad token, no free number, a balance that is too low, …

    `status` is the HTTP status, `kind` is the problem type (`unauthenticated`, `exhausted`, …), and
    `body` is the whole problem document with its additional fields.
    """

    def __init__(
        self, status: int, kind: str, detail: str, body: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(f"{status} {kind}: {detail}")
        self.status = status
        self.kind = kind
        self.detail = detail
        self.body = body or {}


class Refused(PoolsiteError):  # noqa: N818  the gate's own term
    """No slot was free: `reason` is full, turn, rate, paused or recovering.

    retry_after: the seconds after which another request is useful. place: the place in line,
    counted from 1, or None if it is unknown.
    """

    def __init__(
        self, reason: str, retry_after: float, place: int | None, estimate_seconds: int | None
    ) -> None:
        super().__init__(f"{reason}; again in {retry_after:g} s")
        self.reason = reason
        self.retry_after = retry_after
        self.place = place
        self.estimate_seconds = estimate_seconds


class PermitLost(PoolsiteError):  # noqa: N818  an event, not a fault
    """The deadline has passed, or the gate reports that the permit is not held. Stop the work."""


class TaskFailed(PoolsiteError):  # noqa: N818  the handler raises it itself
    """A handler raises this if the task failed for good. `data` is sent to the gate as JSON."""

    def __init__(self, data: object = None) -> None:
        super().__init__(repr(data))
        self.data = data
