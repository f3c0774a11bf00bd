"""The cost of calls, computed in the simplest way: minute by minute and second by second."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from hypothesis import strategies as st

from billing.pricing.calls import Rate

MINUTES = 1_440


def holds(rate: Rate, local: datetime) -> bool:
    """Return whether the rate holds: walk back from a minute to the start of the rate's time."""
    at = local.replace(second=0, microsecond=0, tzinfo=None)
    length = (rate.until_minute - rate.from_minute) % MINUTES or MINUTES
    for back in range(length):
        start = at - timedelta(minutes=back)
        if start.hour * 60 + start.minute == rate.from_minute:
            return rate.days & 1 << start.weekday() != 0
    return False


def found(rates: Sequence[Rate], callee: str, local: datetime) -> Rate | None:
    """Return the best of all rates that apply."""
    fitting = [rate for rate in rates if callee.startswith(rate.prefix)]
    longest = max((len(rate.prefix) for rate in fitting), default=0)
    best = [rate for rate in fitting if len(rate.prefix) == longest and holds(rate, local)]
    return min(best, key=lambda rate: rate.is_always, default=None)


def seconds(rate: Rate, used_us: int) -> int:
    """Return the charged seconds of a whole call: increments are added until it is covered."""
    charged = rate.first
    while charged * 1_000_000 < used_us:
        charged += rate.increment
    return charged


def amount(rate: Rate, charged: int) -> int:
    """Return the amount of the seconds at the price per minute, half a unit rounded up."""
    exact = Fraction(charged * rate.price, 60)
    return int(exact + Fraction(1, 2))


increments = st.sampled_from([1, 6, 10, 30, 60, 90])
minutes = st.sampled_from([0, 1, 480, 1_080, 1_320, 1_439])
rates = st.builds(
    Rate,
    prefix=st.sampled_from(["", "+", "+4", "+49", "+491", "+4917", "110"]),
    destination=st.just("Somewhere"),
    price=st.integers(0, 50_000),
    first=increments,
    increment=increments,
    fee=st.sampled_from([0, 500]),
    days=st.integers(1, 127),
    from_minute=minutes,
    until_minute=st.sampled_from([1, 480, 1_080, 1_320, 1_440]),
).filter(lambda rate: rate.from_minute != rate.until_minute)
always = st.builds(
    Rate,
    prefix=st.sampled_from(["", "+49", "+4917"]),
    destination=st.just("Always"),
    price=st.integers(0, 50_000),
)
moments = st.datetimes(
    datetime(2026, 1, 1),  # noqa: DTZ001  the zone is given beside
    datetime(2027, 12, 31),  # noqa: DTZ001
    timezones=st.just(UTC),
)
callees = st.sampled_from(["", "+", "+491701234567", "+49301234567", "+8613912345678", "110"])
