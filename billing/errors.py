"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping
from typing import Any

from poolsite.api import problems

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-account": (404, "There is no such account"),
    "unknown-message": (404, "There is no such message"),
    "insufficient-balance": (402, "The balance is insufficient"),
    "account-frozen": (409, "The account is frozen"),
    "account-closed": (409, "The account is closed"),
    "daily-limit": (409, "The account's daily limit is reached"),
    "too-late": (409, "The message was sent or ended before"),
    "cancelled": (409, "The message was cancelled"),
    "refused": (409, "The state does not allow this"),
    "other-body": (422, "The id was used for another message"),
    "no-tariff": (422, "No tariff is valid now"),
    "backlog-full": (503, "Too much waits to be written"),
    "safe-mode": (503, "The account is being recovered"),
}


class BillingError(Exception):
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
