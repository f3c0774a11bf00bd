"""Charged messages and calls in SQL: holds, states, flagged reports."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.prices import Chatbot, Tariff
from billing.models.wallets import Wallet
from billing.money import MoneyField


class State(models.TextChoices):
    """The states of data/message_reports.csv. `none` has no row; session messages add `unpaid`."""

    PARKED = "parked", _("parked")
    HELD = "held", _("held")
    SENT = "sent", _("sent")
    SETTLED = "settled", _("settled")
    FAILED = "failed", _("failed")
    EXPIRED = "expired", _("expired")
    CANCELLED = "cancelled", _("cancelled")
    UNPAID = "unpaid", _("unpaid")


class MessageKind(models.TextChoices):
    """What is charged. Each kind has its own deadline for holds that are never sent."""

    MESSAGE = "message", _("message")
    SESSION = "session", _("session message")
    CALL = "call", _("call")


class HoldIntent(models.Model):
    """A hold about to be made, stored before the hold. A lost wallet is rebuilt from these rows."""

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="intents")
    message_id = models.CharField(_("message"), max_length=80)
    kind = models.CharField(
        _("type"), max_length=8, choices=MessageKind.choices, default=MessageKind.MESSAGE
    )
    body_hash = models.CharField(_("body hash"), max_length=32)
    prices = models.JSONField(
        _("prices"), help_text=_("Prices of every mode that the message can be delivered in.")
    )
    others = models.JSONField(_("prices of other modes"), default=dict)
    quoted = MoneyField(_("quoted"))
    tariff = models.ForeignKey(Tariff, models.PROTECT, related_name="+")
    chatbot = models.ForeignKey(Chatbot, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    handed_over_at = models.DateTimeField(_("submitted at"), null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["wallet", "message_id"], name="billing_intent_once")
        ]

    def __str__(self) -> str:
        return self.message_id


class Message(models.Model):
    """A charged message or call, written by the persistence from the wallet's change entries."""

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="messages")
    message_id = models.CharField(_("message"), max_length=80)
    kind = models.CharField(
        _("type"), max_length=8, choices=MessageKind.choices, default=MessageKind.MESSAGE
    )
    body_hash = models.CharField(_("body hash"), max_length=32, blank=True)
    chatbot = models.CharField(_("chatbot"), max_length=40, blank=True)
    tariff_id = models.PositiveBigIntegerField(_("tariff"), null=True)
    prices = models.TextField(
        _("prices"),
        blank=True,
        help_text=_(
            "In the format of the live balance, so that it can be rebuilt after a data loss."
        ),
    )
    state = models.CharField(_("state"), max_length=9, choices=State.choices)
    mode = models.CharField(_("mode"), max_length=24, blank=True)
    quoted = MoneyField(_("quoted"), default=0)
    charged = MoneyField(_("charged"), default=0)
    charged_seconds = models.PositiveIntegerField(_("charged seconds"), default=0, db_default=0)
    flag = models.CharField(_("flag"), max_length=24, blank=True)
    held_at = models.DateTimeField(_("held at"), null=True)
    sent_at = models.DateTimeField(_("sent at"), null=True)
    ended_at = models.DateTimeField(_("ended at"), null=True)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        constraints = [
            models.UniqueConstraint(fields=["wallet", "message_id"], name="billing_message_once")
        ]
        indexes = [
            models.Index(fields=["wallet", "held_at"], name="billing_message_held_at"),
            models.Index(fields=["wallet", "state", "sent_at"], name="billing_message_state"),
            models.Index(
                fields=["held_at"],
                condition=models.Q(state__in=("held", "sent")),
                name="billing_message_open",
            ),
        ]

    def __str__(self) -> str:
        return self.message_id

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id


class FlaggedReport(models.Model):
    """A report that the money rules can't settle automatically. Listed until it is closed."""

    class Flag(models.TextChoices):
        LATE = "late", _("late")
        CONTRADICTION = "contradiction", _("contradiction")
        UNEXPECTED_MODE = "unexpected mode", _("unexpected mode")
        UNPAID = "unpaid", _("unpaid")
        ORPHAN = "orphan", _("orphan")
        UNREADABLE = "unreadable", _("unreadable")

    class Closing(models.TextChoices):
        ACCEPTED = "accepted", _("loss accepted")
        CHARGED = "charged", _("charged manually")
        PAID = "paid", _("paid later")

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="flagged_reports")
    generation = models.PositiveBigIntegerField(_("generation"))
    seq = models.PositiveBigIntegerField(_("sequence number"))
    message_id = models.CharField(_("message"), max_length=80)
    flag = models.CharField(_("flag"), max_length=16, choices=Flag.choices)
    reported_mode = models.CharField(_("reported mode"), max_length=64, blank=True)
    state = models.CharField(_("state at the time"), max_length=9, blank=True)
    difference = MoneyField(
        _("difference"),
        default=0,
        help_text=_("What the gateway reports as delivered, minus what was paid."),
    )
    at = models.DateTimeField(_("at"))
    closed_at = models.DateTimeField(_("closed at"), null=True, blank=True)
    closing = models.CharField(_("closing"), max_length=8, choices=Closing.choices, blank=True)
    closed_by = models.CharField(_("closed by"), max_length=150, blank=True)
    closing_reason = models.CharField(_("reason"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("flagged report")
        verbose_name_plural = _("flagged reports")
        ordering = ["-at"]
        constraints = [
            models.UniqueConstraint(
                fields=["wallet", "generation", "seq"], name="billing_flagged_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["wallet", "message_id"],
                condition=models.Q(closed_at=None),
                name="billing_flagged_open",
            )
        ]

    def __str__(self) -> str:
        return f"{self.message_id}: {self.flag}"

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id
