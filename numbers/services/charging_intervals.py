"""Parts of the charging steps: commands, and the intervals that holds pay for."""

from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from billing.services import calls
from billing.services.calls import Interval, Payer
from numbers import pool as commands
from numbers.canonical import canonical
from poolsite.hotpath import Command, HotPath

LEAD_MS: Final = 5_000  # the next interval is held this long before it starts


@dataclass(frozen=True, slots=True)
class Charged:
    """The part of a charged pool that charging needs. `interval_seconds`: the time of one hold."""

    slug: str
    interval_seconds: int
    payer: Payer
    home_country: str = ""

    @property
    def lead_ms(self) -> int:
        return min(LEAD_MS, self.interval_seconds * 500)

    def first(self, event: commands.Event) -> Interval:
        """Return a call's first interval; inbound, without a destination.

        Raise CallRefusedError if no tariff or rate applies.
        """
        is_in = event.direction == "in" or not event.callee
        callee = "" if is_in else canonical(event.callee or "", self.home_country)
        return self.payer.first(callee, self.interval_seconds)


@dataclass(frozen=True, slots=True)
class ChargeStep:
    """A command to run (`path` None: on the pool's Redis), or an event of `pool` for the runner."""

    command: Command[Any] | None = None
    path: HotPath | None = None
    event: commands.Event | None = None
    pool: str = ""


Steps = Generator[ChargeStep, Any, Any]


def interval_held(pool: Charged, hold_id: str) -> Generator[ChargeStep, Any, Interval]:
    """Return the interval that a hold pays for. If the hold has no rate, use the pool's length."""
    number = calls.interval_of(hold_id)
    state = yield ChargeStep(pool.payer.held(hold_id), pool.payer.path)
    found = calls.interval_in(state, hold_id)
    if found is not None:
        return found
    seconds, price = pool.interval_seconds, 0 if state is None else state.quoted
    return Interval(0, number, (number - 1) * seconds, seconds, price)


def interval_after(
    pool: Charged, hold_id: str, number: int, at: datetime
) -> Generator[ChargeStep, Any, Interval]:
    """Return the interval with this number.

    `hold_id`: the hold of the interval before, or an ended hold of this interval. Raise
    CallRefusedError if no rate or price applies at that time.
    """
    state, seconds = None, pool.interval_seconds
    if hold_id:
        state = yield ChargeStep(pool.payer.held(hold_id), pool.payer.path)
    before = calls.interval_in(state, hold_id) if hold_id else None
    if before is None:
        return pool.payer.unrated(number, seconds)
    return before if before.number == number else pool.payer.following(before, seconds, at)
