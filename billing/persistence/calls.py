"""The charges for calls in a batch, added up by rate and quarter of an hour."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from billing.models import CallUsage
from billing.persistence.entries import AccountBatch, counter_leg
from billing.persistence.folding import seconds_of
from billing.pricing.call_codes import rate_of
from billing.wallet import WalletChange
from poolsite import sql_bulk
from poolsite.moments import moment_of
from poolsite.sql_texts import Row

QUARTER_US: Final = 900_000_000
_KEY: Final = ("wallet_id", "quarter", "tariff", "rate")
_SUMS: Final = ("calls", "intervals", "seconds", "revenue")


def sums_of(batch: AccountBatch) -> list[Row]:
    """Return a row for each quarter, tariff and rate with settled call intervals in the batch."""
    sums: dict[tuple[datetime, int, int], list[int]] = {}
    for change in batch.changes:
        if change.message_kind != "call" or change.kind != "settle":
            continue
        quarter = moment_of(change.at_us // QUARTER_US * QUARTER_US)
        key = (quarter, change.tariff_id or 0, rate_of(change.body_hash) or 0)
        told = sums.setdefault(key, [0, 0, 0, 0])
        told[0] += begins_call(change)
        told[1] += 1
        told[2] += seconds_of(change)
        told[3] += counter_leg(change)
    return [(batch.wallet_id, *key, *told) for key, told in sums.items()]


def begins_call(change: WalletChange) -> bool:
    """Whether this is a call's first interval: its hold's ID ends in /<interval>.<attempt>."""
    return change.id.rpartition("/")[2].partition(".")[0] == "1"


def add(rows: Sequence[Row]) -> None:
    """Add the rows in the transaction of their entries, so that they are added exactly once."""
    sql_bulk.add_up(CallUsage, (*_KEY, *_SUMS), rows, unique=_KEY, added=_SUMS)
