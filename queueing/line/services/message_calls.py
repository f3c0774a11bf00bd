"""Calls to people who left a message, through a number of the desk's pool.

They work like calls from a room (calling.py), but their state is in SQL: the intent, then the claim
in the pool, then the number. At the end, the call is marked as ending, released in the pool and
forgotten. Every step may be repeated, because one operation ID names the call. If a process dies
between two steps, the row remains, and the sweep undoes the call. The pool refuses a claim that
arrives after its undoing.
"""

import logging
import time
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from numbers import services as numbers
from poolsite import access, hotpath
from poolsite.access.services.actor import Actor, require
from poolsite.runtime.crash_points import crash_point
from queueing.line.errors import LineError
from queueing.line.models import Agent, Desk, LeftMessage, MessageCall
from queueing.line.services.calling import (
    ACTOR,
    CONFIRM_SECONDS,
    END_SECONDS,
    can_call,
    dialled,
    no_number,
    no_pool,
)

logger = logging.getLogger(__name__)
LONGEST = timedelta(hours=1)  # after this, the agent has probably forgotten to end the call
BATCH = 100


def message_call(*, actor: Actor, agent: Agent, message: LeftMessage) -> MessageCall:
    """Claim a number for calling the author of this message, or return the existing call.

    Raise LineError no-call-back (not set up), malformed (no number was left), not-yours (another
    agent is calling), no-number (none is free, or the agent has another call), message-handled
    (already answered) or unknown-message (erased meanwhile). Nothing is left behind then.
    """
    require(actor, "line.answer", message)
    desk, callee = agent.desk, dialled(message.contact)
    if not can_call(desk):
        raise no_pool()
    call = _ask(actor, agent, message, callee)
    crash_point("line.message_call.after_ask")
    return call if call.number else _claim(desk, call)


def message_call_end(*, actor: Actor, agent: Agent | None, message: LeftMessage) -> None:
    """End a message's call: the agent's own, or any agent's if `agent` is None.

    Does nothing if it has ended or never began.
    """
    require(actor, "line.answer", message)
    call = MessageCall.objects.filter(message=message).first()
    if call is None:
        return
    if agent is not None and call.agent_id != agent.pk:
        raise LineError("not-yours", _("Another agent is already calling."))
    with transaction.atomic():
        after = {"message": message.pk, "call": call.operation}
        access.audit(actor=actor, action="line.message_call_end", thing=message.queue, after=after)
    _give_back(call, message.queue.desk)


def sweep_message_calls(shard: int, shards: int) -> dict[str, int]:
    """Renew running calls, undo unfinished ones, end forgotten ones and those without a message."""
    done = {"calls": 0, "failed": 0}
    due = MessageCall.objects.filter(look_at__lte=timezone.now()) | MessageCall.objects.filter(
        message=None
    )
    for call in due.select_related("agent__desk").order_by("look_at")[:BATCH]:
        if call.agent.desk_id % shards != shard:
            continue
        try:
            _advance(call, call.agent.desk)
            done["calls"] += 1
        except (numbers.NumbersError, hotpath.HotPathError, RedisError) as error:
            done["failed"] += 1
            logger.info("line: call back %s waits: %s", call.operation, error)
    return done


@transaction.atomic
def _ask(actor: Actor, agent: Agent, message: LeftMessage, callee: str) -> MessageCall:
    """Write the intent before anything is claimed, or return the existing call on a second click.

    The message and the agent are locked. So the second of two clicks finds the first one's call,
    and a user who handles the message next ends it.
    """
    found = LeftMessage.objects.select_for_update().filter(pk=message.pk).first()
    if found is None:
        raise LineError("unknown-message", _("Message not found."))
    known = MessageCall.objects.filter(message=found).first()
    if known is not None:
        return _own(known, agent)
    if found.handled_at is not None:
        raise LineError(
            "message-handled", _("Someone has already handled this message. Reopen it first.")
        )
    Agent.objects.select_for_update().get(pk=agent.pk)
    if MessageCall.objects.filter(agent=agent).exists():
        raise LineError("no-number", _("End your other call first."))
    operation = f"m{message.pk}.{time.time_ns() // 1_000}"
    after = {"message": message.pk, "call": operation}  # the log names no visitor
    access.audit(actor=actor, action="line.message_call", thing=message.queue, after=after)
    return MessageCall.objects.create(
        message=message,
        agent=agent,
        operation=operation,
        pool=agent.desk.callback_pool,
        callee=callee,
        look_at=_in(CONFIRM_SECONDS),
    )


def _own(call: MessageCall, agent: Agent) -> MessageCall:
    """Return the existing call. Raise LineError if it is another agent's or is ending."""
    if call.agent_id != agent.pk:
        raise LineError("not-yours", _("Another agent is already calling."))
    if call.ending:
        raise LineError("no-number", _("The previous call is still ending. Try again."))
    return call


def _claim(desk: Desk, call: MessageCall) -> MessageCall:
    """Claim a number in the pool and store it. If refused, undo the call and raise LineError."""
    pool = numbers.callback_pool(slug=call.pool, account_id=desk.account_id)
    if pool is None:
        _give_back(call, desk)
        raise no_pool()
    try:
        claim = numbers.number_claim(
            actor=ACTOR,
            pool=pool,
            operation=call.operation,
            agent=str(call.agent.user_id),
            callee=call.callee,
        )
    except numbers.NumbersError as error:
        _give_back(call, desk)
        raise no_number(error) from error
    crash_point("line.message_call.after_claim")
    call.number, call.look_at = claim.number, _in(claim.lease_seconds / 3)
    kept = MessageCall.objects.filter(pk=call.pk, ending=False).update(
        number=call.number, look_at=call.look_at
    )
    if not kept:
        _give_back(call, desk)
        raise LineError("no-number", _("The previous call is still ending. Try again."))
    return call


def _advance(call: MessageCall, desk: Desk) -> None:
    over = call.ending or call.message_id is None or not call.number
    if over or timezone.now() - call.began_at > LONGEST:
        _give_back(call, desk)
        return
    pool = numbers.callback_pool(slug=call.pool, account_id=desk.account_id)
    if pool is None:
        _give_back(call, desk)
        return
    try:
        numbers.number_use(actor=ACTOR, pool=pool, operation=call.operation)
    except numbers.NumbersError as error:
        if error.kind in ("unavailable", "recovering"):
            raise
        _give_back(call, desk)  # the pool has taken the number back
        return
    later = _in(pool.lease_seconds / 3)
    MessageCall.objects.filter(pk=call.pk, ending=False).update(look_at=later)


def _give_back(call: MessageCall, desk: Desk) -> None:
    """Mark the call as ending, release the number, forget the call. Each step can be repeated."""
    MessageCall.objects.filter(pk=call.pk).update(ending=True, look_at=_in(END_SECONDS))
    crash_point("line.message_call.after_end")
    pool = numbers.callback_pool(slug=call.pool, account_id=desk.account_id)
    if pool is not None:
        numbers.claim_release(
            actor=ACTOR, pool=pool, operation=call.operation, reason="callback over"
        )
    crash_point("line.message_call.after_release")
    MessageCall.objects.filter(pk=call.pk).delete()


def _in(seconds: float) -> datetime:
    return timezone.now() + timedelta(seconds=seconds)
