"""Charged calls: each started interval is one hold, by the rate of the callee's number.

An interval of which unused time can come back is settled when it ends, any other when it begins.
The steps are commands, so that whoever makes the call (numbers) runs them in its own lane and
between its own steps; every one may be repeated. A hold that is not marked as sent within 60 s
ends by itself.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from hashlib import blake2b
from typing import Final

from django.utils import timezone

from billing import wallet as door
from billing.models import Wallet
from billing.pricing import call_codes
from billing.pricing.book import Version
from billing.pricing.calls import Cost, Interval, RateTable, cost_of, rated
from billing.pricing.modes import CALL
from billing.services import call_rates
from billing.services.days import zone_of
from billing.services.senders import WalletRef, ref_of
from billing.wallet import Charge, DeliveryReport, HoldRequest, MessageState, Quote, reasons
from poolsite.hotpath import Command, HotPath

__all__ = [
    "CallRefusedError",
    "Charge",
    "Cost",
    "Interval",
    "Payer",
    "hold_id_of",
    "interval_in",
    "interval_of",
    "is_known",
    "is_lasting",
    "is_sent",
    "payer_of",
    "refusal_of",
]

_KINDS: Final = {
    reasons.INSUFFICIENT: ("insufficient-balance", "insufficient balance"),
    reasons.FROZEN: ("account-frozen", "the account is frozen"),
    reasons.CLOSED: ("account-closed", "the account is closed"),
    reasons.DAILY_LIMIT: ("daily-limit", "the account's daily limit is reached"),
    reasons.BACKLOG_FULL: ("backlog-full", "too much waits to be written"),
    reasons.SAFE_MODE: ("safe-mode", "the account is being recovered"),
}
# Refusals that a running call does not outlive; the others pass, and its interval is charged then.
_LASTING: Final = (
    *("insufficient-balance", "account-frozen", "account-closed", "daily-limit"),
    *("no-tariff", "no-rate", "payment-required"),
)


class CallRefusedError(Exception):
    """A call that is not paid for; `kind` is a problem type, `detail` one sentence."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind, self.detail = kind, detail


@dataclass(frozen=True, slots=True)
class Payer:
    """The wallet that pays for an account's calls. `rates`: of each tariff version that has any;
    `zone`: the account's, by whose clock times of day are meant.
    """

    ref: WalletRef
    zone: tzinfo = UTC
    rates: Mapping[int, RateTable] = field(default_factory=dict)

    @property
    def path(self) -> HotPath:
        """Where its commands run."""
        return self.ref.path

    def first(self, callee: str, seconds: int, at: datetime | None = None) -> Interval:
        """A call's first interval, of at least so many seconds.

        callee: its canonical form. CallRefusedError `no-tariff`; `no-rate`: neither the callee's
        destination has a rate at this time, nor the tariff a price for every call.
        """
        moment = at or timezone.now()
        version = self.ref.book.at(moment)
        if version is None:
            raise CallRefusedError("no-tariff", "no tariff is valid now")
        table = self.rates.get(version.tariff_id)
        rate = table.find(callee, moment.astimezone(self.zone)) if table else None
        if rate is not None:
            return rated(version.tariff_id, rate, 1, 0, seconds)
        if CALL in version.prices:
            return Interval(version.tariff_id, 1, 0, seconds, version.prices[CALL].unit_price)
        if not table:
            raise CallRefusedError("no-tariff", f"the tariff has no price for {CALL}")
        raise CallRefusedError("no-rate", f"no rate for calls to {callee or 'an unknown number'}")

    def following(self, before: Interval, seconds: int, at: datetime) -> Interval:
        """The interval after one, by the tariff version that the call began with. Asks SQL.

        CallRefusedError `no-rate`: the destination has no rate at this time.
        """
        number, starts, tariff_id = before.number + 1, before.ends, before.tariff_id
        if not before.rate_id:
            return Interval(tariff_id, number, starts, seconds, before.price)
        rate = call_rates.rate_at(before.rate_id, at.astimezone(self.zone))
        if rate is None:
            raise CallRefusedError("no-rate", "the destination has no rate at this time")
        return rated(tariff_id, rate, number, starts, seconds)

    def unrated(self, number: int, seconds: int) -> Interval:
        """An interval of a call whose holds know no rate: a release before this one made them.

        By the tariff's price of a call, as it is now. CallRefusedError `no-tariff`.
        """
        version: Version | None = self.ref.book.at(timezone.now())
        if version is None or CALL not in version.prices:
            raise CallRefusedError("no-tariff", f"the tariff has no price for {CALL}")
        price = version.prices[CALL].unit_price
        return Interval(version.tariff_id, number, (number - 1) * seconds, seconds, price)

    def cost(self, interval: Interval, used_us: int) -> Cost:
        """What an interval costs that lasted so long. Asks SQL for its rate."""
        rate = call_rates.rate_of(interval.rate_id) if interval.comes_back else None
        return interval.full if rate is None else cost_of(rate, interval, used_us)

    def hold(self, hold_id: str, interval: Interval, *, sent: bool = False) -> Command[Charge]:
        """Hold the price of an interval, at once marked as sent."""
        quote = Quote({CALL: interval.price}, interval.tariff_id)  # a call ends in nothing else
        code = call_codes.code_of(interval)
        request = HoldRequest(hold_id, code, quote, kind="call", sent=sent)
        return door.hold(self.ref.slug, request)

    def held(self, hold_id: str) -> Command[MessageState | None]:
        """What the wallet knows of a hold: interval_in reads its interval."""
        return door.message(self.ref.slug, hold_id)

    def sent(self, hold_id: str) -> Command[list[Charge]]:
        """Mark a hold just before the call: from now on it ends by settle or give_back alone."""
        return door.sent(self.ref.slug, [hold_id])

    def settle(self, hold_id: str, cost: Cost | None = None) -> Command[Charge]:
        """Keep an interval's cost, and return the rest; None = all of it is kept."""
        units, seconds = (cost.units, cost.seconds) if cost else (None, 0)
        report = DeliveryReport(hold_id, True, True, CALL, units, seconds)
        return door.report(self.ref.slug, report)

    def cancel(self, hold_id: str) -> Command[Charge]:
        """The interval will never begin: all is returned, unless the hold is marked as sent."""
        return door.cancel(self.ref.slug, hold_id)

    def give_back(self, hold_id: str) -> Command[Charge]:
        """The same of a hold that is marked as sent."""
        return door.report(self.ref.slug, DeliveryReport(hold_id, final=True, delivered=False))


