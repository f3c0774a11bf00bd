"""Charged pools: hold → voucher → sent → call or renewal → settle. Each step is safe to repeat.

The steps change two aggregates, in this order: the account's wallet and the pool. The pool's note
of the voucher is the intent. It exists until the hold is settled or returned, and shows with
certainty whether a call has used the voucher. If a process dies in between, the sweep finishes:

- after the hold: it ends automatically within a minute. Without a voucher, there is no call.
- after the voucher, or after the hold was marked as sent: the sweep revokes the voucher, then
  returns the hold. Revoking succeeds only if no call has used the voucher, and no call can use it
  afterwards.
- after the call: the voucher was used, so the sweep settles the hold and notes the next interval.

An interval whose unused time can be returned is not settled when it begins. A separate note is due
at its end, and settles it by the used time. The hold has its length and rate.

The steps are generators of commands, so that the hot lane and the sweep run the same ones.
"""

from collections.abc import Generator
from dataclasses import replace
from typing import Any, Final

from billing.services import calls
from billing.services.calls import CallRefusedError, Interval
from numbers import pool as commands
from numbers.services.charging_intervals import (
    Charged,
    ChargeStep,
    Steps,
    interval_after,
    interval_held,
)
from poolsite.moments import moment_of
from poolsite.runtime.crash_points import crash_point

VOUCHER_SECONDS: Final = 20  # in addition to the time that a call may wait
LOOK_SECONDS: Final = 60  # how often an interval is checked whose rest can be returned
SECOND_US: Final = 1_000_000


def begin(
    pool: Charged, event: commands.Event
) -> Generator[ChargeStep, Any, commands.EventOutcome]:
    """Begin a call that was answered "charge first". Raise CallRefusedError if the hold is refused.

    `event.paid` is the hold's ID. After any other error, the caller runs `resolve` for it.
    """
    hold_id, call_id, interval = event.paid or "", event.call_id or "", pool.first(event)
    yield from _hold(pool, hold_id, interval)
    crash_point("calls.after_hold")
    seconds = VOUCHER_SECONDS + (event.wait_ms or 0) // 1000
    if not (yield from _admit(pool, hold_id, call_id, seconds)):
        raise CallRefusedError("unavailable", "the hold ended before the call began: try again")
    outcome: commands.EventOutcome = yield ChargeStep(event=event, pool=pool.slug)
    crash_point("calls.after_call")
    if outcome.ok and outcome.reason != commands.reasons.REPEAT:
        yield from settle(pool, hold_id, call_id, interval)
    else:
        yield from resolve(pool, hold_id, call_id)
    return outcome


def _hold(pool: Charged, hold_id: str, interval: Interval, *, sent: bool = False) -> Steps:
    charge = yield ChargeStep(pool.payer.hold(hold_id, interval, sent=sent), pool.payer.path)
    refused = None if sent and calls.is_known(charge) else calls.refusal_of(charge)
    if refused is not None:
        raise refused


def _admit(
    pool: Charged, hold_id: str, call_id: str, seconds: int
) -> Generator[ChargeStep, Any, bool]:
    """Write the voucher and mark the hold as sent. If it had ended, undo both and return False."""
    written = yield ChargeStep(commands.voucher(pool.slug, hold_id, seconds, call_id=call_id))
    if written.code != commands.OK or written.reason:
        yield from resolve(pool, hold_id, call_id)
        return False
    crash_point("calls.after_voucher")
    sent = yield ChargeStep(pool.payer.sent(hold_id), pool.payer.path)
    crash_point("calls.after_sent")
    if calls.is_sent(sent[0]):
        return True
    yield from resolve(pool, hold_id, call_id)
    return False


