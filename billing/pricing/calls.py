"""Call rates as values: which rate counts, and what seconds cost. Pure functions without I/O.

A call is rated by the longest prefix of the callee's number that has rates. Among that prefix's
rates, a rate for the time of day takes precedence over one that is always valid. The time is the
account's local time when the interval starts. Seconds are rounded up to whole increments: the first
one at the start of the call, more increments after it. An interval's amount is its seconds times
the price per minute, rounded half up to 1/10 000 once. The connection fee belongs to the first
interval.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

DAY: Final = 1_440  # minutes
EVERY_DAY: Final = 0b111_1111  # Monday is the lowest bit
SECOND_US: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Rate:
    """What calls to a destination cost, at some times or always. Prices are in units.

    `days`: a bit per day, Monday the lowest. The rate is valid from `from_minute` until
    `until_minute` (exclusive) of the local day. If `from_minute` is the later one, the period runs
    past midnight and belongs to the day on which it began. `first` and `increment` are seconds. A
    `rate_id` of 0 is not in SQL yet.
    """

    prefix: str
    destination: str
    price: int
    first: int = 60
    increment: int = 60
    fee: int = 0
    days: int = EVERY_DAY
    from_minute: int = 0
    until_minute: int = DAY
    rate_id: int = 0

    @property
    def is_always(self) -> bool:
        """Whether the rate is always valid."""
        return self.days == EVERY_DAY and (self.from_minute, self.until_minute) == (0, DAY)

    def holds(self, local: datetime) -> bool:
        """Whether the rate is valid at this time of the account's clock."""
        minute, day = local.hour * 60 + local.minute, local.weekday()
        if self.from_minute < self.until_minute:
            return self._on(day) and self.from_minute <= minute < self.until_minute
        if minute >= self.from_minute:
            return self._on(day)
        return minute < self.until_minute and self._on((day - 1) % 7)

    def minutes(self) -> Iterable[tuple[int, int]]:
        """Yield the rate's periods in the week, [from, until) in minutes since Monday, 00:00."""
        for day in range(7):
            if not self._on(day):
                continue
            start, end = day * DAY + self.from_minute, day * DAY + self.until_minute
            if self.until_minute <= self.from_minute:
                end += DAY
            yield start, min(end, 7 * DAY)
            if end > 7 * DAY:
                yield 0, end - 7 * DAY

    def seconds(self, used_us: int, *, first: bool) -> int:
        """Return the seconds to charge for `used_us` µs of an interval. A started second counts.

        `first`: the call's first interval, which costs the first increment however short it was.
        """
        used = -(-max(0, used_us) // SECOND_US)
        if first:
            return self.first + _up(max(0, used - self.first), self.increment)
        return _up(used, self.increment)

    def amount(self, seconds: int, *, first: bool) -> int:
        """Return the cost of an interval's seconds, in units. Half a unit is rounded up."""
        return (2 * seconds * self.price + 60) // 120 + (self.fee if first else 0)

    def length(self, interval: int, *, first: bool) -> int:
        """Return an interval's seconds: `interval` or more, up to the end of an increment."""
        return self.seconds(interval * SECOND_US, first=first)

    def _on(self, day: int) -> bool:
        return bool(self.days >> day & 1)


class RateTable:
    """The rates of a tariff, for finding a rate by phone number."""

    def __init__(self, rates: Iterable[Rate]) -> None:
        found: dict[str, list[Rate]] = {}
        for rate in rates:
            found.setdefault(rate.prefix, []).append(rate)
        self._by_prefix: Mapping[str, tuple[Rate, ...]] = {
            prefix: tuple(sorted(rows, key=lambda rate: rate.is_always))
            for prefix, rows in found.items()
        }
        self._longest = max(map(len, self._by_prefix), default=0)

    def __bool__(self) -> bool:
        return bool(self._by_prefix)

    def find(self, callee: str, local: datetime) -> Rate | None:
        """Return a callee's rate, or None if no prefix matches or the longest has no rate now."""
        for length in range(min(len(callee), self._longest), -1, -1):
            if callee[:length] in self._by_prefix:
                return self.at(callee[:length], local)
        return None

    def at(self, prefix: str, local: datetime) -> Rate | None:
        """Return the rate of exactly this prefix at a time, or None if it has none then."""
        rates = self._by_prefix.get(prefix, ())
        return next((rate for rate in rates if rate.holds(local)), None)


@dataclass(frozen=True, slots=True)
class Cost:
    """The charge of an interval's hold: seconds and units."""

    seconds: int
    units: int


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a call: what is held for it, and the rate.

    `number` counts from 1. `starts`: seconds from the start of the call. A `rate_id` of 0 is the
    tariff's price of a call, charged for each started interval. `comes_back`: unused time is
    returned, so that the interval is settled at its end; otherwise it is settled when it starts.
    """

    tariff_id: int
    number: int
    starts: int
    seconds: int
    price: int
    rate_id: int = 0
    comes_back: bool = False

    @property
    def ends(self) -> int:
        """The end, in seconds from the start of the call."""
        return self.starts + self.seconds

    @property
    def full(self) -> Cost:
        """The cost of the whole interval."""
        return Cost(self.seconds, self.price)


def rated(tariff_id: int, rate: Rate, number: int, starts: int, interval: int) -> Interval:
    """Return an interval of a call by its rate. `interval`: how long the pool holds money for."""
    first = number == 1
    seconds = rate.length(interval, first=first)
    return Interval(
        tariff_id,
        number,
        starts,
        seconds,
        rate.amount(seconds, first=first),
        rate.rate_id,
        comes_back=rate.seconds(1, first=first) < seconds,
    )


def cost_of(rate: Rate, interval: Interval, used_us: int) -> Cost:
    """Return the charge of an interval that lasted `used_us` µs, never more than all of it."""
    if used_us >= interval.seconds * SECOND_US:
        return interval.full
    first = interval.number == 1
    seconds = rate.seconds(used_us, first=first)
    return Cost(seconds, min(rate.amount(seconds, first=first), interval.price))


def _up(seconds: int, increment: int) -> int:
    return -(-seconds // increment) * increment
