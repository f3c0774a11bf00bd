"""Money in from the outside, and what operators do by hand."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from payments.models import BasePayment

from billing.models.wallets import Wallet
from billing.money import MoneyField


class Recharge(BasePayment):
    """A customer's top-up through a payment provider; no balance movement by itself.

    The transition to confirmed makes one MoneyOrder (operation id `recharge:<id>`) under a
    row lock.
    """

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="recharges")
    requested_by = models.CharField(_("requested by"), max_length=150)
    amount = MoneyField(_("amount"))
    credited_at = models.DateTimeField(_("credited at"), null=True, blank=True)
    is_automatic = models.BooleanField(_("automatic"), default=False)

    class Meta:
        verbose_name = _("recharge")
        verbose_name_plural = _("recharges")
        ordering = ["-created"]
        constraints = [
            models.UniqueConstraint(
                fields=["variant", "transaction_id"],
                condition=~Q(transaction_id="") & Q(transaction_id__isnull=False),
                name="billing_recharge_reference_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.wallet} {self.pk}"

    @property
    def account_id(self) -> int:
        """The tenant, told by the wallet."""
        return self.wallet.account_id


class Adjustment(models.Model):
    """A credit, debit, cash refund or charge by hand: asked for by one operator, with a reason.

    Above the limit (settings.BILLING_FOUR_EYES_ABOVE, 0 = always) another operator approves it.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting for approval")
        APPLIED = "applied", _("applied")
        REJECTED = "rejected", _("rejected")

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="adjustments")
    kind = models.CharField(_("kind"), max_length=12)  # of MoneyOrder.Kind
    amount = MoneyField(_("amount"))
    reason = models.CharField(_("reason"), max_length=200)
    flagged_report = models.ForeignKey(
        "billing.FlaggedReport", models.PROTECT, null=True, blank=True, related_name="adjustments"
    )
    status = models.CharField(
        _("status"), max_length=8, choices=Status.choices, default=Status.WAITING
    )
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(_("asked at"), auto_now_add=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)
    operation_id = models.CharField(_("operation"), max_length=80, unique=True)

    class Meta:
        verbose_name = _("adjustment")
        verbose_name_plural = _("adjustments")
        ordering = ["-asked_at"]

    def __str__(self) -> str:
        return self.operation_id

    @property
    def account_id(self) -> int:
        """The tenant, told by the wallet."""
        return self.wallet.account_id
