"""The books: each change entry once, the batches that brought them, and orders to be applied."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from billing.models.wallets import Wallet
from billing.money import MoneyField

# The kinds of entries that people make. All other entries come from messages and calls.
MOVES = ("recharge", "credit", "debit", "chargeback", "cash_refund", "by_hand")
# The kinds of charges: for messages and calls, and manual charges for a message.
CHARGED = (*("hold", "settle", "fail", "expire", "cancel", "session"), "by_hand")


class Batch(models.Model):
    """A closed batch of change entries, written in the same transaction as its entries."""

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="batches")
    generation = models.PositiveBigIntegerField(_("generation"))
    batch_number = models.PositiveBigIntegerField(_("batch"))
    first_seq = models.PositiveBigIntegerField(_("first entry"))
    last_seq = models.PositiveBigIntegerField(_("last entry"))
    amount = MoneyField(_("total of the entries"))
    fence = models.PositiveBigIntegerField(_("fencing token of the writer"))
    written_at = models.DateTimeField(_("written at"), auto_now_add=True)

    class Meta:
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        constraints = [
            models.UniqueConstraint(
                fields=["wallet", "generation", "batch_number"], name="billing_batch_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.wallet} {self.batch_number}"


class WriterRun(models.Model):
    """A worker's turn at the books of a shard. Its primary key is the fence of what it writes.

    SQL assigns the keys, so they grow even if Redis loses data or the sharding changes.
    """

    shard = models.PositiveSmallIntegerField(_("shard"))
    shards = models.PositiveSmallIntegerField(_("shard count"))
    worker = models.CharField(_("worker"), max_length=120, blank=True)
    started_at = models.DateTimeField(_("started at"), auto_now_add=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    accounts = models.PositiveIntegerField(_("accounts"), default=0)
    entries = models.PositiveIntegerField(_("entries"), default=0)
    refused = models.PositiveIntegerField(_("refused"), default=0)

    class Meta:
        verbose_name = _("persistence run")
        verbose_name_plural = _("persistence runs")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.shard}/{self.shards} {self.pk}"


class AuditRun(models.Model):
    """A run of the background audit over all wallets, in bounded chunks.

    `position`: the last wallet checked. `differences`: the first differences by slug.
    """

    started_at = models.DateTimeField(_("started at"), auto_now_add=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    position = models.PositiveBigIntegerField(_("position"), default=0)
    wallets = models.PositiveIntegerField(_("wallets"), default=0)
    different = models.PositiveIntegerField(_("with differences"), default=0)
    differences = models.JSONField(_("differences"), default=dict)

    class Meta:
        verbose_name = _("money audit run")
        verbose_name_plural = _("money audit runs")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.started_at:%Y-%m-%d %H:%M:%S}"


class JournalEntry(models.Model):
    """A change entry in double-entry form: one row with six legs whose sum is 0.

    `spendable`, `held` and `receivable` are the customer's, `revenue` is ours, and `cash` is the
    outside world's. A top-up of 5 is spendable +5, cash -5. A hold is spendable -q, held +q. A
    settlement is held -q, spendable +(q - price), revenue +price. A debit above the balance is
    spendable -taken, receivable -(rest), revenue +amount. The wallet stores the receivable as a
    positive amount; its leg here has the opposite sign. `promotion` is what we give away: a grant
    is spendable +a, promotion -a, and credit that expires or is revoked comes back.

    `digest` covers the row and the digest of the previous entry (empty before a wallet's first
    entry), so that a row changed by hand is detected.
    """

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="journal")
    generation = models.PositiveBigIntegerField(_("generation"))
    seq = models.PositiveBigIntegerField(_("sequence number"))
    at_us = models.PositiveBigIntegerField(_("time (µs)"))
    kind = models.CharField(_("type"), max_length=16)
    operation_id = models.CharField(_("operation"), max_length=80)
    spendable = MoneyField(_("available"), default=0)
    held = MoneyField(_("held"), default=0)
    receivable = MoneyField(_("amount owed"), default=0)
    revenue = MoneyField(_("revenue"), default=0)
    cash = MoneyField(_("cash"), default=0)
    promotion = MoneyField(_("promotional credit"), default=0, db_default=0)
    state = models.CharField(_("state"), max_length=9, blank=True)
    mode = models.CharField(_("mode"), max_length=24, blank=True)
    chatbot = models.CharField(_("chatbot"), max_length=40, blank=True)
    digest = models.CharField(_("digest"), max_length=32, blank=True)

    class Meta:
        verbose_name = _("journal entry")
        verbose_name_plural = _("journal entries")
        constraints = [
            models.UniqueConstraint(
                fields=["wallet", "generation", "seq"], name="billing_journal_once"
            ),
            models.CheckConstraint(
                condition=Q(
                    spendable=-F("held")
                    - F("receivable")
                    - F("revenue")
                    - F("cash")
                    - F("promotion")
                ),
                name="billing_journal_sums_to_zero",
            ),
        ]
        indexes = [
            models.Index(fields=["wallet", "operation_id"], name="billing_journal_operation"),
            models.Index(fields=["wallet", "at_us"], name="billing_journal_at"),
            models.Index(  # lists statements' moves without reading a million messages
                fields=["wallet", "at_us"],
                condition=Q(kind__in=MOVES),
                name="billing_journal_moves",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.wallet_id} {self.generation}:{self.seq}"


class JournalCheckpoint(models.Model):
    """A closed stretch of a wallet's journal with its sums: first_seq to last_seq of a generation.

    Pages add these up instead of a million entries. Checkpoints follow each other without a gap.
    `digest` is that of the last entry, `digest_before` that of the entry before the first, so the
    chain of digests proves the entries. `seal` covers this row and the previous row's seal, so that
    a row changed by hand is detected without its entries.

    `counts`: the number of entries whose leg is not 0. `lines`: kind, mode, chatbot → name → count,
    spendable, revenue, cash, as in statements.
    """

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="checkpoints")
    generation = models.PositiveBigIntegerField(_("generation"))
    first_seq = models.PositiveBigIntegerField(_("first entry"))
    last_seq = models.PositiveBigIntegerField(_("last entry"))
    entries = models.PositiveIntegerField(_("entries"))
    first_us = models.PositiveBigIntegerField(_("earliest time (µs)"))
    last_us = models.PositiveBigIntegerField(_("latest time (µs)"))
    spendable = MoneyField(_("available"))
    held = MoneyField(_("held"))
    receivable = MoneyField(_("amount owed"))
    revenue = MoneyField(_("revenue"))
    cash = MoneyField(_("cash"))
    counts = models.JSONField(_("entries per leg"))
    lines = models.JSONField(_("statement lines"))
    digest_before = models.CharField(_("previous digest"), max_length=32, blank=True)
    digest = models.CharField(_("digest"), max_length=32)
    seal = models.CharField(_("seal"), max_length=32)
    proven_at = models.DateTimeField(_("checked against entries at"))

    class Meta:
        verbose_name = _("checkpoint")
        verbose_name_plural = _("checkpoints")
        constraints = [
            models.UniqueConstraint(
                fields=["wallet", "generation", "first_seq"], name="billing_checkpoint_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.wallet_id} {self.generation}:{self.first_seq}-{self.last_seq}"


class MoneyOrder(models.Model):
    """The outbox: a movement of money that SQL has decided on and Redis must apply exactly once.

    Top-ups, credits, debits, cash refunds, corrections. The relay applies them by their operation
    ID, waits while Redis refuses writes, and marks them as applied. An order that was cancelled
    before it was applied (a cash refund above the balance) has `cancelled_at` and is skipped.
    """

    class Kind(models.TextChoices):
        RECHARGE = "recharge", _("recharge")
        CREDIT = "credit", _("credit")
        DEBIT = "debit", _("debit")
        CHARGEBACK = "chargeback", _("chargeback")
        CASH_REFUND = "cash_refund", _("cash refund")
        CHARGE_BY_HAND = "by_hand", _("charged manually")
        GRANT = "grant", _("promotional credit")
        REVOKE = "revoke", _("promotional credit revoked")

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="orders")
    operation_id = models.CharField(_("operation"), max_length=80)
    kind = models.CharField(_("type"), max_length=12, choices=Kind.choices)
    amount = MoneyField(_("amount"), help_text=_("Always positive. The type determines the sign."))
    reference = models.CharField(_("reference"), max_length=120, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    applied_at = models.DateTimeField(_("applied at"), null=True, blank=True)
    cancelled_at = models.DateTimeField(_("cancelled at"), null=True, blank=True)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    answer = models.CharField(_("answer"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("payment")
        verbose_name_plural = _("payments")
        constraints = [
            models.UniqueConstraint(fields=["wallet", "operation_id"], name="billing_order_once"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="billing_order_above_zero"),
        ]
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=Q(applied_at=None, cancelled_at=None),
                name="billing_order_waiting",
            )
        ]

    def __str__(self) -> str:
        return self.operation_id

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id


class Receivable(models.Model):
    """An amount that a debit left owed. The next top-up pays it first. Persistence writes it."""

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="receivables")
    generation = models.PositiveBigIntegerField(_("generation"))
    seq = models.PositiveBigIntegerField(_("sequence number"))
    operation_id = models.CharField(_("operation"), max_length=80)
    amount = MoneyField(_("amount"), help_text=_("Positive when owed, negative when paid."))
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("amount owed")
        verbose_name_plural = _("amounts owed")
        constraints = [
            models.UniqueConstraint(
                fields=["wallet", "generation", "seq"], name="billing_receivable_once"
            )
        ]

    def __str__(self) -> str:
        return self.operation_id
