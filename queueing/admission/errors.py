"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping
from typing import Any

from poolsite.api import problems

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-gate": (404, "There is no such gate"),
    "unknown-device": (404, "There is no such device"),
    "unknown-permit": (404, "There is no such permit"),
    "unknown-batch": (404, "There is no such batch"),
    "not-held": (409, "The permit is not held"),
    "bad-rows": (422, "Rows of the file cannot be taken"),
    "gate-refused": (409, "The gate's state does not allow this"),
    "gate-recovering": (409, "The gate is recovering"),
}


class AdmissionError(Exception):
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
