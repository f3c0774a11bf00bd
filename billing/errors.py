"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-account": (404, "Account not found"),
    "unknown-message": (404, "Message not found"),
    "insufficient-balance": (402, "The balance is insufficient"),
    "account-frozen": (409, "The account is frozen"),
    "account-closed": (409, "The account is closed"),
    "daily-limit": (409, "The account's daily limit is reached"),
    "too-late": (409, "The message was already sent or has ended"),
    "cancelled": (409, "The message was cancelled"),
    "refused": (409, "The state does not allow this"),
    "other-body": (422, "The ID was used for another message"),
    "no-tariff": (422, "No tariff is valid now"),
    "backlog-full": (503, "The write backlog is full"),
    "safe-mode": (503, "The account is being recovered"),
}


class BillingError(RefusedError):
    """A use case of money that was refused; nothing was changed."""
