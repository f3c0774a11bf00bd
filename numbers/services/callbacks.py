"""Reserves a number for another app, for an agent who calls a person back: claim → use → release.

Each step names one operation and can be repeated: the same operation gets the first answer again,
also after a lost reply. The claim is a call without a callee. Its call ID is the operation, so the
claim of a process that died ends with its lease.
"""

from dataclasses import dataclass

from billing.services.calls import CallRefusedError
from numbers import pool as commands
from numbers.errors import NumbersError
from numbers.models import Pool
from numbers.services.charging_sweep import call_begin
from poolsite import hotpath
from poolsite.access.services.actor import Actor, require

PREFIX = "callback:"


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that is ready for an agent's call. Renew it within the lease."""

    pool_slug: str
    number: str
    operation: str
    lease_seconds: int


def callback_pool(*, slug: str, account_id: int | None) -> Pool | None:
    """Return the pool with this slug if the account owns it (None: the platform), or None."""
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
    """Reserve a number for `agent`.

    `operation`: the caller's ID of this callback, up to 119 characters, the same in all three
    steps. Raise NumbersError: "exhausted" if no number is free, or the reason why the call is not
    paid for. Raise hotpath.Unavailable if certainly nothing was reserved. The runner repeats a lost
    reply.
    """
    require(actor, "numbers.operate", pool)
    event = commands.Event.of(
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
    """Keep the number of the agent's call for another lease. Raise NumbersError if it is gone.

    In a charged pool, only paid intervals keep the number.
    """
    require(actor, "numbers.operate", pool)
    if pool.charged:
        return
    _check(
        hotpath.run(
            commands.event(pool.slug, commands.Event.of("renew", call_id=_call_id(operation)))
        )
    )


def claim_release(*, actor: Actor, pool: Pool, operation: str, reason: str = "") -> None:
    """Release the number. A claim that does not exist or was released is not an error."""
    require(actor, "numbers.operate", pool)
    outcome = hotpath.run(
        commands.event(
            pool.slug, commands.Event.of("hangup", call_id=_call_id(operation), reason=reason)
        )
    )
    _check(outcome)


def _call_id(operation: str) -> str:
    if not operation or len(operation) > 128 - len(PREFIX):
        raise ValueError("an operation's id has 1 to 119 characters")
    return PREFIX + operation


def _check(outcome: commands.EventOutcome) -> None:
    if outcome.ok:
        return
    kinds = {
        commands.reasons.EXHAUSTED: "exhausted",
        commands.reasons.PAUSED: "paused",
        commands.reasons.RECOVERING: "recovering",
        commands.reasons.NO_SUCH_POOL: "unavailable",
        commands.reasons.UNKNOWN_CALL: "unknown-call",
        commands.reasons.CHARGE_FIRST: "payment-required",
    }
    raise NumbersError(kinds.get(outcome.reason, "not-allowed"), outcome.reason)
