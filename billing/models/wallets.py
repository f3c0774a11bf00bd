"""The prepaid account of a tenant."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.money import MoneyField
from billing.wallet import WalletKeys
from poolsite.access.models import Account


class Wallet(models.Model):
    """One balance for every message mode, one-to-one with its account: prepaid, or on credit.

    `spendable` is the balance as the journal has it, below zero where credit is used. What can be
    spent is that and `credit_limit` together.

    SQL's figures move only by deltas, with the journal, in the persistence's transaction;
    `generation` and `seq` say up to which change entry of which life of the Redis data.
    """

    class Status(models.TextChoices):
        OPEN = "open", _("open")
        FROZEN = "frozen", _("frozen")
        CLOSED = "closed", _("closed")

    account = models.OneToOneField(
        Account, models.PROTECT, related_name="wallet", verbose_name=_("account")
    )
    status = models.CharField(
        _("status"), max_length=8, choices=Status.choices, default=Status.OPEN
    )
    status_reason = models.CharField(_("reason"), max_length=200, blank=True)
    redis = models.CharField(
        _("Redis"),
        max_length=40,
        blank=True,
        help_text=_("Name of a configured Redis server. Leave empty to use the default server."),
    )

    spendable = MoneyField(_("available"), default=0, editable=False)
    held = MoneyField(_("held"), default=0, editable=False)
    receivable = MoneyField(_("amount owed"), default=0, editable=False)
    opening = MoneyField(_("opening balance"), default=0, editable=False)
    seq = models.PositiveBigIntegerField(_("last persisted entry"), default=0, editable=False)
    batch_number = models.PositiveBigIntegerField(_("last batch"), default=0, editable=False)
    fence = models.PositiveBigIntegerField(
        _("fencing token of the last writer"), default=0, editable=False
    )
    digest = models.CharField(
        _("digest of the last entry"), max_length=32, blank=True, editable=False
    )
    generation = models.PositiveBigIntegerField(_("generation"), default=1)
    persisted_at = models.DateTimeField(_("persisted at"), null=True, blank=True, editable=False)
    recovering_since = models.DateTimeField(_("in safe mode since"), null=True, blank=True)
    unexplained = MoneyField(
        _("unexplained"),
        default=0,
        editable=False,
        help_text=_(
            "After a data loss: the last amount in Redis minus the amount that SQL can explain."
        ),
    )

    credit_limit = MoneyField(
        _("credit limit"),
        default=0,
        db_default=0,
        help_text=_("How far the balance can go below zero. 0: prepaid only."),
    )
    # Lowering the limit takes nothing away, so the law of the row is the highest limit ever set.
    highest_credit_limit = MoneyField(
        _("highest credit limit so far"), default=0, db_default=0, editable=False
    )
    daily_limit = MoneyField(_("daily spending limit"), default=0, help_text=_("0: no limit."))
    alert_below = MoneyField(_("alert below"), default=0, help_text=_("0: no alert."))
    top_up_below = MoneyField(_("top up below"), default=0, help_text=_("0: no auto top-up."))
    top_up_amount = MoneyField(_("auto top-up amount"), default=0)
    top_up_daily_count = models.PositiveSmallIntegerField(
        _("maximum auto top-ups per day"), default=1, validators=[MaxValueValidator(24)]
    )
    log_limit = models.PositiveIntegerField(
        _("backlog limit (entries)"), default=1_000_000, validators=[MinValueValidator(1_000)]
    )
    opened_at = models.DateTimeField(_("opened in Redis at"), null=True, blank=True, editable=False)
    unsent_since = models.DateTimeField(
        _("settings waiting for Redis since"), null=True, blank=True, editable=False, db_index=True
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    access_kind = "wallet"

    class Meta:
        verbose_name = _("balance")
        verbose_name_plural = _("balances")
        ordering = ["account__slug"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    spendable__gte=-models.F("highest_credit_limit"),
                    held__gte=0,
                    receivable__gte=0,
                    credit_limit__gte=0,
                    highest_credit_limit__gte=models.F("credit_limit"),
                ),
                name="billing_wallet_never_below_credit",
            )
        ]
        indexes = [  # short: only the wallets that an alert or an automatic top-up is due for
            models.Index(
                fields=["id"],
                condition=models.Q(alert_below__gt=0, spendable__lt=models.F("alert_below")),
                name="billing_wallet_low",
            ),
            models.Index(
                fields=["id"],
                condition=models.Q(top_up_below__gt=0, spendable__lt=models.F("top_up_below")),
                name="billing_wallet_top_up",
            ),
        ]

    def __str__(self) -> str:
        return str(self.account)

    @property
    def slug(self) -> str:
        """The account's slug: the wallet's name in addresses, keys and history."""
        return self.account.slug

    @property
    def can_spend(self) -> int:
        """What can be spent by the books: balance and credit limit together, never below zero."""
        return max(0, self.spendable + self.credit_limit)

    @property
    def tag(self) -> str:
        """The wallet's Redis tag, with its braces."""
        return WalletKeys(self.account.slug).tag
