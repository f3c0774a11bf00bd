"""Turns the result of a wallet command into a response, the same in every part of the API."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from billing.errors import BillingError
from billing.money import plain
from billing.wallet import Charge, reasons
from billing.wallet.messages import OPEN
from poolsite import hotpath
from poolsite.api.problems import problem
from poolsite.api.reading import MalformedError

logger = logging.getLogger(__name__)

# A message in one of these states will never be sent again.
NEVER_SENT: Final = ("cancelled", "failed", "expired")

Answered = tuple[int, dict[str, Any]]  # status, body

# The problem types of refusals. `unknown` is missing, because it is none for a report.
_KINDS: Final[Mapping[str, str]] = {
    reasons.INSUFFICIENT: "insufficient-balance",
    reasons.UNPAID: "insufficient-balance",
    reasons.FROZEN: "account-frozen",
    reasons.CLOSED: "account-closed",
    reasons.DAILY_LIMIT: "daily-limit",
    reasons.BACKLOG_FULL: "backlog-full",
    reasons.PARKED_FULL: "backlog-full",
    reasons.SAFE_MODE: "safe-mode",
    reasons.CONFLICT: "other-body",
    reasons.TOO_LATE: "too-late",
    reasons.NO_SUCH_WALLET: "unavailable",
}
_SENTENCES: Final[Mapping[str, str]] = {
    "insufficient-balance": "top up and try again with the same id",
    "account-frozen": "nothing new is charged; what is open is settled",
    "account-closed": "nothing new is charged; what is open is settled",
    "daily-limit": "the limit that the account has set for a day",
    "backlog-full": "try again in a moment with the same id",
    "safe-mode": "holds are refused until the books agree; reports and refunds work",
    "other-body": "the id stands for another message; the first one is unchanged",
    "too-late": "what was sent or has ended cannot be cancelled",
    "cancelled": "a cancelled message can never be sent",
    "refused": "the message has ended: use another id for another message",
    "unknown-message": "this account has no message with this id",
    "unavailable": "the account's data is being rebuilt",
}


def charge_answer(charge: Charge, *, to_send: bool = False, **more: Any) -> Answered:
    """Return the response to a hold, a session message, `sent` or a cancellation.

    `to_send`: the sender sends the message after a 200, so a message that has ended is refused.
    """
    kind = _kind(charge)
    if to_send and charge.answer == reasons.REPEAT and charge.state in NEVER_SENT:
        kind = "cancelled" if charge.state == "cancelled" else "refused"
    if kind:
        return _problem(kind, charge, more)
    return 200, _body(charge, more)


def report_answer(charge: Charge) -> Answered:
    """Return the response to a status report: success even if flagged, unless it must be resent."""
    if charge.answer == reasons.UNKNOWN or charge.answer == reasons.PARKED:
        return 202, _body(charge, {})
    kind = _KINDS.get(charge.answer) or _own_fault(charge)
    return _problem(kind, charge, {}) if kind else (200, _body(charge, {}))


def failure_answer(error: Exception, message_id: str = "", **more: Any) -> Answered:
    """Return the response to a request that failed before the wallet or whose outcome was lost."""
    if isinstance(error, MalformedError):
        kind, detail = "malformed", str(error)
    elif isinstance(error, PermissionError):
        kind, detail = "forbidden", str(error)
    elif isinstance(error, BillingError):
        kind, detail = error.kind, error.detail
    elif isinstance(error, hotpath.UnknownOutcome):
        kind, detail = "unknown-outcome", "no reply came: ask again with the same id"
    elif isinstance(error, hotpath.Unavailable):
        kind, detail = "unavailable", "nothing was changed"
    else:
        logger.error("billing: a message failed", exc_info=error)
        kind, detail = "fault", "it was logged; ask again with the same id"
    if message_id:
        more["message_id"] = message_id
    body = problem(kind, detail, **more)
    return body["status"], body


def held_and_charged(state: str, amount: int) -> dict[str, str]:
    """Return the held and the charged amount of a message. The wallet has one figure for both."""
    held, charged = (amount, 0) if state in OPEN else (0, amount)
    return {"held": plain(held), "charged": plain(charged)}


def _kind(charge: Charge) -> str:
    """Return the problem type of a result, or "" if the command was done now or earlier."""
    answer = charge.answer
    if answer == reasons.REPEAT:
        return "insufficient-balance" if charge.state == "unpaid" else ""
    if answer == reasons.UNKNOWN:
        return "unknown-message"
    if answer == reasons.REFUSED:
        return "cancelled" if charge.state == "cancelled" else "refused"
    if answer == reasons.CONTRADICTION:
        return "too-late"
    return _KINDS.get(answer) or _own_fault(charge)


def _own_fault(charge: Charge) -> str:
    """Return the problem type if the script is outdated or refuses our own request, else ""."""
    if charge.answer.startswith(reasons.SCRIPT_OUTDATED):
        return "unavailable"
    if charge.answer.startswith(reasons.MALFORMED):
        logger.error("billing: the wallet refused %s: %s", charge.message_id, charge.answer)
        return "fault"
    return ""


def _problem(kind: str, charge: Charge, more: dict[str, Any]) -> Answered:
    body = problem(kind, _SENTENCES.get(kind, charge.answer), **_body(charge, more))
    return body["status"], body


def _body(charge: Charge, more: dict[str, Any]) -> dict[str, Any]:
    body = {
        "message_id": charge.message_id,
        "outcome": charge.answer,
        "state": charge.state,
        "quoted": plain(charge.quoted),
        **held_and_charged(charge.state, charge.charged),
        "spendable": plain(charge.spendable),
        "seq": charge.seq,
        "flag": charge.flag,
    }
    body.update(more)
    return body
