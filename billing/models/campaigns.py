"""Campaigns: one template sent to many recipients."""

from django.db import models
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from billing.models.prices import Chatbot, Template
from billing.models.wallets import Wallet
from poolsite.access.models import Account


class Campaign(models.Model):
    """A campaign: recipients, a complete template, a schedule. Each message has its own hold."""

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        SCHEDULED = "scheduled", _("scheduled")
        SENDING = "sending", _("sending")
        PAUSED = "paused", _("paused")
        LOW_BALANCE = "low", _("paused: balance too low")
        SENT = "sent", _("sent, awaiting reports")
        DONE = "done", _("done")
        CANCELLED = "cancelled", _("cancelled")

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="campaigns")
    chatbot = models.ForeignKey(Chatbot, models.PROTECT, related_name="campaigns")
    template = models.ForeignKey(Template, models.PROTECT, related_name="campaigns")
    name = models.CharField(_("name"), max_length=120)
    file_name = models.CharField(_("file"), max_length=200, blank=True)
    next_row = models.PositiveIntegerField(default=0, editable=False)  # the last row read
    status = models.CharField(
        _("status"), max_length=9, choices=Status.choices, default=Status.DRAFT
    )
    status_reason = models.CharField(_("reason"), max_length=200, blank=True)
    scheduled_at = models.DateTimeField(_("scheduled at"), null=True, blank=True)
    quiet_from = models.TimeField(_("quiet hours start"), null=True, blank=True)
    quiet_until = models.TimeField(_("quiet hours end"), null=True, blank=True)
    uploaded = models.PositiveIntegerField(_("uploaded"), default=0)
    dropped_duplicates = models.PositiveIntegerField(_("duplicates dropped"), default=0)
    dropped_opt_outs = models.PositiveIntegerField(_("opt-outs dropped"), default=0)
    dropped_invalid = models.PositiveIntegerField(_("invalid numbers dropped"), default=0)
    top_up_awaited_since = models.DateTimeField(_("waiting for a top-up since"), null=True)
    test_sends = models.PositiveIntegerField(_("test messages"), default=0)
    created_by = models.CharField(_("created by"), max_length=150)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    job = models.ForeignKey("jobs.Job", models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        verbose_name = _("campaign")
        verbose_name_plural = _("campaigns")
        ordering = ["-pk"]
        indexes = [models.Index(fields=["status"], name="billing_campaign_status")]

    ENDED = (Status.DONE, Status.CANCELLED)
    UNDER_WAY = (Status.SENDING, Status.PAUSED, Status.LOW_BALANCE, Status.SENT)

    def __str__(self) -> str:
        return self.name

    @property
    def public_id(self) -> str:
        """The name of the campaign in texts and message IDs, such as c41."""
        return f"c{self.pk}"

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id

    @property
    def topic(self) -> str:
        """The live topic of the campaign's figures."""
        return f"billing.campaign:{self.wallet.slug}.{self.pk}"

    @property
    def dropped(self) -> int:
        """The number of rows in the file that are skipped."""
        return self.dropped_duplicates + self.dropped_opt_outs + self.dropped_invalid

    @property
    def accepted(self) -> int:
        """The number of rows in the file that became recipients."""
        return self.uploaded - self.dropped

    @property
    def is_reading(self) -> bool:
        """Whether the recipient file is still being read."""
        return self.status == self.Status.DRAFT and self.job is not None and not self.job.ended


class CampaignPart(models.Model):
    """A part of an uploaded file, in SQL so that any worker can read it. Deleted after reading."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="parts", db_index=False)
    place = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        verbose_name = _("file part")
        verbose_name_plural = _("file parts")
        constraints = [
            models.UniqueConstraint(fields=["campaign", "place"], name="billing_part_once")
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id}/{self.place}"


class DroppedRow(models.Model):
    """A row of an uploaded file that is skipped before any hold, and why.

    `why` is a code of `REASONS`, with a parameter after a colon if it has one.
    """

    REASONS = {
        "empty": gettext_noop("Number is empty"),
        "not_a_number": gettext_noop("Not a phone number"),
        "too_long": gettext_noop("Number is too long"),
        "unreachable": gettext_noop("Wrong number length or country code"),
        "twice": gettext_noop("Duplicate of row %s"),
        "opted_out": gettext_noop("Opted out"),
    }

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="dropped_rows")
    row = models.PositiveIntegerField(_("row"))
    raw = models.CharField(_("in the file"), max_length=300, blank=True)
    why = models.CharField(_("why"), max_length=40)

    class Meta:
        verbose_name = _("dropped row")
        verbose_name_plural = _("dropped rows")
        constraints = [
            models.UniqueConstraint(fields=["campaign", "row"], name="billing_dropped_row_once")
        ]

    def __str__(self) -> str:
        return f"{self.row}: {self.raw}"

    @property
    def reason(self) -> str:
        """The reason in the reader's language."""
        code, _colon, named = self.why.partition(":")
        words = gettext(self.REASONS.get(code, code))
        return words % named if named else words


class Recipient(models.Model):
    """A number of a campaign, with the state of sending. The message's result is in Message.

    Its message ID is `c<campaign>-<row>`. If an attempt was never passed to the gateway and its
    hold expired, the ID is `c<campaign>-<row>-<attempt>`, because a cancelled ID can't be used
    again.
    """

    class State(models.TextChoices):
        WAITING = "", _("waiting")
        SENT = "sent", _("submitted")
        REFUSED = "refused", _("refused")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="recipients")
    row = models.PositiveIntegerField(_("row"))
    number = models.CharField(_("number"), max_length=33)
    message_id = models.CharField(_("message"), max_length=80)
    supports_yuexin = models.BooleanField(_("supports Yuexin"), null=True)
    ability_source = models.CharField(_("capability source"), max_length=40, blank=True)
    ability_age_seconds = models.PositiveIntegerField(_("capability age (seconds)"), null=True)
    state = models.CharField(
        _("state"), max_length=7, blank=True, choices=State.choices, default=State.WAITING
    )
    attempt = models.PositiveSmallIntegerField(_("attempt"), default=1)
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
        indexes = [
            models.Index(fields=["message_id"], name="billing_recipient_message"),
            models.Index(fields=["campaign", "state", "row"], name="billing_recipient_state"),
        ]

    def __str__(self) -> str:
        return self.number


class OptOut(models.Model):
    """A number that the account's campaigns are not sent to."""

    by: str  # the name of the user who added it, set for pages
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
