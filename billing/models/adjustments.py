"""Money that operators move by hand, and refunds that customers request."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from billing.models.books import MoneyOrder
from billing.models.recharges import Recharge
from billing.models.wallets import Wallet
from billing.money import MoneyField


class Adjustment(models.Model):
    """A credit, debit, cash refund, chargeback or manual charge, requested by an operator.

    Above the limit (settings.BILLING_FOUR_EYES_ABOVE, 0 means always) another operator approves it.
    A higher credit limit is an adjustment, too: `amount` is the new limit, no money moves, and
    another operator must always approve it.
    """

    CREDIT_LIMIT = "credit_limit"

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting for approval")
        APPLIED = "applied", _("applied")
        REJECTED = "rejected", _("rejected")
        CANCELLED = "given_up", _("cancelled")

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="adjustments")
    kind = models.CharField(_("type"), max_length=12)  # a MoneyOrder.Kind, or CREDIT_LIMIT
    amount = MoneyField(_("amount"))
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)  # for a grant
    reason = models.CharField(_("reason"), max_length=200)
    flagged_report = models.ForeignKey(
        "billing.FlaggedReport", models.PROTECT, null=True, blank=True, related_name="adjustments"
    )
    recharge = models.ForeignKey(
        Recharge, models.PROTECT, null=True, blank=True, related_name="adjustments"
    )
    reference = models.CharField(_("reference"), max_length=120, blank=True)
    status = models.CharField(
        _("status"), max_length=8, choices=Status.choices, default=Status.WAITING
    )
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(_("requested at"), auto_now_add=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)
    decision_reason = models.CharField(_("decision reason"), max_length=200, blank=True)
    operation_id = models.CharField(_("operation"), max_length=80, unique=True)

    class Meta:
        verbose_name = _("adjustment")
        verbose_name_plural = _("adjustments")
        ordering = ["-asked_at"]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="billing_adjustment_above_zero"),
            models.CheckConstraint(
                condition=~Q(decided_by=models.F("asked_by")) | Q(decided_by=None),
                name="billing_adjustment_four_eyes",
            ),
            models.UniqueConstraint(
                fields=["flagged_report"],
                condition=~Q(status="rejected") & Q(flagged_report__isnull=False),
                name="billing_adjustment_of_report_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["asked_at"],
                condition=Q(status="waiting"),
                name="billing_adjustment_waiting",
            )
        ]

    def __str__(self) -> str:
        return self.operation_id

    @classmethod
    def kinds(cls) -> list[tuple[str, Any]]:
        """Return every kind with its name."""
        return [*MoneyOrder.Kind.choices, (cls.CREDIT_LIMIT, _("credit limit"))]

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id


class RefundRequest(models.Model):
    """A customer's request for money. An operator turns it into an adjustment, or declines it."""

    class Status(models.TextChoices):
        OPEN = "open", _("open")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        WITHDRAWN = "taken", _("withdrawn")

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="refund_requests")
    amount = MoneyField(_("amount"))
    reason = models.CharField(_("reason"), max_length=200)
    payout = models.CharField(_("payout account"), max_length=200)
    status = models.CharField(
        _("status"), max_length=8, choices=Status.choices, default=Status.OPEN
    )
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(_("requested at"), auto_now_add=True)
    answered_by = models.CharField(_("answered by"), max_length=150, blank=True)
    answered_at = models.DateTimeField(_("answered at"), null=True, blank=True)
    answer = models.CharField(_("answer"), max_length=200, blank=True)
    adjustment = models.OneToOneField(
        Adjustment, models.PROTECT, null=True, blank=True, related_name="refund_request"
    )

    class Meta:
        verbose_name = _("refund request")
        verbose_name_plural = _("refund requests")
        ordering = ["-asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["wallet"], condition=Q(status="open"), name="billing_refund_open_once"
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="billing_refund_above_zero"),
        ]

    def __str__(self) -> str:
        return f"{self.wallet} {self.pk}"

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id
