"""Call rates of a tariff in SQL: written with the tariff, read for calls by their IDs."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from datetime import datetime
from functools import lru_cache
from typing import Final

from billing.models import CallRate, Tariff
from billing.pricing.calls import Rate, RateTable
from billing.pricing.rate_rows import check_rates
from poolsite import sql_bulk

# Rows never change, and a digest always means the same rates, so cached values stay valid.
TABLES: Final = 64
RATES: Final = 20_000
_COLUMNS: Final = (
    *("prefix", "destination", "price", "first", "increment", "fee"),
    *("days", "from_minute", "until_minute", "pk"),
)


def rates_of(tariff: Tariff) -> list[Rate]:
    """Return the rates of a tariff, by prefix."""
    return list(_rates(tariff.pk)) if tariff.rates_count else []


def rate_in(row: CallRate) -> Rate:
    """Return a row as a value."""
    return Rate(*(getattr(row, name) for name in _COLUMNS))


@lru_cache(TABLES)
def table_of(tariff_id: int, digest: str) -> RateTable:
    """Return the rates of a tariff, to find one by a number; `digest` is the tariff's."""
    return RateTable(_rates(tariff_id))


@lru_cache(RATES)
def rate_of(rate_id: int) -> Rate | None:
    """Return one rate, or None if it does not exist."""
    row = CallRate.objects.filter(pk=rate_id).values_list(*_COLUMNS).first()
    return None if row is None else Rate(*row)


def rate_at(rate_id: int, local: datetime) -> Rate | None:
    """Return the rate of the same tariff and prefix that is valid at a time, or None."""
    known = CallRate.objects.filter(pk=rate_id).values_list("tariff_id", "prefix").first()
    if known is None:
        return None
    rows = CallRate.objects.filter(tariff_id=known[0], prefix=known[1]).values_list(*_COLUMNS)
    return RateTable(Rate(*row) for row in rows).at(known[1], local)


def write_rates(tariff: Tariff, rates: Sequence[Rate]) -> None:
    """Give a tariff that is not in use yet exactly these rates.

    The caller saves the tariff's own row. Raise RateError if the rates conflict.
    """
    check_rates(rates)
    tariff.rates_count, tariff.rates_digest = len(rates), digest_of(rates)
    if tariff.pk is not None:
        CallRate.objects.filter(tariff=tariff).delete()  # unaudited: the tariff's entry has it


def insert_rates(tariff: Tariff, rates: Sequence[Rate]) -> None:
    """Write the rows, once the tariff has a key."""
    names = _COLUMNS[:-1]
    sql_bulk.insert(
        CallRate,
        [
            {"tariff_id": tariff.pk} | {name: getattr(rate, name) for name in names}
            for rate in rates
        ],
    )


def digest_of(rates: Sequence[Rate]) -> str:
    """Return a digest of the rates, independent of their order; "" if there are none."""
    if not rates:
        return ""
    told = sorted(astuple(replace(rate, rate_id=0)) for rate in rates)
    return hashlib.blake2b(json.dumps(told).encode(), digest_size=16).hexdigest()


def _rates(tariff_id: int) -> Iterator[Rate]:
    rows = CallRate.objects.filter(tariff=tariff_id).order_by("prefix", "days", "from_minute", "pk")
    for row in rows.values_list(*_COLUMNS).iterator():
        yield Rate(*row)
