"""The demo's provider: the payer says how the payment ends. It exists in the demo alone.

django-payments' own dummy takes any status from the address of its call-back, so that whoever
knows a payment's address credits it. This one takes nothing from there, and no status but from
its own form, which the page shows to who may pay for that account.
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

# What the payer may say; the page offers these.
ENDINGS: Final = {
    "paid": reports.PaymentEvent.PAID,
    "failed": reports.PaymentEvent.FAILED,
    "cancelled": reports.PaymentEvent.CANCELLED,
}


class DemoProvider(DummyProvider):
    """Moves no money. ImproperlyConfigured outside the demo."""

    keeps_methods = True

    def __init__(self, **given: Any) -> None:
        if not settings.DEMO:
            raise ImproperlyConfigured("The demo's payment provider stands open in the demo alone.")
        super().__init__(**given)

    def open(self, recharge: "Recharge") -> str:
        """The page of our own that stands for the provider's."""
        return reverse("billing:recharge_pay", args=[recharge.wallet.slug, recharge.pk])

    def get_form(self, payment: "Recharge", data: Any = None) -> Any:
        """No form of the library's: its page would let the payer choose any status."""
        raise PaymentError("The demo's payment page is the console's own.")

    def process_data(self, payment: "Recharge", request: HttpRequest) -> HttpResponse:
        """The call-back's address changes nothing; it leads to the receipt."""
        return HttpResponseRedirect(
            reverse("billing:recharge", args=[payment.wallet.slug, payment.pk])
        )

    def get_token_from_request(self, payment: Any, request: HttpRequest) -> str:
        """There is no call-back for the whole provider."""
        raise PaymentError("The demo's provider sends nothing.", code=404)

    def end(self, recharge: "Recharge", ending: str) -> reports.ReportResult:
        """End the payment as its payer says. KeyError for an ending that is not offered."""
        said = ENDINGS[ending]
        return reports.deliver(_report(recharge, said, keep=recharge.keep_method))

    def charge_kept(self, recharge: "Recharge", method: "PaymentMethod") -> None:
        """A kept demo card always has money."""
        reports.deliver(_report(recharge, reports.PaymentEvent.PAID, keep=False))

    def look(self, recharge: "Recharge") -> reports.ProviderReport | None:
        """There is nobody to ask."""
        return None

    def forget(self, method: "PaymentMethod") -> None:
        """Nothing is kept anywhere else."""


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
