"""Converts call rates from and to the API's form."""

from collections.abc import Sequence
from typing import Final, get_args

from billing.models import CallRate, Tariff
from billing.money import plain
from billing.pricing.calls import Rate
from billing.pricing.rate_rows import RateError, read_rate, time_text
from billing.schemas_paying import CallRateIn, CallRateOut, WeekDay
from poolsite.api.root import ProblemError

_DAYS: Final[tuple[WeekDay, ...]] = get_args(WeekDay)
SHOWN: Final = 1_000  # returned with their tariff; the rest are listed page by page


def rates_in(given: Sequence[CallRateIn] | None) -> list[Rate] | None:
    """Return the rates of a request, or None if it has none. Raise ProblemError at a wrong rate."""
    return None if given is None else [_rate(place, rate) for place, rate in enumerate(given)]


def _rate(place: int, given: CallRateIn) -> Rate:
    try:
        return read_rate(given.model_dump() | {"days": " ".join(given.days or ())})
    except RateError as error:
        raise ProblemError("malformed", f"call_rates.{place}: {error}") from None


def first_rates(tariff: Tariff) -> list[CallRateOut]:
    """Return the first rates of a tariff, sorted by prefix."""
    if not tariff.rates_count:
        return []
    rows = CallRate.objects.filter(tariff=tariff).order_by("prefix", "days", "from_minute", "pk")
    return [rate_out(row) for row in rows[:SHOWN]]


def rate_out(row: CallRate) -> CallRateOut:
    """Return a rate in the API's form."""
    return CallRateOut(
        prefix=row.prefix,
        destination=row.destination,
        days=[name for number, name in enumerate(_DAYS) if row.days >> number & 1],
        start=time_text(row.from_minute),
        end=time_text(row.until_minute),
        price_per_minute=plain(row.price),
        first_increment=row.first,
        increment=row.increment,
        connection_fee=plain(row.fee),
    )
