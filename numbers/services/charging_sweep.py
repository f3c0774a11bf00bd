"""Works off the due charges of pools: next intervals, and what a dead process left unfinished."""

import contextlib
import logging
from collections.abc import Sequence
from typing import Any

from billing.services import calls
from billing.services.calls import CallRefusedError, Payer
from numbers import pool as commands
from numbers.models import Pool
from numbers.services import charging
from numbers.services.charging_intervals import Charged, ChargeStep, Steps
from numbers.services.hangups import tell_switches
from poolsite import hotpath
from poolsite.jobs.shards import of_shard

logger = logging.getLogger(__name__)

BATCH = 500
ROUNDS = 40  # a call that was not swept for long has several intervals due


def sweep_charges(shard: int = 0, shards: int = 1) -> dict[str, int]:
    """Work off what is due in the pools of a shard. Return what was done, summed."""
    pools = of_shard(Pool.objects.exclude(account=None).order_by("pk"), shard, shards)
    done = dict.fromkeys(("vouchers", "held", "started", "ended", "failed"), 0)
    for _ in range(ROUNDS):
        pools = _round(pools, done)
        if not pools:
            break
    return done


def _round(pools: Sequence[Pool], done: dict[str, int]) -> list[Pool]:
    """Work off what is due in each pool. Return the pools where more may be due immediately."""
    more = []
    results = hotpath.run_batch([commands.charges(pool.slug, BATCH) for pool in pools])
    for pool, due in zip(pools, results, strict=True):
        failed = done["failed"]
        if isinstance(due, hotpath.HotPathError):
            done["failed"] += 1
        elif due:
            _work_off(pool, due, done)
            if done["failed"] == failed:
                more.append(pool)
    return more


def _work_off(pool: Pool, dues: Sequence[commands.Due], done: dict[str, int]) -> None:
    payer = calls.payer_of(pool.account_id)
    if payer is None:
        logger.error("numbers: %s owes for calls, and nobody pays", pool.slug)
        done["failed"] += 1
        return
    charged = charged_of(pool, payer)
    for due in dues:
        try:
            run(_steps(pool, charged, due, done))
        except CallRefusedError as error:
            if calls.is_lasting(error):
                _end(pool, due, error)
                done["ended"] += 1
            else:
                done["failed"] += 1
        except hotpath.HotPathError as error:  # the note stays: the next tick continues
            logger.warning("numbers: a charge of %s waits: %s", pool.slug, error)
            done["failed"] += 1


def charged_of(pool: Pool, payer: Payer) -> Charged:
    """The part of a pool that charging needs."""
    return Charged(pool.slug, pool.charge_interval_seconds, payer, pool.home_country)


def _steps(pool: Pool, charged: Charged, due: commands.Due, done: dict[str, int]) -> Steps:
    kind = due.note.kind
    if kind in ("v", "t"):
        done["vouchers"] += 1
        return charging.finish(charged, due)
    if kind == "s":
        return charging.close_interval(charged, due)
    if kind == "c" and pool.charged:
        done["held"] += bool(due.number)
        return charging.next_interval(charged, due)
    if kind == "c":  # the pool is no longer charged
        return _forgotten(pool, due)
    done["started"] += bool(due.number)
    return charging.start_interval(charged, due)


def _forgotten(pool: Pool, due: commands.Due) -> Steps:
    yield ChargeStep(commands.charge(pool.slug, due.note.call_id, forget=[due.note]))


def _end(pool: Pool, due: commands.Due, error: CallRefusedError) -> None:
    """End a call whose next interval is not paid: its lease is not renewed, its switch hangs up."""
    if due.number:
        marked = hotpath.run(commands.mark_unpaid(pool.slug, due.number, due.note.call_id))
        if marked.code == commands.OK:
            tell_switches(pool.slug, [marked], error.detail)
    hotpath.run(commands.charge(pool.slug, due.note.call_id, forget=[due.note]))


def call_begin(pool: Pool, event: commands.Event) -> commands.EventOutcome:
    """Begin a call for another app. In a charged pool, hold its price first.

    Raise CallRefusedError, and the runner's errors. What got lost on the way is settled or
    returned.
    """
    outcome = hotpath.run(commands.event(pool.slug, event))
    if outcome.reason != commands.reasons.CHARGE_FIRST:
        return outcome
    payer = calls.payer_of(pool.account_id)
    if payer is None:
        raise CallRefusedError("payment-required", "no account pays for calls of this pool")
    charged = charged_of(pool, payer)
    call_id = event.call_id or ""
    hold_id = calls.hold_id_of(pool.slug, call_id, 1)
    try:
        begun: commands.EventOutcome = run(charging.begin(charged, event.but(paid=hold_id)))
    except hotpath.HotPathError:
        with contextlib.suppress(hotpath.HotPathError):  # else the sweep does it
            run(charging.resolve(charged, hold_id, call_id))
        raise
    return begun


def run(steps: Steps) -> Any:
    """Run steps in this thread. Raise their errors."""
    result: Any = None
    failure: Exception | None = None
    try:
        while True:
            step = steps.throw(failure) if failure is not None else steps.send(result)
            failure = None
            try:
                result = _run(step)
            except hotpath.HotPathError as error:
                failure = error
    except StopIteration as stop:
        return stop.value


def _run(step: ChargeStep) -> Any:
    if step.event is not None:
        return hotpath.run(commands.event(step.pool, step.event))
    if step.command is None:
        raise TypeError("a step is a command or an event")
    return (step.path or hotpath.default()).run(step.command)
