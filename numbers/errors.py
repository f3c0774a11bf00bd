"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping
from typing import Any

from poolsite.api import problems

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


class NumbersError(Exception):
    """A use case that was refused; nothing was changed.

    `kind` is a problem type, `detail` one sentence for a person.
    """

    def __init__(self, kind: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.more = more


def declare_problems() -> None:
    """Called once, by AppConfig.ready()."""
    for kind, (status, title) in PROBLEMS.items():
        problems.declare(kind, status, title)
