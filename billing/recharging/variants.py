"""The payment providers that are configured, and what each can do."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from django.conf import settings
from django.utils.translation import gettext_lazy as _
from payments.core import provider_factory

from billing.recharging.reports import ProviderReport

if TYPE_CHECKING:
    from billing.models import PaymentMethod, Recharge

DEMO = "demo"
STRIPE = "stripe"


class ProviderError(Exception):
    """The provider refused or did not answer. The text is for the log.

    `certain` is true if the payment surely was not made.
    """

    def __init__(self, text: str, *, certain: bool) -> None:
        super().__init__(text)
        self.certain = certain


class PaymentProvider(Protocol):
    """What the services need from a provider, in addition to django-payments' interface."""

    keeps_methods: bool

    def open(self, recharge: "Recharge") -> str:
        """Open the payment at the provider, once even if repeated. Return the address to pay at."""

    def charge_kept(self, recharge: "Recharge", method: "PaymentMethod") -> None:
        """Charge a stored card for this recharge, once even if repeated. Raise ProviderError."""

    def look(self, recharge: "Recharge") -> ProviderReport | None:
        """Ask the provider for the state of an open payment. Return None if nothing changed.

        Raise ProviderError.
        """

    def forget(self, method: "PaymentMethod") -> None:
        """Have the provider delete a stored card, too. Raise ProviderError."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to pay, as customers choose it."""

    name: str
    label: Any
    hint: Any


_KNOWN = (
    Variant(STRIPE, _("Card (Stripe)"), _("You pay on Stripe's page and then return here.")),
    Variant(DEMO, _("Demo payment"), _("No money moves. You choose how the payment ends.")),
)


def configured() -> list[Variant]:
    """Return the providers that a customer may choose from, the preferred one first."""
    return [variant for variant in _KNOWN if variant.name in settings.PAYMENT_VARIANTS]


def label_of(name: str) -> str:
    """Return a provider's name for people; one that is no longer configured keeps its raw name."""
    return next((str(variant.label) for variant in _KNOWN if variant.name == name), name)


def provider_of(name: str) -> PaymentProvider:
    """Return the provider of a configured variant. Raise ValueError for another name."""
    return cast("PaymentProvider", provider_factory(name))


def keeps_methods(name: str) -> bool:
    """Whether the provider can store cards for auto top-up."""
    return name in settings.PAYMENT_VARIANTS and provider_of(name).keeps_methods
