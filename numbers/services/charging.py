"""Charged pools: hold → voucher → sent → call or renewal → settle, each step safe to repeat.

Two aggregates take part, the account's wallet and the pool, in this order; the pool's note of
the voucher is the intent: it stands until the hold is settled or given back, and tells for sure
whether a call has used the voucher. Whoever dies in between leaves it to the sweep:

- after the hold: it ends by itself within a minute; no voucher, no call.
- after the voucher, or after the hold was marked as sent: the sweep takes the voucher back, which
  succeeds only while no call has used it and ends its use for ever, then gives the hold back.
- after the call: the voucher was used, so the sweep settles the hold and notes the next interval.

The steps are generators of commands: the hot lane and the sweep run the same ones.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any, Final

from billing.services import calls
from billing.services.calls import CallRefusedError, Payer
from numbers import pool as door
from poolsite.hotpath import Command, HotPath
from poolsite.runtime.crash_points import crash_point

VOUCHER_SECONDS: Final = 20  # beyond the time that a call may wait
LEAD_MS: Final = 5_000  # the next interval is held so long before it starts


@dataclass(frozen=True, slots=True)
class Charged:
    """A charged pool, as far as charging is concerned."""

    slug: str
    interval_seconds: int
    payer: Payer

    @property
    def lead_ms(self) -> int:
        return min(LEAD_MS, self.interval_seconds * 500)


@dataclass(frozen=True, slots=True)
class Step:
    """A command to run; `path` None = the pool's. Or an event of `pool`, in the lane's own way."""

    command: Command[Any] | None = None
    path: HotPath | None = None
    event: door.Event | None = None
    pool: str = ""


Steps = Generator[Step, Any, Any]


def begin(pool: Charged, event: door.Event) -> Generator[Step, Any, door.Outcome]:
    """Begin a call that was answered "charge first". CallRefusedError: the hold was refused.

    `event.paid` is the hold's id. Whatever else is raised, the caller runs `resolve` for it.
    """
    hold_id = event.paid
    yield from _hold(pool, hold_id)
    crash_point("calls.after_hold")
    seconds = VOUCHER_SECONDS + event.wait_ms // 1000
    if not (yield from _admit(pool, hold_id, event.call_id, seconds)):
        raise CallRefusedError("unavailable", "the hold ended before the call began: try again")
    outcome: door.Outcome = yield Step(event=event, pool=pool.slug)
    crash_point("calls.after_call")
    if outcome.ok and outcome.reason != door.reasons.REPEAT:
        yield from settle(pool, hold_id, event.call_id)
    else:
        yield from resolve(pool, hold_id, event.call_id)
    return outcome


def _hold(pool: Charged, hold_id: str) -> Steps:
    charge = yield Step(pool.payer.hold(hold_id), pool.payer.path)
    refused = calls.refusal_of(charge)
    if refused is not None:
        raise refused


def _admit(pool: Charged, hold_id: str, call_id: str, seconds: int) -> Generator[Step, Any, bool]:
    """Write the voucher and mark the hold as sent; False: the hold had ended, both are undone."""
    written = yield Step(door.voucher(pool.slug, hold_id, seconds, call_id=call_id))
    if written.code != door.OK or written.reason:
        yield from resolve(pool, hold_id, call_id)
        return False
    crash_point("calls.after_voucher")
    sent = yield Step(pool.payer.sent(hold_id), pool.payer.path)
    crash_point("calls.after_sent")
    if calls.is_sent(sent[0]):
        return True
    yield from resolve(pool, hold_id, call_id)
    return False


def settle(pool: Charged, hold_id: str, call_id: str) -> Steps:
    """An interval has begun: keep its price, then note the next one in place of the voucher."""
    yield Step(pool.payer.settle(hold_id), pool.payer.path)
    crash_point("calls.after_settle")
    following = calls.interval_of(hold_id) + 1
    paid = [
        door.Note("v", call_id, hold=hold_id),
        door.Note("d", call_id, following - 1, hold_id),
    ]
    noted = yield Step(
        door.charge(
            pool.slug,
            call_id,
            note=door.Note("c", call_id, following),
            offset_ms=(following - 1) * pool.interval_seconds * 1000 - pool.lead_ms,
            forget=paid,
        )
    )
    if noted.reason == door.OVER:
        yield Step(door.charge(pool.slug, call_id, forget=paid))


def resolve(pool: Charged, hold_id: str, call_id: str) -> Steps:
    """Finish what a voucher began: settle the hold if a call has used it, else give it back."""
    if (yield from _take_back(pool, hold_id, call_id)) == door.USED:
        yield from settle(pool, hold_id, call_id)


def _take_back(pool: Charged, hold_id: str, call_id: str) -> Generator[Step, Any, str]:
    """Take a voucher back and give its hold back, unless a call has used it. The reason."""
    taken: door.Outcome = yield Step(door.revoke_voucher(pool.slug, hold_id, call_id=call_id))
    crash_point("calls.after_take_back")
    if taken.code == door.OK and taken.reason != door.USED:
        yield from _give_back(pool, hold_id)
        crash_point("calls.after_give_back")
        yield _forget(pool, door.Note("t", call_id, hold=hold_id))
    return taken.reason


def _give_back(pool: Charged, hold_id: str) -> Steps:
    """Return a hold that is open; one that never was, or has ended, is left as it is."""
    cancelled = yield Step(pool.payer.cancel(hold_id), pool.payer.path)
    if calls.is_sent(cancelled):
        yield Step(pool.payer.give_back(hold_id), pool.payer.path)


# -- what is due -------------------------------------------------------------------------------


def finish(pool: Charged, due: door.Due) -> Steps:
    """A voucher's time is over: whoever wrote it has died, or its last step is still to come."""
    hold_id = due.note.hold
    if due.used and due.ended_us is not None:
        yield Step(pool.payer.settle(hold_id), pool.payer.path)
        # When the call began is not known any more, but not after the voucher's time.
        later_us = due.at_us + pool.interval_seconds * 1_000_000
        yield from _charge_ended(pool, due, calls.interval_of(hold_id) + 1, later_us)
    else:
        yield from resolve(pool, hold_id, due.note.call_id)


