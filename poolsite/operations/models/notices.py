"""Whom to tell of incidents, and what was sent."""

import secrets
import uuid

from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account
from poolsite.operations import outgoing
from poolsite.operations.models.incidents import Incident


def new_secret() -> str:
    """Return 256 random bits, for signing what is sent."""
    return secrets.token_hex(32)


class NoticeTarget(models.Model):
    """Who is told of incidents, by e-mail or webhook."""

    class Channel(models.TextChoices):
        EMAIL = "email", _("Email")
        WEBHOOK = "webhook", _("Webhook")

    account = models.ForeignKey(
        Account,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("account"),
        help_text=_("Leave empty to get alerts about the whole platform."),
    )
    channel = models.CharField(_("channel"), max_length=8, choices=Channel.choices)
    address = models.CharField(_("address"), max_length=500)
    secret = models.CharField(_("signing secret"), max_length=64, default=new_secret)
    warnings = models.BooleanField(_("include warnings"), default=True)
    active = models.BooleanField(_("active"), default=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("alert recipient")
        verbose_name_plural = _("alert recipients")

    def __str__(self) -> str:
        return self.address

    def clean(self) -> None:
        """Refuse an address that nothing could ever be sent to."""
        if self.channel == self.Channel.EMAIL:
            EmailValidator()(self.address)
            return
        try:
            outgoing.check_url(self.address)
        except outgoing.RefusedAddressError as error:
            raise ValidationError({"address": str(error)}) from error


class Notice(models.Model):
    """One thing to be sent to one target, until it was taken or given up."""

    class State(models.TextChoices):
        PENDING = "pending", _("Pending")
        SENT = "sent", _("Sent")
        FAILED = "failed", _("Failed")

    event_id = models.UUIDField(_("event ID"), default=uuid.uuid4, unique=True)
    target = models.ForeignKey(NoticeTarget, models.CASCADE, related_name="notices")
    incident = models.ForeignKey(Incident, models.CASCADE, related_name="notices")
    event = models.CharField(_("event"), max_length=20)
    body = models.JSONField(_("body"), default=dict)
    state = models.CharField(_("state"), max_length=8, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    next_at = models.DateTimeField(_("next attempt"))
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("alert")
        verbose_name_plural = _("alerts")
        ordering = ["-pk"]
        indexes = [
            models.Index(
                fields=["next_at"],
                name="operations_notice_due",
                condition=models.Q(state="pending"),
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["target", "incident", "event"], name="operations_notice_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.target}"


class OutgoingCall(models.Model):
    """The log of every call that we made to somebody else's address."""

    notice = models.ForeignKey(Notice, models.CASCADE, null=True, related_name="calls")
    purpose = models.CharField(_("purpose"), max_length=60)
    address = models.CharField(_("address"), max_length=500)
    status = models.PositiveSmallIntegerField(_("status"), null=True, blank=True)
    error = models.CharField(_("error"), max_length=300, blank=True)
    answer = models.CharField(_("answer"), max_length=500, blank=True)
    duration_ms = models.PositiveIntegerField(_("duration (ms)"), default=0)
    account = models.ForeignKey(Account, models.CASCADE, null=True, blank=True, related_name="+")
    at = models.DateTimeField(_("at"), auto_now_add=True)

    class Meta:
        verbose_name = _("outgoing request")
        verbose_name_plural = _("outgoing requests")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.purpose} {self.address}"
