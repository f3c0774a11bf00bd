"""Promotional credit: money that we give, which is used first and expires."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from billing.models.wallets import Wallet
from billing.money import MoneyField


class Promotion(models.Model):
    """Promotional credit of an account. The wallet's balance includes `remaining`.

    It changes by deltas, in the persistence's transaction, and is 0 until the outbox has granted
    the amount.
    """

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="promotions")
    amount = MoneyField(_("amount"))
    remaining = MoneyField(_("left"), default=0, db_default=0, editable=False)
    expires_at = models.DateTimeField(_("expires"))
    reason = models.CharField(_("reason"), max_length=200)
    granted_by = models.CharField(_("granted by"), max_length=150)
    operation_id = models.CharField(_("operation"), max_length=80, unique=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True)
    revoked_by = models.CharField(_("revoked by"), max_length=150, blank=True)

    class Meta:
        verbose_name = _("promotional credit")
        verbose_name_plural = _("promotional credits")
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="billing_promotion_above_zero"),
            models.CheckConstraint(
                condition=Q(remaining__gte=0, remaining__lte=F("amount")),
                name="billing_promotion_remaining",
            ),
        ]

    def __str__(self) -> str:
        return self.operation_id

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id

    @property
    def revoke_id(self) -> str:
        """The ID of the operation that revokes the remaining credit."""
        return f"revoke:{self.pk}"


class PromotionMove(models.Model):
    """A journal entry's change of a promotion's remaining credit. Written by the persistence.

    The moves of a message show which promotions paid for it. The moves of a promotion add up to its
    remaining credit.
    """

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="promotion_moves")
    promotion = models.ForeignKey(Promotion, models.PROTECT, related_name="moves")
    generation = models.PositiveBigIntegerField(_("generation"))
    seq = models.PositiveBigIntegerField(_("sequence number"))
    kind = models.CharField(_("type"), max_length=16)
    operation_id = models.CharField(_("operation"), max_length=80)
    amount = MoneyField(_("amount"), help_text=_("Negative when it was used or has expired."))
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("use of promotional credit")
        verbose_name_plural = _("uses of promotional credit")
        constraints = [
            models.UniqueConstraint(
                fields=["wallet", "generation", "seq", "promotion"],
                name="billing_promotion_move_once",
            )
        ]
        indexes = [
            models.Index(fields=["wallet", "operation_id"], name="billing_promotion_move_of"),
            models.Index(fields=["wallet", "at"], name="billing_promotion_move_at"),
        ]

    def __str__(self) -> str:
        return f"{self.promotion_id} {self.generation}:{self.seq}"
