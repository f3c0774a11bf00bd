"""Calls of charged pools on the hot lane: money is held first, and returned if the call fails."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from billing.services import calls
from billing.services.calls import CallRefusedError, Payer
from numbers import pool as commands
from numbers.api.directory import PoolRef
from numbers.services import charging
from numbers.services.charging_intervals import Charged, ChargeStep, Steps
from poolsite import hotpath
from poolsite.api.directory import DirectoryKind
from poolsite.api.reading import MalformedError

logger = logging.getLogger(__name__)

Run = Callable[[commands.Event], Awaitable[commands.EventOutcome]]
_finishing: set[asyncio.Task[None]] = set()


def _load(account_id: str) -> Payer | None:
    return calls.payer_of(int(account_id))


_PAYERS = DirectoryKind("payers", _load)


async def call(ref: PoolRef, event: commands.Event, run: Run) -> commands.EventOutcome:
    """Begin a call with a hold. A repeated call gets the same answer, without another hold.

    Raise CallRefusedError (the call does not count as blocked), MalformedError, and the errors of
    `run`.
    """
    event = event.but(paid="")  # only this module writes vouchers
    first = await run(event)
    if first.reason != commands.reasons.CHARGE_FIRST:
        return first
    if not event.call_id:
        raise MalformedError("call_id: a call that is charged needs one")
    charged = await _charged(ref)
    hold_id = calls.hold_id_of(ref.slug, event.call_id, 1)
    try:
        outcome: commands.EventOutcome = await _drive(
            charging.begin(charged, event.but(paid=hold_id)), run
        )
    except CallRefusedError:
        raise
    except BaseException:
        _finish(charged, hold_id, event.call_id)
        raise
    return outcome


async def _charged(ref: PoolRef) -> Charged:
    payer = None
    if ref.account_id is not None:
        payer = await _PAYERS.get(str(ref.account_id))
    if payer is None:
        raise CallRefusedError("payment-required", "no account pays for calls of this pool")
    return Charged(ref.slug, ref.charge_interval_seconds, payer, ref.home_country)


def _finish(charged: Charged, hold_id: str, call_id: str) -> None:
    """Settle or return the hold in the background, after the request failed or its client left.

    If this fails, the sweep does it.
    """

    async def finish() -> None:
        try:
            await _drive(charging.resolve(charged, hold_id, call_id), None)
        except (hotpath.HotPathError, OSError) as error:
            logger.warning("numbers: a charge of %s is left to the sweep: %s", charged.slug, error)

    task = asyncio.get_running_loop().create_task(finish())
    _finishing.add(task)
    task.add_done_callback(_finishing.discard)


async def _drive(steps: Steps, run: Run | None) -> Any:
    """Run the steps without blocking the loop."""
    result: Any = None
    failure: Exception | None = None
    try:
        while True:
            step = steps.throw(failure) if failure is not None else steps.send(result)
            failure = None
            try:
                result = await _run(step, run)
            except (hotpath.HotPathError, MalformedError) as error:
                failure = error
    except StopIteration as stop:
        return stop.value


async def _run(step: ChargeStep, run: Run | None) -> Any:
    if step.event is not None and run is not None:
        return await run(step.event)
    if step.command is None:
        raise TypeError("a step is a command or an event")
    return await (step.path or hotpath.default()).arun(step.command)
