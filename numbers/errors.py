"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

# type → (status, title, when it is answered).
PROBLEMS: Mapping[str, tuple[int, str, str]] = {
    "unknown-pool": (
        *(404, "Pool not found"),
        "The pool doesn't exist, or the token has no access to it.",
    ),
    "unknown-number": (404, "Number not found", "The number isn't in this pool."),
    "unknown-call": (404, "Call not found", "No call with this ID is in progress in this pool."),
    "exhausted": (409, "No number is free", "Every number is in a call, resting or offline."),
    "paused": (409, "The pool is paused", "An operator paused the pool."),
    "recovering": (
        *(409, "The pool is recovering"),
        "The pool opens when its switches have reported their calls.",
    ),
    "stale-incarnation": (
        *(409, "The switch has restarted"),
        "The event has an earlier boot ID of this switch.",
    ),
    "conflict": (
        *(409, "The call ID is used for another number"),
        "The call ID is used for another number.",
    ),
    "not-allowed": (
        *(409, "The number's state does not allow this"),
        "The number's state doesn't allow this. `reason` says why.",
    ),
    "payment-required": (
        *(402, "The call was not paid for"),
        "The pool charges for calls, and no account pays for this one.",
    ),
}

# What an operation of the API answers of these, and of the other apps' types.
OPERATIONS: Mapping[str, str] = {
    "GET pools/{slug}": "unknown-pool",
    "GET pools/{slug}/numbers/{number}": "unknown-pool unknown-number",
    "POST pools/{slug}/events": (
        "unknown-pool unknown-number unknown-call exhausted paused recovering "
        "stale-incarnation conflict not-allowed payment-required insufficient-balance "
        "account-frozen account-closed daily-limit no-tariff backlog-full safe-mode"
    ),
    "POST pools/{slug}/live": "unknown-pool stale-incarnation not-allowed",
    "GET pools/{slug}/health": "unknown-pool",
    "GET pools/{slug}/health/numbers": "unknown-pool",
    "GET pools/{slug}/health/rules": "unknown-pool",
    "POST pools/{slug}/spam-labels": "unknown-pool",
    "GET pools/{slug}/switches": "unknown-pool",
    "POST pools/{slug}/switches": "unknown-pool",
    "PATCH pools/{slug}/switches/{name}": "unknown-pool not-found",
}


class NumbersError(RefusedError):
    """A use case of numbers and pools that was refused; nothing was changed."""
