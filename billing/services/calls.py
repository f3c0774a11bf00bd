"""Charged calls: each started interval is one hold, at the rate of the callee's number.

An interval whose unused time can be returned is settled when it ends, any other when it begins. The
steps are commands, so that the code that makes the call (numbers) can run them in its own lane and
between its own steps. Every step may be repeated. A hold that is not marked as sent within 60 s
ends automatically.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from hashlib import blake2b
from typing import Final

from django.utils import timezone

from billing import wallet as commands
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
# Refusals that end a running call. The others pass, and the interval is charged later.
_LASTING: Final = (
    *("insufficient-balance", "account-frozen", "account-closed", "daily-limit"),
    *("no-tariff", "no-rate", "payment-required"),
)


class CallRefusedError(Exception):
    """The call is not paid for; `kind` is a problem type, `detail` one sentence."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind, self.detail = kind, detail


@dataclass(frozen=True, slots=True)
class Payer:
    """The wallet that pays for an account's calls.

    `rates` has the rates of each tariff that has any. `zone` is the account's time zone, which
    times of day refer to.
    """

    ref: WalletRef
    zone: tzinfo = UTC
    rates: Mapping[int, RateTable] = field(default_factory=dict)

    @property
    def path(self) -> HotPath:
        """Where the wallet's commands run."""
        return self.ref.path

    def first(self, callee: str, seconds: int, at: datetime | None = None) -> Interval:
        """Return a call's first interval, of at least this many seconds.

        `callee` is in canonical form. Raise CallRefusedError: `no-tariff` if no tariff is valid, or
        it has neither rates nor a price for calls; `no-rate` if neither the callee's destination
        has a rate at this time nor the tariff a price for all calls.
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
        """Return the next interval, by the tariff with which the call began. Reads from SQL.

        Raise CallRefusedError `no-rate` if the destination has no rate at this time.
        """
        number, starts, tariff_id = before.number + 1, before.ends, before.tariff_id
        if not before.rate_id:
            return Interval(tariff_id, number, starts, seconds, before.price)
        rate = call_rates.rate_at(before.rate_id, at.astimezone(self.zone))
        if rate is None:
            raise CallRefusedError("no-rate", "the destination has no rate at this time")
        return rated(tariff_id, rate, number, starts, seconds)

    def unrated(self, number: int, seconds: int) -> Interval:
        """Return an interval of a call whose holds have no rate: an earlier release created them.

        It has the tariff's current price of a call. Raise CallRefusedError `no-tariff` without one.
        """
        version: Version | None = self.ref.book.at(timezone.now())
        if version is None or CALL not in version.prices:
            raise CallRefusedError("no-tariff", f"the tariff has no price for {CALL}")
        price = version.prices[CALL].unit_price
        return Interval(version.tariff_id, number, (number - 1) * seconds, seconds, price)

    def cost(self, interval: Interval, used_us: int) -> Cost:
        """Return the cost of an interval that lasted this long. Reads its rate from SQL."""
        rate = call_rates.rate_of(interval.rate_id) if interval.comes_back else None
        return interval.full if rate is None else cost_of(rate, interval, used_us)

    def hold(self, hold_id: str, interval: Interval, *, sent: bool = False) -> Command[Charge]:
        """Hold the price of an interval; with `sent`, mark it as sent at once."""
        quote = Quote({CALL: interval.price}, interval.tariff_id)  # a call can end in no other mode
        code = call_codes.code_of(interval)
        request = HoldRequest(hold_id, code, quote, kind="call", sent=sent)
        return commands.hold(self.ref.slug, request)

    def held(self, hold_id: str) -> Command[MessageState | None]:
        """Read what the wallet has about a hold; interval_in reads its interval."""
        return commands.message(self.ref.slug, hold_id)

    def sent(self, hold_id: str) -> Command[list[Charge]]:
        """Mark a hold just before the call; from then on only settle or give_back ends it."""
        return commands.sent(self.ref.slug, [hold_id])

    def settle(self, hold_id: str, cost: Cost | None = None) -> Command[Charge]:
        """Charge an interval's cost and return the rest. If `cost` is None, charge all of it."""
        units, seconds = (cost.units, cost.seconds) if cost else (None, 0)
        report = DeliveryReport(hold_id, True, True, CALL, units, seconds)
        return commands.report(self.ref.slug, report)

    def cancel(self, hold_id: str) -> Command[Charge]:
        """Return all of an interval that will never begin, unless its hold is marked as sent."""
        return commands.cancel(self.ref.slug, hold_id)

    def give_back(self, hold_id: str) -> Command[Charge]:
        """Return all of an interval whose hold is marked as sent."""
        return commands.report(self.ref.slug, DeliveryReport(hold_id, final=True, delivered=False))


def payer_of(account_id: int | None) -> Payer | None:
    """Return the wallet that pays for the calls of an account's pools, or None."""
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
    """Return why a hold is not valid, or None if it is valid."""
    if charge.made or (charge.answer == reasons.REPEAT and charge.state == "settled"):
        return None
    kind, detail = _KINDS.get(charge.answer, ("unavailable", "the account cannot be charged now"))
    return CallRefusedError(kind, detail)


def is_sent(charge: Charge) -> bool:
    """Whether a hold is marked as sent, by this request or an earlier one."""
    return charge.state == "sent"


def is_known(charge: Charge) -> bool:
    """Whether a hold with this ID already exists at another price. That hold stays valid."""
    return charge.answer == reasons.CONFLICT


def is_lasting(error: CallRefusedError) -> bool:
    """Whether a running call must end because of this error."""
    return error.kind in _LASTING


def hold_id_of(pool: str, call_id: str, interval: int, attempt: str = "") -> str:
    """Return a hold's ID: pool, call, interval and an attempt, unique unless `attempt` is given."""
    plain = call_id if call_id.isascii() and call_id.isalnum() and len(call_id) <= 22 else ""
    call = plain or blake2b(call_id.encode(), digest_size=10).hexdigest()
    return f"{pool}/{call}/{interval}.{attempt or secrets.token_hex(4)}"


def interval_in(state: MessageState | None, hold_id: str) -> Interval | None:
    """Return the interval that a hold pays for, as the wallet has it.

    Return None if the data is gone, or if an earlier release created the hold.
    """
    return call_codes.interval_of(state, interval_of(hold_id))


def interval_of(hold_id: str) -> int:
    """Return the number of the interval that a hold ID of hold_id_of pays for."""
    return int(hold_id.rpartition("/")[2].partition(".")[0])
