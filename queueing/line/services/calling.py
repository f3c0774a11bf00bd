"""Callbacks: an agent calls a visitor back through a number of the pool.

The desk and the pool are two aggregates, so the order is fixed. At the start: the intent at the
desk (ask), the number in the pool (claim), the number at the desk (keep). At the end: marked as
ending at the desk, released in the pool, forgotten at the desk. Every step may be repeated, because
one operation ID names the call. If a process dies between two steps, the intent remains. The sweep
then completes it while the agent still has the visitor, or undoes it. The pool refuses a claim that
arrives after its undoing.
"""

import logging
import re

from django.db import transaction
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from numbers import services as numbers
from poolsite import access, hotpath
from poolsite.access.services.actor import Actor
from poolsite.jobs.shards import of_shard
from poolsite.runtime.crash_points import crash_point
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.models import Agent, Desk, Visit
from queueing.line.services.common import REBUILT

logger = logging.getLogger(__name__)
ACTOR = "line.call_back"
CONFIRM_SECONDS = 15.0  # after this, the sweep treats an intent as abandoned
END_SECONDS = 10.0  # after this, the sweep releases an ending call's number
_NUMBER = re.compile(r"\+?[0-9]{3,32}\Z")


def call_back(*, actor: Actor, agent: Agent, visit: Visit, number: str = "") -> commands.CallBack:
    """Claim a number for calling the visitor of this agent's room, or return the existing call.

    number: the number to call; without it, the visitor's contact. Raise LineError no-call-back (not
    set up), malformed, not-yours, or no-number (the pool has none free; nothing is left behind).
    """
    desk = agent.desk
    callee = dialled(number or visit.contact)
    if not can_call(desk):
        raise no_pool()
    asked = hotpath.run(
        commands.call_ask(
            *(desk.slug, agent.user_id, visit.public_id, callee),
            pool=desk.callback_pool,
            look_after_seconds=CONFIRM_SECONDS,
        )
    )
    if not asked.ok:
        raise _refusal(asked)
    crash_point("line.call.after_ask")
    if asked.state == "running":
        return asked
    with transaction.atomic():
        access.audit(
            actor=actor, action="line.call_back", thing=visit, after={"call": asked.operation}
        )
    return _claim(desk, asked)


def call_end(*, actor: Actor, agent: Agent, visit: str) -> None:
    """End the callback of one of the agent's visits. Do nothing if it has ended or never began."""
    ended = hotpath.run(
        commands.call_end(
            agent.desk.slug, visit, agent=agent.user_id, look_after_seconds=END_SECONDS
        )
    )
    if ended.answer == "repeat":
        return
    if not ended.ok:
        raise _refusal(ended)
    with transaction.atomic():
        access.audit(
            actor=actor,
            action="line.call_back_end",
            thing=agent,
            after={"call": ended.operation},
        )
    crash_point("line.call.after_end")
    _give_back(agent.desk, ended, "over")


def sweep_calls(shard: int, shards: int) -> dict[str, int]:
    """Renew running calls, complete or undo unfinished ones, and end calls whose room is over."""
    done = {"calls": 0, "failed": 0}
    for desk in of_shard(Desk.objects.order_by("pk"), shard, shards):
        try:
            for call in hotpath.run(commands.calls_due(desk.slug)):
                done["calls"] += 1
                _advance(desk, call)
        except (numbers.NumbersError, hotpath.HotPathError, RedisError) as error:
            done["failed"] += 1
            logger.info("line: a call back of desk %s waits: %s", desk.slug, error)
    return done


def _advance(desk: Desk, call: commands.CallBack) -> None:
    if not call.in_room or call.state == "ending":
        _give_back(desk, call, "over")
    elif call.state == "asked":
        try:
            _claim(desk, call)
        except LineError as error:
            logger.info("line: call back %s came to nothing: %s", call.operation, error.detail)
    else:
        _keep(desk, call)


def _claim(desk: Desk, call: commands.CallBack) -> commands.CallBack:
    """Claim the pool's number and confirm it at the desk.

    If the pool or the desk refuses, undo the call and raise LineError.
    """
    pool = numbers.callback_pool(slug=call.pool, account_id=desk.account_id)
    if pool is None:
        _give_back(desk, call, "no pool")
        raise no_pool()
    try:
        claim = numbers.number_claim(
            actor=ACTOR,
            pool=pool,
            operation=call.operation,
            agent=str(call.agent),
            callee=call.callee,
        )
    except numbers.NumbersError as error:
        _give_back(desk, call, error.kind)
        raise no_number(error) from error
    crash_point("line.call.after_claim")
    kept = hotpath.run(
        commands.call_keep(
            *(desk.slug, call.visit, call.operation),
            number=claim.number,
            look_after_seconds=claim.lease_seconds / 3,
        )
    )
    crash_point("line.call.after_keep")
    if not kept.ok:
        _give_back(desk, call, "room over")
        raise LineError("not-yours", _("The room has ended or belongs to another agent."))
    return kept


def _keep(desk: Desk, call: commands.CallBack) -> None:
    """Renew the lease of the number. End the call if the pool has taken the number back."""
    pool = numbers.callback_pool(slug=call.pool, account_id=desk.account_id)
    if pool is None:
        _give_back(desk, call, "no pool")
        return
    try:
        numbers.number_use(actor=ACTOR, pool=pool, operation=call.operation)
    except numbers.NumbersError as error:
        if error.kind in ("unavailable", "recovering"):
            raise
        _give_back(desk, call, "number lost")
        return
    hotpath.run(
        commands.call_keep(
            *(desk.slug, call.visit, call.operation), look_after_seconds=pool.lease_seconds / 3
        )
    )


def _give_back(desk: Desk, call: commands.CallBack, reason: str) -> None:
    """End the call at the desk, release the number, forget the call. Each step can be repeated."""
    hotpath.run(
        commands.call_end(
            *(desk.slug, call.visit), operation=call.operation, look_after_seconds=END_SECONDS
        )
    )
    pool = numbers.callback_pool(slug=call.pool, account_id=desk.account_id)
    if pool is not None:
        numbers.claim_release(
            actor=ACTOR, pool=pool, operation=call.operation, reason="callback over"
        )
    crash_point("line.call.after_release")
    hotpath.run(commands.call_forget(desk.slug, call.visit, call.operation, reason))


def can_call(desk: Desk) -> bool:
    """Whether a pool of the desk's own account is set up for callbacks."""
    slug, account_id = desk.callback_pool, desk.account_id
    return bool(slug) and numbers.callback_pool(slug=slug, account_id=account_id) is not None


def no_pool() -> LineError:
    """Return the error for a desk without a callback pool."""
    return LineError("no-call-back", _("Callbacks aren't set up at this desk."))


def no_number(error: numbers.NumbersError) -> LineError:
    """Return the error, for the agent, that explains why the pool gave no number."""
    none_free = _("No number is free for the call right now. Try again later.")
    return LineError("no-number", none_free if error.kind == "exhausted" else error.detail)


def dialled(text: str) -> str:
    """Return a number in the form that a switch takes: an optional + and ASCII digits.

    Raise LineError if the text is not a number.
    """
    digits = re.sub(r"[\s().\-/]", "", text)
    if not _NUMBER.match(digits):
        raise LineError(
            "malformed", _("Enter the number to call: digits, with an optional + in front.")
        )
    return digits


def _refusal(call: commands.CallBack) -> LineError:
    if call.answer == "not_yours":
        return LineError("not-yours", _("The room has ended or belongs to another agent."))
    if call.answer == "busy":
        return LineError("no-number", _("The previous call is still ending. Try again."))
    return LineError(*REBUILT)
