"""The wallet of an account."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.money import MoneyField
from billing.wallet import WalletKeys
from poolsite.access.models import Account


class Wallet(models.Model):
    """An account's balance for messages in all modes and for calls: prepaid, or on credit.

    `spendable` is the balance in the journal, below zero if credit is used. What can be spent is
    `spendable` and `credit_limit` together.

    SQL's figures only change by deltas, together with the journal, in the persistence's
    transaction. `generation` and `seq` are those of the last change entry that the figures include.
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
    # Lowering the limit takes no money back, so rows are checked against the highest limit ever
    # set.
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
        indexes = [  # small: they hold only wallets due for an alert or an automatic top-up
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
        """The account's slug. It names the wallet in addresses, Redis keys and the history."""
        return self.account.slug

    @property
    def can_spend(self) -> int:
        """What can be spent according to the books: balance and credit limit, never below zero."""
        return max(0, self.spendable + self.credit_limit)

    @property
    def tag(self) -> str:
        """The wallet's Redis hash tag, with braces."""
        return WalletKeys(self.account.slug).tag
