"""What the steps of charging are made of: commands, and the intervals that holds pay for."""

from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from billing.services import calls
from billing.services.calls import Interval, Payer
from numbers import pool as door
from numbers.canonical import canonical
from poolsite.hotpath import Command, HotPath

LEAD_MS: Final = 5_000  # the next interval is held so long before it starts


@dataclass(frozen=True, slots=True)
class Charged:
    """A charged pool, as far as charging is concerned. `interval_seconds`: held for at once."""

    slug: str
    interval_seconds: int
    payer: Payer
    home_country: str = ""

    @property
    def lead_ms(self) -> int:
        return min(LEAD_MS, self.interval_seconds * 500)

    def first(self, event: door.Event) -> Interval:
        """The first interval of a call; one that comes in has no destination. CallRefusedError."""
        is_in = event.direction == "in" or not event.callee
        callee = "" if is_in else canonical(event.callee or "", self.home_country)
        return self.payer.first(callee, self.interval_seconds)


@dataclass(frozen=True, slots=True)
class ChargeStep:
    """A command to run; `path` None = the pool's. Or an event of `pool`, in the lane's own way."""

    command: Command[Any] | None = None
    path: HotPath | None = None
    event: door.Event | None = None
    pool: str = ""


Steps = Generator[ChargeStep, Any, Any]


def interval_held(pool: Charged, hold_id: str) -> Generator[ChargeStep, Any, Interval]:
    """The interval that a hold pays for; of a hold without a rate, one of the pool's length."""
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
    """The interval of that number; hold_id: the hold before it, or one of its own that has ended.

    CallRefusedError: it has no rate then.
    """
    state, seconds = None, pool.interval_seconds
    if hold_id:
        state = yield ChargeStep(pool.payer.held(hold_id), pool.payer.path)
    before = calls.interval_in(state, hold_id) if hold_id else None
    if before is None:
        return pool.payer.unrated(number, seconds)
    return before if before.number == number else pool.payer.following(before, seconds, at)