def next_interval(pool: Charged, due: door.Due) -> Steps:
    """Hold the interval that starts soon. CallRefusedError: the call must end."""
    note = due.note
    if not due.number:
        yield from _charge_ended(pool, due, note.interval, due.at_us + pool.lead_ms * 1000)
        return
    hold_id = calls.hold_id_of(pool.slug, note.call_id, note.interval)
    yield from _hold(pool, hold_id)
    crash_point("calls.next.after_hold")
    noted = yield Step(
        door.charge(
            pool.slug,
            note.call_id,
            note=replace(note, kind="d", hold=hold_id),
            offset_ms=(note.interval - 1) * pool.interval_seconds * 1000,
            forget=[note],
        )
    )
    if noted.reason:  # over, or another worker was faster: this hold pays for nothing
        yield from _give_back(pool, hold_id)


def _charge_ended(pool: Charged, due: door.Due, interval: int, start_us: int) -> Steps:
    """A call is over: charge the intervals from this one on that had started, then forget it.

    Their holds have names of their own, so that a worker that takes this up again charges once.
    """
    note = due.note
    while due.ended_us is not None and start_us <= due.ended_us:
        hold_id = calls.hold_id_of(pool.slug, note.call_id, interval, "end")
        charge = yield Step(pool.payer.hold(hold_id, sent=True), pool.payer.path)
        refused = calls.refusal_of(charge)
        if refused is not None:
            raise refused
        crash_point("calls.ended.after_hold")
        yield Step(pool.payer.settle(hold_id), pool.payer.path)
        crash_point("calls.ended.after_settle")
        interval, start_us = interval + 1, start_us + pool.interval_seconds * 1_000_000
    yield _forget(pool, note)


def start_interval(pool: Charged, due: door.Due) -> Steps:
    """An interval that is held starts now: renew the call by its voucher, then settle."""
    note = due.note
    if not due.number:
        yield from _end_held(pool, due)
        return
    written = yield Step(door.voucher(pool.slug, note.hold, VOUCHER_SECONDS, call_id=note.call_id))
    if written.reason == door.USED:  # a worker died after the renewal
        yield from settle(pool, note.hold, note.call_id)
        return
    crash_point("calls.next.after_voucher")
    sent = yield Step(pool.payer.sent(note.hold), pool.payer.path)
    if written.reason or not calls.is_sent(sent[0]):  # the sweep was away for a minute: hold anew
        yield from resolve(pool, note.hold, note.call_id)
        again = door.Note("c", note.call_id, note.interval)
        # Is the call over, the note stays and finds it ended in the next round.
        yield Step(door.charge(pool.slug, note.call_id, note=again, forget=[note]))
        return
    crash_point("calls.next.after_sent")
    event = door.Event("renew", call_id=note.call_id, paid=note.hold)
    renewed: door.Outcome = yield Step(door.event(pool.slug, event))
    crash_point("calls.next.after_renew")
    if renewed.ok:  # else the note stays, and finds the call ended in the next round
        yield from settle(pool, note.hold, note.call_id)


def _end_held(pool: Charged, due: door.Due) -> Steps:
    """The call of a held interval is over: it had started by then and costs, or it had not."""
    note = due.note
    interval, start_us = note.interval, due.at_us
    if (yield from _take_back(pool, note.hold, note.call_id)) == door.USED:
        yield Step(pool.payer.settle(note.hold), pool.payer.path)
        interval, start_us = interval + 1, start_us + pool.interval_seconds * 1_000_000
    yield from _charge_ended(pool, due, interval, start_us)


def _forget(pool: Charged, note: door.Note) -> Step:
    return Step(door.charge(pool.slug, note.call_id, forget=[note]))
