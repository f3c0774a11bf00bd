"""Stripe through django-payments: checkout, stored cards, signed events.

The library's own class was written for a Stripe client whose objects were dicts. It compares no
amounts, lets a late "expired" undo a payment and answers a forged signature with 500. This class
therefore uses only the library's variant, URLs and settings; the requests to Stripe and the reading
of its events are our own.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import stripe
from django.http import HttpRequest, HttpResponse, JsonResponse
from payments import PaymentError, RedirectNeeded
from payments.stripe.providers import StripeProviderV3

from billing.money import MoneyError
from billing.recharging import reports, stripe_events
from billing.recharging.variants import STRIPE, ProviderError

if TYPE_CHECKING:
    from billing.models import PaymentMethod, Recharge

BODY_LIMIT_BYTES = 256 * 1024
TIMEOUT_SECONDS = 10.0
_ERRORS = (stripe.StripeError, OSError, MoneyError)


class StripeProvider(StripeProviderV3):
    """One Stripe account. `api_base` is an address other than Stripe's own, for tests."""

    keeps_methods = True

    def __init__(self, api_key: str, endpoint_secret: str, api_base: str = "") -> None:
        super().__init__(api_key, use_token=True, endpoint_secret=endpoint_secret)
        self._client = stripe.StripeClient(
            api_key,
            base_addresses={"api": api_base} if api_base else None,
            http_client=stripe.RequestsClient(timeout=TIMEOUT_SECONDS),
            max_network_retries=1,
        )

    # -- to Stripe ---------------------------------------------------------------------------

    def open(self, recharge: "Recharge") -> str:
        """Open a checkout and return its address.

        Its idempotency key makes repeated calls return the same.
        """
        if recharge.transaction_id:
            return str(recharge.attrs.url)
        try:
            session = self._client.v1.checkout.sessions.create(
                _checkout(recharge), {"idempotency_key": f"recharge:{recharge.token}"}
            )
        except _ERRORS as error:
            raise _provider_error(error) from error
        recharge.transaction_id = str(session.id)
        recharge.attrs.url = str(session.url)
        recharge.save()
        return str(session.url)

    def charge_kept(self, recharge: "Recharge", method: "PaymentMethod") -> None:
        """Charge a stored card without its holder present; an event reports the result."""
        try:
            intent = self._client.v1.payment_intents.create(
                _off_session(recharge, method), {"idempotency_key": f"recharge:{recharge.token}"}
            )
        except _ERRORS as error:
            raise _provider_error(error) from error
        recharge.transaction_id = recharge.provider_payment = str(intent.id)
        recharge.save()

    def look(self, recharge: "Recharge") -> reports.ProviderReport | None:
        """Retrieve the checkout or the charge, and return the same report as from its event."""
        opened = recharge.transaction_id
        try:
            if opened.startswith("cs_"):
                found = self._client.v1.checkout.sessions.retrieve(opened).to_dict()
            else:
                found = self._client.v1.payment_intents.retrieve(opened).to_dict()
        except _ERRORS as error:
            raise _provider_error(error) from error
        try:
            return stripe_events.report_of_state(found)
        except stripe_events.NotUnderstoodError as error:
            raise ProviderError(f"{STRIPE}: {error}", certain=False) from error

    def forget(self, method: "PaymentMethod") -> None:
        """Detach the card from its customer."""
        try:
            self._client.v1.payment_methods.detach(method.reference)
        except _ERRORS as error:
            raise _provider_error(error) from error

    def get_form(self, payment: "Recharge", data: Any = None) -> Any:
        """Raise RedirectNeeded to Stripe's page, as the library expects."""
        raise RedirectNeeded(self.open(payment))

    # -- from Stripe --------------------------------------------------------------------------

    def get_token_from_request(self, payment: Any, request: HttpRequest) -> str:
        """Raise PaymentError: events go to our own address, not to the library's."""
        raise PaymentError("Send Stripe's events to /payments/events/stripe/.", code=404)

    def process_data(self, payment: "Recharge", request: HttpRequest) -> HttpResponse:
        """Answer 404: nothing that is sent to the library's address of a payment is trusted."""
        return JsonResponse({"error": "Send events to /payments/events/stripe/."}, status=404)

    def read_event(self, request: HttpRequest) -> Mapping[str, Any]:
        """Return the event after verifying its signature over the raw body.

        The signature may be at most 5 minutes old.
        Raise PaymentError, with the HTTP status as its code, if the body is too long, the signature
        is missing or wrong, or the body is not JSON.
        """
        raw = request.body
        if len(raw) > BODY_LIMIT_BYTES:
            raise PaymentError("The event is too long.", code=413)
        header = request.headers.get("Stripe-Signature", "")
        try:
            stripe.WebhookSignature.verify_header(
                raw, header, self.endpoint_secret, stripe.Webhook.DEFAULT_TOLERANCE
            )
            event = json.loads(raw)
        except stripe.SignatureVerificationError:
            raise PaymentError("The signature is missing, wrong or too old.", code=400) from None
        except (ValueError, RecursionError):
            raise PaymentError("The event cannot be read.", code=400) from None
        if not isinstance(event, dict) or not event.get("id"):
            raise PaymentError("The event cannot be read.", code=400)
        return event

    def report_of(self, event: Mapping[str, Any]) -> reports.ProviderReport | None:
        """Return the event's report, or None if its type is not used.

        Raise PaymentError, code 422.
        """
        try:
            return stripe_events.report_of(event)
        except stripe_events.NotUnderstoodError as error:
            raise PaymentError(f"The event is not understood: {error}", code=422) from error


def _provider_error(error: Exception) -> ProviderError:
    refused = isinstance(error, stripe.CardError | stripe.InvalidRequestError | MoneyError)
    return ProviderError(f"{STRIPE}: {error}", certain=refused)


def _checkout(recharge: "Recharge") -> Any:
    metadata = {"recharge": recharge.token, "account": recharge.wallet.slug}
    intent: dict[str, Any] = {"metadata": metadata}
    if recharge.keep_method:
        intent["setup_future_usage"] = "off_session"
    asked: dict[str, Any] = {
        "mode": "payment",
        "client_reference_id": recharge.token,
        "success_url": recharge.get_success_url(),
        "cancel_url": recharge.get_failure_url(),
        "metadata": metadata,
        "payment_intent_data": intent,
        "line_items": [
            {
                "quantity": 1,
                "price_data": {
                    "currency": recharge.currency.lower(),
                    "unit_amount": stripe_events.to_stripe(recharge.amount, recharge.currency),
                    "product_data": {"name": recharge.description},
                },
            }
        ],
    }
    if recharge.keep_method:
        asked["customer_creation"] = "always"
    return asked


def _off_session(recharge: "Recharge", method: "PaymentMethod") -> Any:
    return {
        "amount": stripe_events.to_stripe(recharge.amount, recharge.currency),
        "currency": recharge.currency.lower(),
        "customer": method.customer,
        "payment_method": method.reference,
        "off_session": True,
        "confirm": True,
        "description": recharge.description,
        "metadata": {
            "recharge": recharge.token,
            "account": recharge.wallet.slug,
            "automatic": "1",
        },
    }
