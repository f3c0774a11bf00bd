"""Problems of the gates' API, and the error that use cases raise."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

# type → (status, title, when it is returned).
PROBLEMS: Mapping[str, tuple[int, str, str]] = {
    "unknown-gate": (
        *(404, "Gate not found"),
        "The gate doesn't exist, or the token has no access to it.",
    ),
    "unknown-device": (404, "Device not found", "The token is for other devices."),
    "unknown-permit": (404, "Permit not found", "No permit has this holder."),
    "unknown-batch": (404, "Batch not found", "The gate has no batch with this ID."),
    "not-held": (409, "The permit is not held", "The holder has no permit, or another token."),
    "bad-rows": (
        *(422, "Some rows of the file can't be used"),
        "Rows are invalid or repeated; `problems` lists the first ones. Nothing was created.",
    ),
    "gate-refused": (
        *(409, "The gate's state does not allow this"),
        "The state of the gate or batch doesn't allow this.",
    ),
    "weight-conflict": (
        *(409, "The permit has another weight"),
        "The holder has a permit of another weight. It was not changed.",
    ),
    "weight-over-limit": (
        *(409, "The weight is over the concurrency limit"),
        "The weight is greater than the gate's current concurrency limit.",
    ),
    "several-gates": (
        *(422, "One request acquires one gate"),
        "Gates are on different Redis slots, so permits of several gates can't be acquired "
        "together or not at all. Acquire them one by one, in the same order everywhere.",
    ),
    "gate-recovering": (409, "The gate is recovering", "The gate is recovering."),
}

# The problems that each operation of the API returns, including those of other apps.
OPERATIONS: Mapping[str, str] = {
    "GET gates/{slug}": "unknown-gate",
    "PATCH gates/{slug}": "unknown-gate",
    "DELETE gates/{slug}": "unknown-gate gate-refused gate-recovering",
    "GET gates/{slug}/samples": "unknown-gate",
    "POST gates/{slug}/resize": "unknown-gate gate-refused",
    "POST gates/{slug}/pin": "unknown-gate",
    "POST gates/{slug}/unpin": "unknown-gate",
    "POST gates/{slug}/pause": "unknown-gate",
    "POST gates/{slug}/resume": "unknown-gate",
    "POST gates/{slug}/open": "unknown-gate gate-refused",
    "GET gates/{slug}/holders": "unknown-gate",
    "GET gates/{slug}/holders/{holder}": "unknown-gate unknown-permit",
    "POST gates/{slug}/holders/{holder}/free": "unknown-gate not-held",
    "GET gates/{slug}/line": "unknown-gate",
    "POST gates/{slug}/key/{do}": "unknown-gate gate-refused",
    "GET gates/{slug}/batches": "unknown-gate",
    "POST gates/{slug}/batches": "unknown-gate bad-rows",
    "GET gates/{slug}/batches/{batch}": "unknown-gate unknown-batch",
    "GET gates/{slug}/batches/{batch}/tasks": "unknown-gate unknown-batch",
    "GET gates/{slug}/batches/{batch}/failed": "unknown-gate unknown-batch",
    "POST gates/{slug}/batches/{batch}/{what}": "unknown-gate unknown-batch gate-refused",
    "POST gates/{slug}/acquire": "unknown-gate weight-conflict weight-over-limit several-gates",
    "POST gates/{slug}/release": "unknown-gate",
    "POST gates/{slug}/renew": "unknown-gate",
    "POST gates/{slug}/incr": "unknown-gate",
    "POST gates/{slug}/decr": "unknown-gate",
    "POST gates/{slug}/observe": "unknown-gate",
    "GET gates/{slug}/devices/{device}": "unknown-gate",
    "POST devices/{device}/report": "unknown-device unknown-gate",
}


class AdmissionError(RefusedError):
    """A refusal by a use case of the gates. Nothing was changed."""