def settle(pool: Charged, hold_id: str, call_id: str, interval: Interval | None = None) -> Steps:
    """Charge an interval that has begun, now or at its end, and note the next interval.

    The new notes replace the voucher's. If `interval` is None, it is read from the hold.
    """
    if interval is None:
        interval = yield from interval_held(pool, hold_id)
    if not interval.comes_back:
        yield ChargeStep(pool.payer.settle(hold_id, interval.full), pool.payer.path)
        crash_point("calls.after_settle")
    number = interval.number
    paid = [commands.Note("v", call_id, hold=hold_id), commands.Note("d", call_id, number, hold_id)]
    following = commands.Note("c", call_id, number + 1, hold_id)
    notes = [(following, interval.ends * 1000 - pool.lead_ms)]
    if interval.comes_back:
        notes.append(_look(interval, commands.Note("s", call_id, number, hold_id, interval.starts)))
    noted = yield ChargeStep(commands.charge(pool.slug, call_id, notes=notes, forget=paid))
    # If the call is over, the voucher's note settles the used time when it is due.
    if noted.reason == commands.OVER and not interval.comes_back:
        yield ChargeStep(commands.charge(pool.slug, call_id, forget=paid))


def _look(interval: Interval, note: commands.Note) -> tuple[commands.Note, int]:
    """Return the note that next checks whether the interval or its call has ended, and when, in ms.

    Redis stores the end of a call for ten minutes, and an interval can be longer than that.
    """
    seconds = min(interval.ends, note.seconds + LOOK_SECONDS)
    return replace(note, seconds=seconds), seconds * 1000


def resolve(pool: Charged, hold_id: str, call_id: str) -> Steps:
    """Finish what a voucher began: settle the hold if a call has used it, otherwise return it."""
    if (yield from _take_back(pool, hold_id, call_id)) == commands.USED:
        yield from settle(pool, hold_id, call_id)


def _take_back(pool: Charged, hold_id: str, call_id: str) -> Generator[ChargeStep, Any, str]:
    """Revoke a voucher and return its hold, unless a call has used it. Return the reason."""
    taken: commands.EventOutcome = yield ChargeStep(
        commands.revoke_voucher(pool.slug, hold_id, call_id=call_id)
    )
    crash_point("calls.after_take_back")
    if taken.code == commands.OK and taken.reason != commands.USED:
        yield from _give_back(pool, hold_id)
        crash_point("calls.after_give_back")
        yield _forget(pool, commands.Note("t", call_id, hold=hold_id))
    return taken.reason


def _give_back(pool: Charged, hold_id: str) -> Steps:
    """Return an open hold. A hold that never existed or has ended stays as it is."""
    cancelled = yield ChargeStep(pool.payer.cancel(hold_id), pool.payer.path)
    if calls.is_sent(cancelled):
        yield ChargeStep(pool.payer.give_back(hold_id), pool.payer.path)


# -- due notes ---------------------------------------------------------------------------------


def finish(pool: Charged, due: commands.Due) -> Steps:
    """Finish a voucher whose time is over: its writer died, or its last step is outstanding."""
    hold_id = due.note.hold
    if due.used and due.ended_us is not None:
        interval = yield from interval_held(pool, hold_id)
        # The call's start is no longer known, but it was not after the voucher's time.
        yield from _settle_ended(pool, hold_id, interval, due.at_us, due.ended_us)
        later_us = due.at_us + interval.seconds * SECOND_US
        yield from _charge_ended(pool, due, hold_id, interval.number + 1, later_us)
    else:
        yield from resolve(pool, hold_id, due.note.call_id)


def next_interval(pool: Charged, due: commands.Due) -> Steps:
    """Hold the interval that starts soon. Raise CallRefusedError if the call must end."""
    note, start_us = due.note, due.at_us + pool.lead_ms * 1000
    if not due.number:
        yield from _charge_ended(pool, due, note.hold, note.interval, start_us)
        return
    interval = yield from interval_after(pool, note.hold, note.interval, moment_of(start_us))
    hold_id = calls.hold_id_of(pool.slug, note.call_id, note.interval)
    yield from _hold(pool, hold_id, interval)
    crash_point("calls.next.after_hold")
    held = replace(note, kind="d", hold=hold_id)
    notes = [(held, interval.starts * 1000)]
    noted = yield ChargeStep(commands.charge(pool.slug, note.call_id, notes=notes, forget=[note]))
    if noted.reason:  # over, or another worker was faster: this hold is not needed
        yield from _give_back(pool, hold_id)


