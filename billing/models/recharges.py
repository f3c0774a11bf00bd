"""Incoming money: top-ups, cards, and the reports of payment providers."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from payments import PaymentStatus
from payments.core import get_base_url
from payments.models import BasePayment

from billing import money
from billing.models.wallets import Wallet
from billing.money import MoneyField
from billing.recharging import reports

# What a provider class of the library may write with save(). Only the services write the rest.
_PROVIDERS_FIELDS = (
    "transaction_id",
    "provider_payment",
    "extra_data",
    "fraud_message",
    "modified",
)


_SAID = {
    PaymentStatus.CONFIRMED: reports.PaymentEvent.PAID,
    PaymentStatus.INPUT: reports.PaymentEvent.OPENED,
    PaymentStatus.REJECTED: reports.PaymentEvent.FAILED,
    PaymentStatus.ERROR: reports.PaymentEvent.FAILED,
    PaymentStatus.CANCELLED: reports.PaymentEvent.CANCELLED,
}


class Recharge(BasePayment):
    """A customer's top-up through a payment provider. Does not change the balance itself.

    The transition to confirmed creates one MoneyOrder (operation ID `recharge:<id>`) under a row
    lock. Only services.recharges writes the status and the money. If a provider class of the
    library calls `change_status`, that is forwarded as a report. Its `save` only writes its own
    fields.
    """

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="recharges")
    requested_by = models.CharField(_("requested by"), max_length=150)
    amount = MoneyField(_("amount"))
    credited_at = models.DateTimeField(_("credited at"), null=True, blank=True)
    is_automatic = models.BooleanField(_("automatic"), default=False)
    keep_method = models.BooleanField(_("save the card for automatic top-ups"), default=False)
    provider_payment = models.CharField(
        _("provider payment ID"), max_length=120, blank=True, db_index=True
    )
    reversed = MoneyField(_("refunded or charged back"), default=0)

    class Meta:
        verbose_name = _("top-up")
        verbose_name_plural = _("top-ups")
        ordering = ["-created"]
        constraints = [
            models.UniqueConstraint(
                fields=["variant", "transaction_id"],
                condition=~Q(transaction_id="") & Q(transaction_id__isnull=False),
                name="billing_recharge_reference_once",
            ),
            models.UniqueConstraint(fields=["token"], name="billing_recharge_token_once"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="billing_recharge_above_zero"),
        ]
        indexes = [
            models.Index(fields=["wallet", "-created"], name="billing_recharge_newest"),
            models.Index(
                fields=["modified"],
                condition=Q(status__in=("waiting", "input")),
                name="billing_recharge_open",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.wallet} {self.pk}"

    def save(self, **kwargs: Any) -> None:
        """Save the row. If it exists, save only the fields that its provider may write."""
        if not self._state.adding and kwargs.get("update_fields") is None:
            kwargs["update_fields"] = _PROVIDERS_FIELDS
        super().save(**kwargs)  # type: ignore[no-untyped-call]  # the library has no types

    def change_status(self, status: Any, message: str = "") -> None:
        """Forward a status from a provider class of the library as a report, and reload the row."""
        reports.deliver(self.report_of(str(status), message))
        self.refresh_from_db()

    def report_of(self, status: str, message: str) -> reports.ProviderReport:
        """Return a library status as a report. Raise ValueError if it has no meaning here.

        A refund can't be reported this way: it has an amount, which a status lacks.
        """
        said = _SAID.get(status)
        if said is None:
            raise ValueError(f"a recharge cannot become {status!r} by its provider's word")
        return reports.ProviderReport(
            variant=self.variant,
            said=said,
            token=self.token,
            reference=self.transaction_id,
            payment=self.provider_payment,
            amount=money.parse(self.captured_amount),
            currency=self.currency,
            message=message,
        )

    def get_success_url(self) -> str:
        """Return the page that the provider redirects the payer to: the receipt with the result."""
        page = reverse("billing:recharge", args=[self.wallet.slug, self.pk])
        return str(get_base_url()) + page

    get_failure_url = get_success_url

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id

    @property
    def operation_id(self) -> str:
        """The ID of the operation that credits it."""
        return f"recharge:{self.pk}"

    @property
    def number(self) -> str:
        """The number shown on receipts and statements."""
        return f"R{self.pk:08d}"


class PaymentMethod(models.Model):
    """A card or similar, saved at its provider for automatic top-ups. The newest active counts."""

    wallet = models.ForeignKey(Wallet, models.CASCADE, related_name="payment_methods")
    variant = models.CharField(_("provider"), max_length=40)
    reference = models.CharField(_("provider token"), max_length=120)
    customer = models.CharField(_("provider customer ID"), max_length=120, blank=True)
    label = models.CharField(_("display name"), max_length=60)
    added_by = models.CharField(_("added by"), max_length=150)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    removed_at = models.DateTimeField(_("removed at"), null=True, blank=True)

    class Meta:
        verbose_name = _("payment method")
        verbose_name_plural = _("payment methods")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["wallet", "variant", "reference"], name="billing_method_once"
            )
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id


class ProviderEvent(models.Model):
    """A provider's verified message and our answer. Repeats have the same ID."""

    variant = models.CharField(_("provider"), max_length=40)
    event_id = models.CharField(_("event"), max_length=120)
    kind = models.CharField(_("type"), max_length=80)
    recharge = models.ForeignKey(
        Recharge, models.PROTECT, null=True, blank=True, related_name="events"
    )
    answer = models.CharField(_("answer"), max_length=200)
    times = models.PositiveIntegerField(_("times"), default=1)
    at = models.DateTimeField(_("at"), auto_now_add=True)

    class Meta:
        verbose_name = _("payment notification")
        verbose_name_plural = _("payment notifications")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["variant", "event_id"], name="billing_event_once")
        ]

    def __str__(self) -> str:
        return self.event_id
