"""What a provider says of a payment, as a value, and the one door that it is handed in at."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class PaymentEvent(StrEnum):
    """What happened to the payment."""

    PAID = "paid"
    OPENED = "opened"  # the payer stands before the provider's form
    FAILED = "failed"
    CANCELLED = "cancelled"
    REFUNDED = "refunded"  # amount = sum of all its refunds
    WITHDRAWN = "withdrawn"  # a charge-back took the money
    REINSTATED = "reinstated"  # a charge-back was won
    KEPT = "kept"  # the provider keeps the card


class ReportResult(StrEnum):
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
class ProviderReport:
    """One statement of a provider. `amount` in units of 1/10 000, `currency` in capitals.

    The payment is found by `token`, else by `payment`. `reference` is the provider's name of the
    payment as it was opened, `payment` its name of what was paid, `event` that of the statement.
    """

    variant: str
    said: PaymentEvent
    token: str = ""
    reference: str = ""
    payment: str = ""
    amount: int = 0
    currency: str = ""
    event: str = ""
    message: str = ""
    method: Method | None = None


_handler: list[Callable[[ProviderReport], ReportResult]] = []


def handled_by(handler: Callable[[ProviderReport], ReportResult]) -> None:
    """Tell who takes reports (services.recharges); called by AppConfig.ready()."""
    _handler[:] = [handler]


def deliver(report: ProviderReport) -> ReportResult:
    """Hand a report in; returns what came of it. A repeated report is answered, never applied."""
    return _handler[0](report)
