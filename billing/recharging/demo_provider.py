"""The demo's provider: the payer chooses how the payment ends. It exists only in the demo.

The dummy provider of django-payments takes any status from the URL of its callback, so anyone who
knows a payment's address can credit it. This provider takes nothing from that URL. It accepts a
status only from its own form, which the page shows to the users who may pay for the account.
"""

from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from payments import PaymentError
from payments.dummy import DummyProvider

from billing import money
from billing.recharging import reports
from billing.recharging.variants import DEMO

if TYPE_CHECKING:
    from billing.models import PaymentMethod, Recharge

# What the payer may choose; the page offers these.
ENDINGS: Final = {
    "paid": reports.PaymentEvent.PAID,
    "failed": reports.PaymentEvent.FAILED,
    "cancelled": reports.PaymentEvent.CANCELLED,
}


class DemoProvider(DummyProvider):
    """A provider that moves no money. Raise ImproperlyConfigured outside the demo."""

    keeps_methods = True

    def __init__(self, **given: Any) -> None:
        if not settings.DEMO:
            raise ImproperlyConfigured("The demo's payment provider stands open in the demo alone.")
        super().__init__(**given)

    def open(self, recharge: "Recharge") -> str:
        """Return the address of our own page, which takes the place of the provider's."""
        return reverse("billing:recharge_pay", args=[recharge.wallet.slug, recharge.pk])

    def get_form(self, payment: "Recharge", data: Any = None) -> Any:
        """Raise PaymentError: the library's form would let the payer choose any status."""
        raise PaymentError("The demo's payment page is the console's own.")

    def process_data(self, payment: "Recharge", request: HttpRequest) -> HttpResponse:
        """Change nothing, and redirect the callback to the receipt."""
        return HttpResponseRedirect(
            reverse("billing:recharge", args=[payment.wallet.slug, payment.pk])
        )

    def get_token_from_request(self, payment: Any, request: HttpRequest) -> str:
        """Raise PaymentError: this provider has no callback for all payments."""
        raise PaymentError("The demo's provider sends nothing.", code=404)

    def end(self, recharge: "Recharge", ending: str) -> reports.ReportResult:
        """End the payment as its payer chose. Raise KeyError for an ending that is not offered."""
        said = ENDINGS[ending]
        return reports.deliver(_report(recharge, said, keep=recharge.keep_method))

    def charge_kept(self, recharge: "Recharge", method: "PaymentMethod") -> None:
        """Report the payment as paid: a stored demo card always has money."""
        reports.deliver(_report(recharge, reports.PaymentEvent.PAID, keep=False))

    def look(self, recharge: "Recharge") -> reports.ProviderReport | None:
        """Return None: the demo has no provider to ask."""
        return None

    def forget(self, method: "PaymentMethod") -> None:
        """Do nothing: the card is stored nowhere else."""


def _report(
    recharge: "Recharge", said: reports.PaymentEvent, *, keep: bool
) -> reports.ProviderReport:
    kept = reports.Method(f"demo-card-{recharge.wallet_id}", "", "Demo card 4242")
    return reports.ProviderReport(
        variant=DEMO,
        said=said,
        token=recharge.token,
        reference=f"demo-{recharge.token}",
        payment=f"demo-{recharge.token}",
        amount=money.parse(recharge.total),
        currency=recharge.currency,
        method=kept if keep and said is reports.PaymentEvent.PAID else None,
    )
