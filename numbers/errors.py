"""The errors of the use cases, as the API describes them."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

# Type → (status, title, when it is returned).
PROBLEMS: Mapping[str, tuple[int, str, str]] = {
    "unknown-pool": (
        *(404, "Pool not found"),
        "The pool doesn't exist, or the token has no access to it.",
    ),
    "unknown-number": (404, "Number not found", "The number isn't in this pool."),
    "unknown-call": (404, "Call not found", "No call with this ID is in progress in this pool."),
    "unknown-import": (404, "Import not found", "The pool has no import with this ID."),
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

# Operation of the API → the types that it can return, including those of other apps.
OPERATIONS: Mapping[str, str] = {
    "GET pools/{slug}": "unknown-pool",
    "POST pools": "unknown-account",
    "PATCH pools/{slug}": "unknown-pool",
    "DELETE pools/{slug}": "unknown-pool recovering not-allowed",
    "POST pools/{slug}/pause": "unknown-pool",
    "POST pools/{slug}/resume": "unknown-pool",
    "POST pools/{slug}/open": "unknown-pool not-allowed",
    "POST pools/{slug}/reconcile": "unknown-pool recovering",
    "GET pools/{slug}/numbers": "unknown-pool",
    "POST pools/{slug}/numbers": "unknown-pool",
    "POST pools/{slug}/number-ranges": "unknown-pool",
    "POST pools/{slug}/number-changes": "unknown-pool recovering not-allowed",
    "GET pools/{slug}/numbers/{number}": "unknown-pool unknown-number",
    "PATCH pools/{slug}/numbers/{number}": "unknown-pool unknown-number",
    "DELETE pools/{slug}/numbers/{number}": "unknown-pool unknown-number",
    "POST pools/{slug}/numbers/{number}/quarantine": "unknown-pool unknown-number",
    "POST pools/{slug}/numbers/{number}/release": "unknown-pool unknown-number not-allowed",
    "POST pools/{slug}/numbers/{number}/hangup": "unknown-pool unknown-number not-allowed",
    "GET pools/{slug}/numbers/{number}/events": "unknown-pool unknown-number",
    "GET pools/{slug}/calls": "unknown-pool",
    "GET pools/{slug}/imports": "unknown-pool",
    "POST pools/{slug}/imports": "unknown-pool not-allowed",
    "GET pools/{slug}/imports/{import_id}": "unknown-pool unknown-import",
    "GET pools/{slug}/imports/{import_id}/rows": "unknown-pool unknown-import",
    "POST pools/{slug}/imports/{import_id}/confirm": "unknown-pool unknown-import not-allowed",
    "POST pools/{slug}/imports/{import_id}/undo": "unknown-pool unknown-import not-allowed",
    "POST pools/{slug}/imports/{import_id}/discard": "unknown-pool unknown-import not-allowed",
    "POST pools/{slug}/events": (
        "unknown-pool unknown-number unknown-call exhausted paused recovering "
        "stale-incarnation conflict not-allowed payment-required insufficient-balance "
        "account-frozen account-closed daily-limit no-tariff no-rate backlog-full safe-mode"
    ),
    "POST pools/{slug}/live": "unknown-pool stale-incarnation not-allowed",
    "POST numbers/twins/{number}/merge": "unknown-number recovering not-allowed",
    "POST numbers/twins/{number}/remove": "unknown-number recovering not-allowed",
    "GET pools/{slug}/health": "unknown-pool",
    "GET pools/{slug}/health/numbers": "unknown-pool",
    "GET pools/{slug}/health/rules": "unknown-pool",
    "POST pools/{slug}/health/rules": "unknown-pool",
    "PATCH pools/{slug}/health/rules/{rule_id}": "unknown-pool not-found",
    "DELETE pools/{slug}/health/rules/{rule_id}": "unknown-pool not-found",
    "GET pools/{slug}/health/actions": "unknown-pool",
    "POST pools/{slug}/health/actions/{action_id}/undo": "unknown-pool not-found not-allowed",
    "POST pools/{slug}/spam-labels": "unknown-pool",
    "GET pools/{slug}/switches": "unknown-pool",
    "POST pools/{slug}/switches": "unknown-pool",
    "PATCH pools/{slug}/switches/{name}": "unknown-pool not-found",
}


class NumbersError(RefusedError):
    """A use case of numbers or pools was refused. Nothing was changed."""
