"""Which payment providers stand open here, and what each can do."""

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
    """The provider refused or did not answer. The text is for the log; `certain`: surely unpaid."""

    def __init__(self, text: str, *, certain: bool) -> None:
        super().__init__(text)
        self.certain = certain


class PaymentProvider(Protocol):
    """What the services ask of a provider, besides what django-payments asks of it."""

    keeps_methods: bool

    def open(self, recharge: "Recharge") -> str:
        """Open the payment at the provider, once whatever repeats; the address to pay at."""

    def charge_kept(self, recharge: "Recharge", method: "PaymentMethod") -> None:
        """Charge a kept card for this recharge, once whatever repeats; ProviderError."""

    def look(self, recharge: "Recharge") -> ProviderReport | None:
        """Ask how an opened payment stands; None = nothing new. ProviderError."""

    def forget(self, method: "PaymentMethod") -> None:
        """Have a kept card forgotten there, too. ProviderError."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to pay, as a customer chooses it."""

    name: str
    label: Any
    hint: Any


_KNOWN = (
    Variant(STRIPE, _("Card (Stripe)"), _("You pay on Stripe's page and then return here.")),
    Variant(DEMO, _("Demo payment"), _("No money moves. You choose how the payment ends.")),
)


def configured() -> list[Variant]:
    """The providers that a customer may choose from, the preferred first."""
    return [variant for variant in _KNOWN if variant.name in settings.PAYMENT_VARIANTS]


def label_of(name: str) -> str:
    """A provider's name for people; one that is no longer configured keeps its own."""
    return next((str(variant.label) for variant in _KNOWN if variant.name == name), name)


def provider_of(name: str) -> PaymentProvider:
    """The provider of a configured variant. ValueError for another name."""
    return cast("PaymentProvider", provider_factory(name))


def keeps_methods(name: str) -> bool:
    """Whether cards can be kept there for auto top-up."""
    return name in settings.PAYMENT_VARIANTS and provider_of(name).keeps_methods