def _charge_ended(
    pool: Charged, due: commands.Due, hold_id: str, number: int, start_us: int
) -> Steps:
    """Charge the started intervals of an ended call, from `number` on, then forget the note.

    Their holds have separate IDs, so that a worker that repeats this charges once. `hold_id`: as
    for interval_after.
    """
    note = due.note
    while due.ended_us is not None and start_us <= due.ended_us:
        interval = yield from interval_after(pool, hold_id, number, moment_of(start_us))
        if interval.rate_id and start_us == due.ended_us:
            break
        hold_id = calls.hold_id_of(pool.slug, note.call_id, number, "end")
        yield from _hold(pool, hold_id, interval, sent=True)
        crash_point("calls.ended.after_hold")
        yield from _settle_ended(pool, hold_id, interval, start_us, due.ended_us)
        crash_point("calls.ended.after_settle")
        number, start_us = number + 1, start_us + interval.seconds * SECOND_US
    yield _forget(pool, note)


def _settle_ended(
    pool: Charged, hold_id: str, interval: Interval, start_us: int, ended_us: int | None
) -> Steps:
    """Charge an interval from start_us to ended_us. If ended_us is None, charge its first part."""
    used_us = 0 if ended_us is None else max(0, ended_us - start_us)
    yield ChargeStep(
        pool.payer.settle(hold_id, pool.payer.cost(interval, used_us)), pool.payer.path
    )


def close_interval(pool: Charged, due: commands.Due) -> Steps:
    """Charge the used time of an interval that is over or whose call ended. Return the rest.

    Otherwise note the next check.
    """
    note = due.note
    interval = yield from interval_held(pool, note.hold)
    if due.number and note.seconds < interval.ends:
        notes = [_look(interval, note)]
        yield ChargeStep(commands.charge(pool.slug, note.call_id, notes=notes, forget=[note]))
        return
    start_us = due.at_us + (interval.starts - note.seconds) * SECOND_US
    ended_us = due.at_us if due.number else due.ended_us
    yield from _settle_ended(pool, note.hold, interval, start_us, ended_us)
    crash_point("calls.closing.after_settle")
    yield _forget(pool, note)


def start_interval(pool: Charged, due: commands.Due) -> Steps:
    """Start a held interval: renew the call with its voucher, then settle."""
    note = due.note
    if not due.number:
        yield from _end_held(pool, due)
        return
    written = yield ChargeStep(
        commands.voucher(pool.slug, note.hold, VOUCHER_SECONDS, call_id=note.call_id)
    )
    if written.reason == commands.USED:  # a worker died after the renewal
        yield from settle(pool, note.hold, note.call_id)
        return
    crash_point("calls.next.after_voucher")
    sent = yield ChargeStep(pool.payer.sent(note.hold), pool.payer.path)
    if written.reason or not calls.is_sent(sent[0]):  # the sweep paused for a minute: hold again
        yield from resolve(pool, note.hold, note.call_id)
        interval = yield from interval_held(pool, note.hold)
        again = commands.Note("c", note.call_id, note.interval, note.hold)
        notes = [(again, max(0, interval.starts * 1000 - pool.lead_ms))]
        # If the call is over, the note stays, and the next round finds the call ended.
        yield ChargeStep(commands.charge(pool.slug, note.call_id, notes=notes, forget=[note]))
        return
    crash_point("calls.next.after_sent")
    event = commands.Event.of("renew", call_id=note.call_id, paid=note.hold)
    renewed: commands.EventOutcome = yield ChargeStep(commands.event(pool.slug, event))
    crash_point("calls.next.after_renew")
    if renewed.ok:  # else the note stays, and the next round finds the call ended
        yield from settle(pool, note.hold, note.call_id)


def _end_held(pool: Charged, due: commands.Due) -> Steps:
    """Close a held interval whose call is over. It is charged only if it had started by then."""
    note = due.note
    number, start_us = note.interval, due.at_us
    interval = yield from interval_held(pool, note.hold)
    if (yield from _take_back(pool, note.hold, note.call_id)) == commands.USED:
        yield from _settle_ended(pool, note.hold, interval, start_us, due.ended_us)
        number, start_us = number + 1, start_us + interval.seconds * SECOND_US
    yield from _charge_ended(pool, due, note.hold, number, start_us)


def _forget(pool: Charged, note: commands.Note) -> ChargeStep:
    return ChargeStep(commands.charge(pool.slug, note.call_id, forget=[note]))
