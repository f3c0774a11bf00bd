"""One template to many recipients."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.prices import Chatbot, Template
from billing.models.wallets import Wallet
from poolsite.access.models import Account


class Campaign(models.Model):
    """A sending: recipients, a complete template, a schedule. Holds message by message."""

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        SCHEDULED = "scheduled", _("scheduled")
        SENDING = "sending", _("sending")
        PAUSED = "paused", _("paused")
        LOW_BALANCE = "low", _("paused: balance too low")
        SENT = "sent", _("sent, reports to come")
        DONE = "done", _("done")
        CANCELLED = "cancelled", _("cancelled")

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="campaigns")
    chatbot = models.ForeignKey(Chatbot, models.PROTECT, related_name="campaigns")
    template = models.ForeignKey(Template, models.PROTECT, related_name="campaigns")
    name = models.CharField(_("name"), max_length=120)
    status = models.CharField(
        _("status"), max_length=9, choices=Status.choices, default=Status.DRAFT
    )
    status_reason = models.CharField(_("reason"), max_length=200, blank=True)
    scheduled_at = models.DateTimeField(_("scheduled at"), null=True, blank=True)
    quiet_from = models.TimeField(_("quiet from"), null=True, blank=True)
    quiet_until = models.TimeField(_("quiet until"), null=True, blank=True)
    uploaded = models.PositiveIntegerField(_("uploaded"), default=0)
    dropped_duplicates = models.PositiveIntegerField(_("duplicates dropped"), default=0)
    dropped_opt_outs = models.PositiveIntegerField(_("opt-outs dropped"), default=0)
    dropped_invalid = models.PositiveIntegerField(_("invalid dropped"), default=0)
    created_by = models.CharField(_("created by"), max_length=150)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    job = models.ForeignKey("jobs.Job", models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        verbose_name = _("campaign")
        verbose_name_plural = _("campaigns")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name

    @property
    def account_id(self) -> int:
        """The tenant, told by the wallet."""
        return self.wallet.account_id


class Recipient(models.Model):
    """One number of a campaign; its message id is `c<campaign>-<row>`."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="recipients")
    row = models.PositiveIntegerField(_("row"))
    number = models.CharField(_("number"), max_length=33)
    message_id = models.CharField(_("message"), max_length=80)
    supports_yuexin = models.BooleanField(_("supports Yuexin"), null=True)
    ability_source = models.CharField(_("source of the ability"), max_length=40, blank=True)
    ability_age_seconds = models.PositiveIntegerField(_("age of the ability"), null=True)
    state = models.CharField(_("state"), max_length=9, blank=True)  # "" = waiting; else Message's
    mode = models.CharField(_("mode"), max_length=24, blank=True)
    error = models.CharField(_("error"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("recipient")
        verbose_name_plural = _("recipients")
        constraints = [
            models.UniqueConstraint(fields=["campaign", "row"], name="billing_recipient_row_once"),
            models.UniqueConstraint(
                fields=["campaign", "number"], name="billing_recipient_number_once"
            ),
        ]
        indexes = [models.Index(fields=["message_id"], name="billing_recipient_message")]

    def __str__(self) -> str:
        return self.number


class OptOut(models.Model):
    """A number that no campaign of the account may reach."""

    account = models.ForeignKey(Account, models.CASCADE, related_name="opt_outs")
    number = models.CharField(_("number"), max_length=33)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    added_by = models.CharField(_("added by"), max_length=150)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("opt-out")
        verbose_name_plural = _("opt-outs")
        constraints = [
            models.UniqueConstraint(fields=["account", "number"], name="billing_opt_out_once")
        ]

    def __str__(self) -> str:
        return self.number
