"""What a provider says of a payment, as a value, and the one door that it is handed in at."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from payments import PaymentStatus

from billing import money

if TYPE_CHECKING:
    from billing.models import Recharge


class Said(StrEnum):
    """What happened to the payment."""

    PAID = "paid"
    OPENED = "opened"  # the payer stands before the provider's form
    FAILED = "failed"
    CANCELLED = "cancelled"
    REFUNDED = "refunded"  # amount = sum of all its refunds
    WITHDRAWN = "withdrawn"  # a charge-back took the money
    REINSTATED = "reinstated"  # a charge-back was won
    KEPT = "kept"  # the provider keeps the card


class Answer(StrEnum):
    """What came of a report. Only CREDITED, TAKEN_BACK and REINSTATED move money, once each."""

    CREDITED = "credited"
    REPEAT = "repeat"
    WRONG_AMOUNT = "wrong amount"
    WRONG_REFERENCE = "wrong reference"
    REVERSED_ALREADY = "refunded already"
    NOT_CREDITED = "not credited"
    TAKEN_BACK = "taken back"
    REINSTATED = "reinstated"
    NOTED = "noted"
    TOO_LATE = "too late"
    TOO_EARLY = "too early"  # what it follows has not come yet: it must come again
    UNKNOWN = "unknown payment"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Method:
    """What a provider keeps: its token, its customer, and words for a person ("Visa 4242")."""

    reference: str
    customer: str
    label: str


@dataclass(frozen=True, slots=True)
class Report:
    """One statement of a provider. `amount` in units of 1/10 000, `currency` in capitals.

    The payment is found by `token`, else by `payment`. `reference` is the provider's name of the
    payment as it was opened, `payment` its name of what was paid, `event` that of the statement.
    """

    variant: str
    said: Said
    token: str = ""
    reference: str = ""
    payment: str = ""
    amount: int = 0
    currency: str = ""
    event: str = ""
    message: str = ""
    method: Method | None = None


_handler: list[Callable[[Report], Answer]] = []


def handled_by(handler: Callable[[Report], Answer]) -> None:
    """Tell who takes reports (services.recharges); called by AppConfig.ready()."""
    _handler[:] = [handler]


def deliver(report: Report) -> Answer:
    """Hand a report in; returns what came of it. A repeated report is answered, never applied."""
    return _handler[0](report)


_WORDS = {
    PaymentStatus.CONFIRMED: Said.PAID,
    PaymentStatus.INPUT: Said.OPENED,
    PaymentStatus.REJECTED: Said.FAILED,
    PaymentStatus.ERROR: Said.FAILED,
    PaymentStatus.CANCELLED: Said.CANCELLED,
}


def of_status(recharge: "Recharge", status: str, message: str) -> Report:
    """What a provider of the library means by a status. ValueError when that is nothing here.

    A refund is no status: it has an amount, which such a provider does not tell.
    """
    said = _WORDS.get(status)
    if said is None:
        raise ValueError(f"a recharge cannot become {status!r} by its provider's word")
    return Report(
        variant=recharge.variant,
        said=said,
        token=recharge.token,
        reference=recharge.transaction_id,
        payment=recharge.provider_payment,
        amount=money.parse(recharge.captured_amount),
        currency=recharge.currency,
        message=message,
    )
