"""Stripe's events as reports: the types that this project uses, and how to read them."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from payments.stripe.providers import zero_decimal_currency

from billing import money
from billing.recharging.reports import Method, PaymentEvent, ProviderReport
from billing.recharging.variants import STRIPE

_THREE_DECIMALS = frozenset({"bhd", "jod", "kwd", "omr", "tnd"})
Found = Mapping[str, Any]


class NotUnderstoodError(ValueError):
    """An event of a supported type does not have the form that Stripe documents."""


def decimals_of(currency: str) -> int:
    """Return the number of decimal places of this currency's smallest unit at Stripe."""
    small = currency.lower()
    if small in zero_decimal_currency:
        return 0
    return 3 if small in _THREE_DECIMALS else 2


def to_stripe(units: int, currency: str) -> int:
    """Convert units of 1/10 000 to Stripe's integer.

    Raise MoneyError if the currency is coarser.
    """
    scaled = money.as_decimal(units).scaleb(decimals_of(currency))
    if scaled != scaled.to_integral_value():
        raise money.MoneyError("finer than the currency's smallest coin")
    return int(scaled)


def from_stripe(amount: int, currency: str) -> int:
    """Convert Stripe's integer to units of 1/10 000."""
    return money.parse(Decimal(amount).scaleb(-decimals_of(currency)))


def report_of(event: Found) -> ProviderReport | None:
    """Return the report of an event, or None if its type is not used. Raise NotUnderstoodError."""
    reader = _READERS.get(str(event.get("type")))
    if reader is None:
        return None
    try:
        found = event["data"]["object"]
        return reader(found, str(event["id"]))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise NotUnderstoodError(f"{event.get('type')}: {error!r}") from error


def report_of_state(found: Found) -> ProviderReport | None:
    """Return the report of a checkout session or payment intent that was retrieved.

    Return None if it is still in progress. Raise NotUnderstoodError. The answer comes over our own
    connection to Stripe, so it is trusted.
    """
    kind = _STATES.get((str(found.get("object")), _state_of(found)))
    if kind is None:
        return None
    return report_of({"id": f"look:{found.get('id')}", "type": kind, "data": {"object": found}})


def _state_of(found: Found) -> str:
    if found.get("object") == "checkout.session":
        paid = found.get("payment_status") == "paid"
        return "paid" if paid else str(found.get("status"))
    return str(found.get("status"))


_STATES = {
    ("checkout.session", "paid"): "checkout.session.completed",
    ("checkout.session", "expired"): "checkout.session.expired",
    ("payment_intent", "succeeded"): "payment_intent.succeeded",
    ("payment_intent", "canceled"): "payment_intent.payment_failed",
    ("payment_intent", "requires_payment_method"): "payment_intent.payment_failed",
}


def _session_done(found: Found, event: str) -> ProviderReport | None:
    # "unpaid": a delayed payment method; async_payment_succeeded or _failed follows.
    return _session(found, event, PaymentEvent.PAID) if found["payment_status"] == "paid" else None


def _session_failed(found: Found, event: str) -> ProviderReport:
    return _session(found, event, PaymentEvent.FAILED)


def _session_expired(found: Found, event: str) -> ProviderReport:
    return _session(found, event, PaymentEvent.CANCELLED)


def _session(found: Found, event: str, said: PaymentEvent) -> ProviderReport:
    return ProviderReport(
        variant=STRIPE,
        said=said,
        token=str(found["client_reference_id"] or ""),
        reference=str(found["id"]),
        payment=str(found.get("payment_intent") or ""),
        event=event,
        **_amount(found["amount_total"], found["currency"]),
    )


def _intent_paid(found: Found, event: str) -> ProviderReport | None:
    """Read a paid intent: a paid automatic charge, or only the stored card after a checkout."""
    token = _token_of(found)
    if not token:
        return None
    automatic = (found.get("metadata") or {}).get("automatic") == "1"
    return ProviderReport(
        variant=STRIPE,
        said=PaymentEvent.PAID if automatic else PaymentEvent.KEPT,
        token=token,
        reference=str(found["id"]) if automatic else "",
        payment=str(found["id"]),
        event=event,
        method=_method(found),
        **_amount(found["amount_received"], found["currency"]),
    )


def _intent_failed(found: Found, event: str) -> ProviderReport | None:
    token = _token_of(found)
    automatic = (found.get("metadata") or {}).get("automatic") == "1"
    if not (token and automatic):  # a checkout lets the payer try another card
        return None
    error = found.get("last_payment_error") or {}
    return ProviderReport(
        variant=STRIPE,
        said=PaymentEvent.FAILED,
        token=token,
        reference=str(found["id"]),
        payment=str(found["id"]),
        event=event,
        message=str(error.get("message") or "")[:200],
        **_amount(found["amount"], found["currency"]),
    )


def _charge_refunded(found: Found, event: str) -> ProviderReport:
    return ProviderReport(
        variant=STRIPE,
        said=PaymentEvent.REFUNDED,
        payment=str(found["payment_intent"]),
        reference=str(found["id"]),
        event=event,
        **_amount(found["amount_refunded"], found["currency"]),
    )


def _dispute(said: PaymentEvent) -> Callable[[Found, str], ProviderReport]:
    def read(found: Found, event: str) -> ProviderReport:
        return ProviderReport(
            variant=STRIPE,
            said=said,
            payment=str(found["payment_intent"]),
            reference=str(found["id"]),
            event=event,
            message=str(found.get("reason") or "")[:200],
            **_amount(found["amount"], found["currency"]),
        )

    return read


def _token_of(found: Found) -> str:
    return str((found.get("metadata") or {}).get("recharge") or "")


def _method(found: Found) -> Method | None:
    if not (found.get("setup_future_usage") and found.get("payment_method")):
        return None
    return Method(
        reference=str(found["payment_method"]),
        customer=str(found.get("customer") or ""),
        label="Stripe",
    )


def _amount(amount: Any, currency: Any) -> dict[str, Any]:
    if isinstance(amount, bool) or not isinstance(amount, int) or amount < 0:
        raise ValueError(f"amount {amount!r}")
    if not isinstance(currency, str) or len(currency) != 3:
        raise ValueError(f"currency {currency!r}")
    return {"amount": from_stripe(amount, currency), "currency": currency.upper()}


_READERS: dict[str, Callable[[Found, str], ProviderReport | None]] = {
    "checkout.session.completed": _session_done,
    "checkout.session.async_payment_succeeded": _session_done,
    "checkout.session.async_payment_failed": _session_failed,
    "checkout.session.expired": _session_expired,
    "payment_intent.succeeded": _intent_paid,
    "payment_intent.payment_failed": _intent_failed,
    "charge.refunded": _charge_refunded,
    "charge.dispute.funds_withdrawn": _dispute(PaymentEvent.WITHDRAWN),
    "charge.dispute.funds_reinstated": _dispute(PaymentEvent.REINSTATED),
}
