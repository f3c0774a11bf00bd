"""A provider's report about a payment, as a value, and the one function that takes reports."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class PaymentEvent(StrEnum):
    """What happened to the payment."""

    PAID = "paid"
    OPENED = "opened"  # the payer is at the provider's form
    FAILED = "failed"
    CANCELLED = "cancelled"
    REFUNDED = "refunded"  # amount = sum of all refunds of the payment
    WITHDRAWN = "withdrawn"  # a chargeback took the money
    REINSTATED = "reinstated"  # a chargeback was won
    KEPT = "kept"  # the provider stored the card


class ReportResult(StrEnum):
    """The result of a report. Only CREDITED, TAKEN_BACK and REINSTATED move money, once each."""

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
    TOO_EARLY = "too early"  # an earlier report is still missing: this one must be sent again
    UNKNOWN = "unknown payment"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Method:
    """A stored card: the provider's token and customer, and a label for people ("Visa 4242")."""

    reference: str
    customer: str
    label: str


@dataclass(frozen=True, slots=True)
class ProviderReport:
    """One report from a provider. `amount` is in units of 1/10 000, `currency` in capitals.

    The payment is found by `token`, else by `payment`. `reference` is the provider's ID of the
    payment as it was opened, `payment` its ID of what was paid, `event` its ID of this report.
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
    """Register the handler of reports (services.recharges). AppConfig.ready() calls this."""
    _handler[:] = [handler]


def deliver(report: ProviderReport) -> ReportResult:
    """Hand in a report and return its result. A repeated report is answered, but never applied."""
    return _handler[0](report)
