"""Alert recipients, alerts, and the log of everything that was sent to outside."""

import uuid

from django.core.validators import EmailValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account
from poolsite.operations.models.incidents import Incident
from poolsite.operations.models.webhooks import WebhookDelivery


class NoticeTarget(models.Model):
    """An alert recipient: an address that is emailed about incidents. Programs use webhooks."""

    account = models.ForeignKey(
        Account,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("account"),
        help_text=_("Leave empty to get alerts about the whole platform."),
    )
    address = models.CharField(_("email address"), max_length=500, validators=[EmailValidator()])
    # From the time when webhooks were recipients, too. The release after 0.9 drops both columns.
    channel = models.CharField(max_length=8, default="email", db_default="email", editable=False)
    secret = models.CharField(max_length=64, default="", db_default="", editable=False)
    warnings = models.BooleanField(_("include warnings"), default=True)
    active = models.BooleanField(_("active"), default=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("alert recipient")
        verbose_name_plural = _("alert recipients")

    def __str__(self) -> str:
        return self.address


class Notice(models.Model):
    """An alert for one recipient, until it is sent or has failed."""

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
    """An email or a webhook request that was sent, with its result."""

    notice = models.ForeignKey(Notice, models.CASCADE, null=True, related_name="calls")
    delivery = models.ForeignKey(
        WebhookDelivery,
        models.CASCADE,
        null=True,
        related_name="calls",
        editable=False,
        db_index=False,
    )
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
        indexes = [
            models.Index(
                fields=["delivery"],
                condition=models.Q(delivery__isnull=False),
                name="operations_call_delivery",
            )
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.address}"
