"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

# type → (status, title, when it is answered).
PROBLEMS: Mapping[str, tuple[int, str, str]] = {
    "unknown-account": (
        *(404, "Account not found"),
        "The account doesn't exist, or the token has no access to it.",
    ),
    "unknown-message": (404, "Message not found", "No message has this ID."),
    "insufficient-balance": (
        *(402, "The balance is insufficient"),
        "The balance is too low. Top up, then repeat the request with the same ID.",
    ),
    "account-frozen": (
        *(409, "The account is frozen"),
        "The account is frozen. Open messages are still settled.",
    ),
    "account-closed": (
        *(409, "The account is closed"),
        "The account is closed. Open messages are still settled.",
    ),
    "daily-limit": (
        *(409, "The account's daily limit is reached"),
        "The account's daily limit is reached.",
    ),
    "too-late": (
        *(409, "The message was already sent or has ended"),
        "The message was already sent or has ended.",
    ),
    "cancelled": (409, "The message was cancelled", "The message was cancelled and can't be sent."),
    "refused": (
        *(409, "The state does not allow this"),
        "The message was released, expired or failed, and can't be sent.",
    ),
    "other-body": (
        *(422, "The ID was used for another message"),
        "The ID was used for another message, which is unchanged.",
    ),
    "no-tariff": (
        *(422, "No tariff is valid now"),
        "No tariff is valid now, or it has no price for this mode.",
    ),
    "backlog-full": (
        *(503, "The write backlog is full"),
        "Too many entries wait to be written. Repeat the request in a moment.",
    ),
    "safe-mode": (
        *(503, "The account is being recovered"),
        "The account is being recovered. Reports and refunds still work.",
    ),
}

# What an operation of the API answers of these, and of the other apps' types.
OPERATIONS: Mapping[str, str] = {
    "POST accounts/{slug}/holds": (
        "unknown-account insufficient-balance account-frozen account-closed "
        "daily-limit other-body no-tariff too-many-requests backlog-full safe-mode"
    ),
    "POST accounts/{slug}/sent": "unknown-account unknown-message cancelled refused",
    "POST accounts/{slug}/cancellations": "unknown-account unknown-message too-late",
    "POST accounts/{slug}/settlements": "unknown-account backlog-full",
    "POST accounts/{slug}/sessions": (
        "unknown-account insufficient-balance account-frozen account-closed "
        "daily-limit other-body no-tariff backlog-full safe-mode"
    ),
    "GET accounts/{slug}/balance": "unknown-account",
    "GET accounts/{slug}/messages/{message_id}": "unknown-account unknown-message",
}


class BillingError(RefusedError):
    """A use case of money that was refused; nothing was changed."""
