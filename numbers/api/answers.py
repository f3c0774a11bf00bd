"""Turns a script's outcome into an answer: text, status and problem type, on every interface."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from billing.services.calls import CallRefusedError
from numbers.pool import EventOutcome, reasons
from poolsite import hotpath
from poolsite.api.problems import problem
from poolsite.api.reading import MalformedError

logger = logging.getLogger(__name__)

Answered = tuple[int, dict[str, Any]]  # status, body

# Reason → problem type. Every other reason for a refusal is `not-allowed`.
_KINDS: Final[Mapping[str, str]] = {
    reasons.EXHAUSTED: "exhausted",
    reasons.UNKNOWN_NUMBER: "unknown-number",
    reasons.UNKNOWN_CALL: "unknown-call",
    reasons.NO_SUCH_POOL: "unavailable",  # SQL has the pool, so its data in Redis is being rebuilt
    reasons.PAUSED: "paused",
    reasons.RECOVERING: "recovering",
    reasons.CONFLICT: "conflict",
    reasons.STALE_INCARNATION: "stale-incarnation",
    reasons.CHARGE_FIRST: "payment-required",
}
_SENTENCES: Final[Mapping[str, str]] = {
    reasons.EXHAUSTED: "every number is in a call, rests or is offline",
    reasons.UNKNOWN_NUMBER: "the number is not in this pool",
    reasons.UNKNOWN_CALL: "no call with this id runs in this pool",
    reasons.NO_SUCH_POOL: "the pool's data is being rebuilt",
    reasons.UNCONFIRMED: "the number was added by a script and is not confirmed yet",
    reasons.ADD_REFUSED: "this pool takes no numbers from scripts",
    reasons.RECOVERING: "the pool opens when its switches have reported their calls",
}


def kind_of(outcome: EventOutcome) -> str:
    """Return the problem type of an outcome that is not ok."""
    kind = _KINDS.get(outcome.reason)
    if kind is not None:
        return kind
    if reasons.is_malformed(outcome.reason):
        return "malformed"
    if outcome.reason.startswith(reasons.SCRIPT_OUTDATED):
        return "unavailable"
    return "not-allowed"


def answer_of(outcome: EventOutcome, *, as_of: int) -> Answered:
    """Return status and body for an event that was decided."""
    if not outcome.ok:
        kind = kind_of(outcome)
        body = problem(
            kind,
            _SENTENCES.get(outcome.reason, outcome.reason),
            outcome=outcome.outcome,
            number=outcome.number,
            state=outcome.state,
            reason=outcome.reason,
            as_of=as_of,
        )
        return body["status"], body
    body = {
        "outcome": "ok",
        "number": outcome.number,
        "state": outcome.state,
        "reason": outcome.reason,
        "as_of": as_of,
    }
    if outcome.lease_seconds is not None:
        body["lease_seconds"] = outcome.lease_seconds
    if outcome.last_agent is not None:
        body["agent"] = outcome.last_agent
    return 200, body


def failure_of(error: Exception, *, as_of: int) -> Answered:
    """Return status and body for an event that was refused before Redis, or lost on the way."""
    if isinstance(error, MalformedError):
        kind, detail = "malformed", str(error)
    elif isinstance(error, CallRefusedError):
        kind, detail = error.kind, error.detail
    elif isinstance(error, PermissionError):
        kind, detail = "forbidden", str(error)
    elif isinstance(error, hotpath.UnknownOutcome):
        kind, detail = "unknown-outcome", "no reply came: ask again with the same call id"
    elif isinstance(error, hotpath.Unavailable):
        kind, detail = "unavailable", "nothing was changed"
    else:
        logger.error("numbers: an event failed", exc_info=error)
        kind, detail = "fault", "it was logged; the outcome may be unknown"
    body = problem(kind, detail, outcome="error", number="", state="", reason=kind, as_of=as_of)
    return body["status"], body
