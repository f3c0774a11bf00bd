"""Charged calls: a month by destination, and one interval by its rate."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.db.models import Sum

from billing.call_words import explanation, rate_words
from billing.models import CallRate, CallUsage, JournalEntry, Message, Wallet
from billing.pricing import call_codes
from billing.pricing.calls import Rate
from billing.pricing.modes import CALL
from billing.services.call_rates import rate_in
from billing.services.days import Month

MOST: Final = 10_000  # destinations of one statement


@dataclass(frozen=True, slots=True)
class CallLine:
    """The calls of a month at one rate.

    `rate` is None where the tariff's price of a call applied.
    """

    rate: Rate | None
    calls: int
    seconds: int
    units: int

    @property
    def prefix(self) -> str:
        """The prefix of the called numbers; "" for all other numbers."""
        return self.rate.prefix if self.rate else ""

    @property
    def destination(self) -> str:
        """The rate's name of the destination; "" if the call was not rated by destination."""
        return self.rate.destination if self.rate else ""

    @property
    def explanation(self) -> str:
        """The rate and the seconds, for a person."""
        return explanation(self.rate, self.seconds)


@dataclass(frozen=True)
class Calls:
    """The calls of a month, the most expensive first; `lines` are the first of `count`.

    `seconds` and `units` are the sums over all lines.
    """

    lines: Sequence[CallLine] = ()
    count: int = 0
    calls: int = 0
    seconds: int = 0
    units: int = 0

    @property
    def more(self) -> int:
        """The number of lines that are left out."""
        return self.count - len(self.lines)


def calls_of(wallet: Wallet, month: Month, limit: int) -> Calls:
    """Return the month's calls by rate.

    It adds up a few rows for each quarter of an hour and reads no messages.
    """
    since, until = (datetime.fromtimestamp(us / 1e6, UTC) for us in (month.start_us, month.end_us))
    rows = CallUsage.objects.filter(wallet=wallet, quarter__gte=since, quarter__lt=until)
    sums = (
        rows.order_by()
        .values_list("rate")
        .annotate(Sum("calls"), Sum("seconds"), units=Sum("revenue"))
        .order_by("-units", "rate")[:MOST]
    )
    found = list(sums)
    rates = _rates(rate for rate, *_ in found[:limit])
    return Calls(
        [CallLine(rates.get(rate), *told) for rate, *told in found[:limit]],
        len(found),
        *(sum(row[place] for row in found) for place in (1, 2, 3)),
    )


def _rates(keys: Iterable[int]) -> dict[int, Rate]:
    rows = CallRate.objects.filter(pk__in=[key for key in keys if key])
    return {row.pk: rate_in(row) for row in rows}


@dataclass(frozen=True, slots=True)
class ExplainedInterval:
    """The charged seconds of an interval, and a text that explains its price."""

    seconds: int
    text: str


def explained(wallet: Wallet, entries: Iterable[JournalEntry]) -> dict[str, ExplainedInterval]:
    """Return the call intervals that these entries settle, by hold ID; two queries."""
    ids = [row.operation_id for row in entries if row.kind == "settle" and row.mode == CALL]
    if not ids:
        return {}
    rows = Message.objects.filter(wallet=wallet, message_id__in=ids)
    told = list(rows.values_list("message_id", "body_hash", "charged_seconds", "charged"))
    rates = _rates(call_codes.rate_of(code) or 0 for _, code, _, _ in told)
    return {
        message_id: ExplainedInterval(seconds, _words(rates, code, seconds, charged))
        for message_id, code, seconds, charged in told
    }


def explain(message: Message | None) -> str:
    """Explain the price of one interval of a call, or name its rate until it is charged.

    Return "" if the message is not an interval of a call.
    """
    rate_id = call_codes.rate_of(message.body_hash) if message is not None else None
    if message is None or rate_id is None:
        return ""
    rates = _rates([rate_id])
    if message.state != "settled":
        return rate_words(rates[rate_id]) if rate_id in rates else ""
    return _words(rates, message.body_hash, message.charged_seconds, message.charged)


def _words(rates: Mapping[int, Rate], code: str, seconds: int, charged: int) -> str:
    rate = rates.get(call_codes.rate_of(code) or 0)
    return explanation(rate, seconds, charged, call_codes.seconds_of(code))
