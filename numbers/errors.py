"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-pool": (404, "There is no such pool"),
    "unknown-number": (404, "There is no such number"),
    "unknown-call": (404, "There is no such call"),
    "exhausted": (409, "No number is free"),
    "paused": (409, "The pool is paused"),
    "recovering": (409, "The pool is recovering"),
    "stale-incarnation": (409, "The switch has restarted since"),
    "conflict": (409, "The call id is used for another number"),
    "not-allowed": (409, "The number's state does not allow this"),
    "payment-required": (402, "The call is not paid"),
}


class NumbersError(RefusedError):
    """A use case of numbers and pools that was refused; nothing was changed."""
