"""Another app takes a number for an agent who calls somebody back: claim → use → release.

Each step names one operation and may be repeated: the same operation again answers as the
first time, also when its reply was lost. The claim is a call without a callee; its id is the
operation, so a claim whose owner died ends with its lease.
"""

from dataclasses import dataclass

from billing.services.calls import CallRefusedError
from numbers import pool as door
from numbers.errors import NumbersError
from numbers.models import Pool
from numbers.services.charging_sweep import call_begin
from poolsite import hotpath
from poolsite.access.services.actor import Actor, require

PREFIX = "callback:"


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that stands ready for an agent's call. It must be renewed within the lease."""

    pool_slug: str
    number: str
    operation: str
    lease_seconds: int


def callback_pool(*, slug: str, account_id: int | None) -> Pool | None:
    """The pool of that slug if it belongs to the account (None: the platform); None otherwise."""
    rows = Pool.objects.filter(slug=slug)
    mine = rows.filter(account=None) if account_id is None else rows.filter(account_id=account_id)
    return mine.first()


def number_claim(
    *,
    actor: Actor,
    pool: Pool,
    operation: str,
    agent: str,
    callee: str = "",
    near: str = "",
    number: str = "",
) -> Claim:
    """Take a number for `agent`; NumbersError "exhausted" when none is free, or of who pays.

    operation: the caller's id of this callback, up to 119 characters, alike in all three steps.
    Raises hotpath.Unavailable (surely not taken); a lost reply is repeated by the runner.
    """
    require(actor, "numbers.operate", pool)
    event = door.Event.of(
        "call",
        number=number,
        call_id=_call_id(operation),
        agent=agent,
        callee=callee,
        near=near if pool.near else "",
        reason="callback",
    )
    try:
        outcome = call_begin(pool, event)
    except CallRefusedError as error:
        raise NumbersError(error.kind, error.detail) from error
    _check(outcome)
    return Claim(pool.slug, outcome.number, operation, outcome.lease_seconds or pool.lease_seconds)


def number_use(*, actor: Actor, pool: Pool, operation: str) -> None:
    """The agent's call runs on: keep the number for another lease. NumbersError when it is gone.

    In a charged pool paid intervals keep it, and nothing else does.
    """
    require(actor, "numbers.operate", pool)
    if pool.charged:
        return
    _check(hotpath.run(door.event(pool.slug, door.Event.of("renew", call_id=_call_id(operation)))))


def claim_release(*, actor: Actor, pool: Pool, operation: str, reason: str = "") -> None:
    """Give the number back; a claim that never was, or is back already, is no error."""
    require(actor, "numbers.operate", pool)
    outcome = hotpath.run(
        door.event(pool.slug, door.Event.of("hangup", call_id=_call_id(operation), reason=reason))
    )
    _check(outcome)


def _call_id(operation: str) -> str:
    if not operation or len(operation) > 128 - len(PREFIX):
        raise ValueError("an operation's id has 1 to 119 characters")
    return PREFIX + operation


def _check(outcome: door.EventOutcome) -> None:
    if outcome.ok:
        return
    kinds = {
        door.reasons.EXHAUSTED: "exhausted",
        door.reasons.PAUSED: "paused",
        door.reasons.RECOVERING: "recovering",
        door.reasons.NO_SUCH_POOL: "unavailable",
        door.reasons.UNKNOWN_CALL: "unknown-call",
        door.reasons.CHARGE_FIRST: "payment-required",
    }
    raise NumbersError(kinds.get(outcome.reason, "not-allowed"), outcome.reason)
