"""What calls were charged for: a month by destination, and one interval by its rate."""

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
    """The calls of a month by one rate. `rate` None: by the tariff's price of a call."""

    rate: Rate | None
    calls: int
    seconds: int
    units: int

    @property
    def prefix(self) -> str:
        """Of the numbers called; "" = every other."""
        return self.rate.prefix if self.rate else ""

    @property
    def destination(self) -> str:
        """The rate's name of it; "" = the call was not rated by its destination."""
        return self.rate.destination if self.rate else ""

    @property
    def explanation(self) -> str:
        """The rate and the seconds, for a person."""
        return explanation(self.rate, self.seconds)


@dataclass(frozen=True)
class Calls:
    """The calls of a month, those that cost most first; `lines` are the first of `count`.

    `seconds`, `units` are those of all lines.
    """

    lines: Sequence[CallLine] = ()
    count: int = 0
    calls: int = 0
    seconds: int = 0
    units: int = 0

    @property
    def more(self) -> int:
        """How many lines are left out."""
        return self.count - len(self.lines)


def calls_of(wallet: Wallet, month: Month, limit: int) -> Calls:
    """The month's calls by rate: some rows for each quarter of an hour are added up, no message."""
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
    """How many seconds of an interval were charged, and why they cost so much."""

    seconds: int
    text: str


def explained(wallet: Wallet, entries: Iterable[JournalEntry]) -> dict[str, ExplainedInterval]:
    """The intervals of calls that these entries settle, by the id of their hold; two queries."""
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
    """Why one interval of a call cost what it did, until then its rate; "" = it is none."""
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