def payer_of(account_id: int | None) -> Payer | None:
    """Who pays for the calls of an account's pools; None = nobody can."""
    if account_id is None:
        return None
    wallet = Wallet.objects.select_related("account").filter(account=account_id).first()
    if wallet is None:
        return None
    ref = ref_of(wallet)
    rates = {
        version.tariff_id: call_rates.table_of(version.tariff_id, version.rates_digest)
        for version in ref.book.versions
        if version.rates_digest
    }
    return Payer(ref, zone_of(wallet.account), rates)


def refusal_of(charge: Charge) -> CallRefusedError | None:
    """Why a hold does not stand; None = it does."""
    if charge.made or (charge.answer == reasons.REPEAT and charge.state == "settled"):
        return None
    kind, detail = _KINDS.get(charge.answer, ("unavailable", "the account cannot be charged now"))
    return CallRefusedError(kind, detail)


def is_sent(charge: Charge) -> bool:
    """Whether a hold is marked as sent, now or before."""
    return charge.state == "sent"


def is_known(charge: Charge) -> bool:
    """Whether a hold of this id was made before, at another price: that one stands."""
    return charge.answer == reasons.CONFLICT


def is_lasting(error: CallRefusedError) -> bool:
    """Whether a running call has to end for it."""
    return error.kind in _LASTING


def hold_id_of(pool: str, call_id: str, interval: int, attempt: str = "") -> str:
    """A hold's id: pool, call and interval, and an attempt: nobody's else unless it is named."""
    plain = call_id if call_id.isascii() and call_id.isalnum() and len(call_id) <= 22 else ""
    call = plain or blake2b(call_id.encode(), digest_size=10).hexdigest()
    return f"{pool}/{call}/{interval}.{attempt or secrets.token_hex(4)}"


def interval_in(state: MessageState | None, hold_id: str) -> Interval | None:
    """The interval that a hold pays for, as the wallet has it; None: nothing tells it any more, or
    a release before this one has made the hold.
    """
    return call_codes.interval_of(state, interval_of(hold_id))


def interval_of(hold_id: str) -> int:
    """The interval that a hold of hold_id_of pays for."""
    return int(hold_id.rpartition("/")[2].partition(".")[0])
