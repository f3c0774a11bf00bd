"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-pool": (404, "Pool not found"),
    "unknown-number": (404, "Number not found"),
    "unknown-call": (404, "Call not found"),
    "exhausted": (409, "No number is free"),
    "paused": (409, "The pool is paused"),
    "recovering": (409, "The pool is recovering"),
    "stale-incarnation": (409, "The switch has restarted"),
    "conflict": (409, "The call ID is used for another number"),
    "not-allowed": (409, "The number's state does not allow this"),
    "payment-required": (402, "The call was not paid for"),
}


class NumbersError(RefusedError):
    """A use case of numbers and pools that was refused; nothing was changed."""
