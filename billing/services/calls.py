"""Charged calls: each started interval is one hold that is settled when the interval begins.

The steps are commands, so that whoever makes the call (numbers) runs them in its own lane and
between its own steps; every one may be repeated. A hold that is not marked as sent within 60 s
ends by itself.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Final

from django.utils import timezone

from billing import wallet as door
from billing.models import Wallet
from billing.pricing import Content, PriceError
from billing.pricing.modes import CALL
from billing.services.senders import WalletRef, ref_of
from billing.wallet import Charge, HoldRequest, Quote, Report, reasons
from poolsite.hotpath import Command, HotPath

__all__ = [
    "CallRefusedError",
    "Charge",
    "Payer",
    "hold_id_of",
    "interval_of",
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
    *("no-tariff", "payment-required"),
)


class CallRefusedError(Exception):
    """A call that is not paid for; `kind` is a problem type, `detail` one sentence."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind, self.detail = kind, detail


@dataclass(frozen=True, slots=True)
class Payer:
    """The wallet that pays for an account's calls."""

    ref: WalletRef

    @property
    def path(self) -> HotPath:
        """Where its commands run."""
        return self.ref.path

    def hold(
        self, hold_id: str, at: datetime | None = None, *, sent: bool = False
    ) -> Command[Charge]:
        """Hold the price of one interval, at once marked as sent. CallRefusedError `no-tariff`."""
        moment = at or timezone.now()
        try:
            quote = self.ref.book.quote((CALL,), Content(), moment)
        except PriceError as error:
            raise CallRefusedError("no-tariff", str(error)) from None
        quote = Quote(quote.prices, quote.tariff_id)  # a call ends in nothing else
        return door.hold(self.ref.slug, HoldRequest(hold_id, "call", quote, kind="call", sent=sent))

    def sent(self, hold_id: str) -> Command[list[Charge]]:
        """Mark a hold just before the call: from now on it ends by settle or give_back alone."""
        return door.sent(self.ref.slug, [hold_id])

    def settle(self, hold_id: str) -> Command[Charge]:
        """The interval has begun: its price is kept."""
        return door.report(self.ref.slug, Report(hold_id, final=True, delivered=True, mode=CALL))

    def cancel(self, hold_id: str) -> Command[Charge]:
        """The interval will never begin: all is returned, unless the hold is marked as sent."""
        return door.cancel(self.ref.slug, hold_id)

    def give_back(self, hold_id: str) -> Command[Charge]:
        """The same of a hold that is marked as sent."""
        return door.report(self.ref.slug, Report(hold_id, final=True, delivered=False))


def payer_of(account_id: int | None) -> Payer | None:
    """Who pays for the calls of an account's pools; None = nobody can."""
    if account_id is None:
        return None
    wallet = Wallet.objects.select_related("account").filter(account=account_id).first()
    return None if wallet is None else Payer(ref_of(wallet))


def refusal_of(charge: Charge) -> CallRefusedError | None:
    """Why a hold does not stand; None = it does."""
    if charge.made or (charge.answer == reasons.REPEAT and charge.state == "settled"):
        return None
    kind, detail = _KINDS.get(charge.answer, ("unavailable", "the account cannot be charged now"))
    return CallRefusedError(kind, detail)


def is_sent(charge: Charge) -> bool:
    """Whether a hold is marked as sent, now or before."""
    return charge.state == "sent"


def is_lasting(error: CallRefusedError) -> bool:
    """Whether a running call has to end for it."""
    return error.kind in _LASTING


def hold_id_of(pool: str, call_id: str, interval: int, attempt: str = "") -> str:
    """A hold's id: pool, call and interval, and an attempt: nobody's else unless it is named."""
    plain = call_id if call_id.isascii() and call_id.isalnum() and len(call_id) <= 22 else ""
    call = plain or blake2b(call_id.encode(), digest_size=10).hexdigest()
    return f"{pool}/{call}/{interval}.{attempt or secrets.token_hex(4)}"


def interval_of(hold_id: str) -> int:
    """The interval that a hold of hold_id_of pays for."""
    return int(hold_id.rpartition("/")[2].partition(".")[0])
