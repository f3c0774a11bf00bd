"""Webhook endpoints, the events sent to them, and the state of each delivery."""

import secrets
import uuid

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account
from poolsite.operations import outgoing

EVERY_EVENT = "*"


def new_slug() -> str:
    """Return a new endpoint's public ID."""
    return f"we-{secrets.token_hex(6)}"


def new_secret() -> str:
    """Return 256 random bits in hex, for signing."""
    return secrets.token_hex(32)


def new_signing_secret() -> str:
    """Return an endpoint's signing secret. Its prefix distinguishes it from other secrets."""
    return f"whsec_{new_secret()}"


class WebhookEndpoint(models.Model):
    """A URL of an outside server that events are posted to."""

    access_kind = "webhook"

    class State(models.TextChoices):
        ACTIVE = "active", _("Active")
        PAUSED = "paused", _("Paused")  # by the platform, after a day of failures
        DISABLED = "disabled", _("Disabled")  # by a person

    slug = models.CharField(_("ID"), max_length=40, unique=True, default=new_slug)
    account = models.ForeignKey(
        Account,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("account"),
        help_text=_("Leave empty to get the events of the platform and of all accounts."),
    )
    name = models.CharField(_("name"), max_length=80)
    url = models.CharField(
        _("URL"),
        max_length=500,
        help_text=_("Events are sent to it as POST requests. Use https."),
    )
    events = models.JSONField(_("events"), default=list)
    secret = models.CharField(_("signing secret"), max_length=80, default=new_signing_secret)
    old_secret = models.CharField(max_length=80, blank=True, default="", editable=False)
    old_secret_until = models.DateTimeField(null=True, editable=False)
    state = models.CharField(
        _("state"), max_length=8, choices=State.choices, default=State.ACTIVE, editable=False
    )
    failing_since = models.DateTimeField(_("failing since"), null=True, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("webhook endpoint")
        verbose_name_plural = _("webhook endpoints")

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse a URL that can never be called, and an empty choice of events."""
        try:
            outgoing.check_url(self.url)
        except outgoing.RefusedAddressError as error:
            raise ValidationError({"url": str(error)}) from error
        if not self.events:
            raise ValidationError({"events": _("Choose at least one event.")})

    def listens_to(self, kind: str) -> bool:
        """Return whether the endpoint receives events of this type."""
        return EVERY_EVENT in self.events or kind in self.events


class WebhookEvent(models.Model):
    """An event as endpoints receive it. It is stored only if an endpoint listens."""

    id = models.UUIDField(_("ID"), primary_key=True, default=uuid.uuid4)
    type = models.CharField(_("type"), max_length=40)
    account = models.ForeignKey(
        Account, models.CASCADE, null=True, related_name="+", verbose_name=_("account")
    )
    data = models.JSONField(_("data"), default=dict)
    path = models.CharField(_("page"), max_length=300, blank=True)
    created_at = models.DateTimeField(_("created at"), db_index=True)

    class Meta:
        verbose_name = _("webhook event")
        verbose_name_plural = _("webhook events")

    def __str__(self) -> str:
        return f"{self.type} {self.id}"


class WebhookDelivery(models.Model):
    """An event's delivery to an endpoint. Each attempt is logged as an OutgoingCall."""

    class State(models.TextChoices):
        PENDING = "pending", _("Pending")
        DELIVERED = "delivered", _("Delivered")
        FAILED = "failed", _("Failed")

    endpoint = models.ForeignKey(WebhookEndpoint, models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(WebhookEvent, models.CASCADE, related_name="deliveries")
    state = models.CharField(_("state"), max_length=9, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    next_at = models.DateTimeField(_("next attempt"))
    status = models.PositiveSmallIntegerField(_("status"), null=True)
    error = models.CharField(_("error"), max_length=300, blank=True, default="")
    sent_at = models.DateTimeField(_("last attempt"), null=True)

    class Meta:
        verbose_name = _("webhook delivery")
        verbose_name_plural = _("webhook deliveries")
        constraints = [
            models.UniqueConstraint(
                fields=["endpoint", "event"], name="operations_webhook_delivery_once"
            )
        ]
        indexes = [
            models.Index(fields=["endpoint", "-id"], name="operations_webhook_log"),
            models.Index(
                fields=["endpoint", "next_at"],
                name="operations_webhook_due",
                condition=models.Q(state="pending"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} {self.endpoint}"
