"""What is wrong, whom to tell, and what was sent."""

import secrets
import uuid
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account, User
from poolsite.operations import outgoing


def new_secret() -> str:
    """Return 256 random bits, for signing what is sent."""
    return secrets.token_hex(32)


def _value(value: Any) -> Any:
    """A value of an incident's text in the active language."""
    if not isinstance(value, dict):
        return value
    return gettext(str(value.get("text", ""))) % value.get("params", {})


class Incident(models.Model):
    """Something is wrong with one object, since `since`; open until `until` is set.

    Texts are message ids in English with %(name)s places, filled from `params` and translated
    where they are shown, because a worker opens them and everybody reads them. A value that is a
    text itself is {"text": message id, "params": {…}}.
    """

    class Severity(models.TextChoices):
        CRITICAL = "critical", _("Critical")
        WARNING = "warning", _("Warning")

    type = models.CharField(_("type"), max_length=60)
    object = models.CharField(_("object"), max_length=120)
    severity = models.CharField(_("severity"), max_length=8, choices=Severity.choices)
    title_text = models.CharField(_("title"), max_length=200)
    detail_text = models.TextField(_("detail"), blank=True)
    remedy_text = models.CharField(_("remedy"), max_length=300, blank=True)
    params = models.JSONField(_("values"), default=dict)
    url = models.CharField(_("page"), max_length=300, blank=True)
    account = models.ForeignKey(
        Account, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("account")
    )
    since = models.DateTimeField(_("since"))
    until = models.DateTimeField(_("until"), null=True, blank=True)
    acknowledged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    acknowledged_name = models.CharField(_("acknowledged by"), max_length=150, blank=True)
    acknowledged_at = models.DateTimeField(_("acknowledged at"), null=True, blank=True)
    snoozed_until = models.DateTimeField(_("snoozed until"), null=True, blank=True)
    snoozed_name = models.CharField(_("snoozed by"), max_length=150, blank=True, db_default="")
    snooze_reason = models.CharField(_("reason"), max_length=200, blank=True, db_default="")

    class Meta:
        verbose_name = _("incident")
        verbose_name_plural = _("incidents")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["type", "object"],
                condition=models.Q(until__isnull=True),
                name="operations_incident_open_once",
            ),
        ]
        indexes = [
            models.Index(fields=["account", "-id"], name="operations_incident_account"),
            models.Index(fields=["type", "object", "-id"], name="operations_incident_again"),
        ]

    def __str__(self) -> str:
        return self.title

    def _said(self, text: str) -> str:
        """Translate and fill in; a text that does not fit its values is shown as it is."""
        said = gettext(text) if text else ""
        if not self.params:
            return said
        try:
            return str(said % {name: _value(each) for name, each in self.params.items()})
        except (KeyError, TypeError, ValueError):
            return said

    @property
    def lasted_seconds(self) -> float:
        """How long it was open, or has been by now."""
        return ((self.until or timezone.now()) - self.since).total_seconds()

    @property
    def is_snoozed(self) -> bool:
        """Whether somebody asked for quiet, and the time is not up."""
        return self.snoozed_until is not None and self.snoozed_until > timezone.now()

    @property
    def title(self) -> str:
        """What is wrong, in the reader's language."""
        return self._said(self.title_text)

    @property
    def detail(self) -> str:
        """The cause with its figures."""
        return self._said(self.detail_text)

    @property
    def remedy(self) -> str:
        """What to do about it, as an instruction."""
        return self._said(self.remedy_text)


class IncidentEvent(models.Model):
    """What happened to an incident while it was open. No `who`: the check that keeps it did it."""

    class Kind(models.TextChoices):
        WORSE = "worse", _("Turned critical")
        EASED = "eased", _("Back to a warning")
        ACKNOWLEDGED = "acknowledged", _("Acknowledged")
        SNOOZED = "snoozed", _("Snoozed")
        RESUMED = "resumed", _("Snooze ended")
        NOTE = "note", _("Note")

    incident = models.ForeignKey(Incident, models.CASCADE, related_name="events")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    at = models.DateTimeField()
    who = models.CharField(max_length=150, blank=True)
    text = models.TextField(blank=True)
    until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.kind} {self.who}"


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


class SavedView(models.Model):
    """A person's name for one state of a list: its page's path and the query of its address."""

    user = models.ForeignKey(User, models.CASCADE, related_name="saved_views")
    path = models.CharField(_("page"), max_length=200)
    name = models.CharField(_("name"), max_length=60)
    query = models.CharField(_("filters"), max_length=2000, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "path", "name"], name="operations_saved_view_once"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def address(self) -> str:
        """Where the view leads to."""
        return f"{self.path}?{self.query}" if self.query else self.path


class Beside(models.Model):
    """Base of what people write beside a managed thing: its kind's name, and its slug."""

    kind = models.CharField(_("type"), max_length=20)
    thing = models.CharField(_("object"), max_length=40)
    account = models.ForeignKey(
        Account, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("account")
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        abstract = True


class Tag(Beside):
    """One word by which things are found together; the thing's tenant is the tag's."""

    tag = models.CharField(_("tag"), max_length=40, db_index=True)

    class Meta:
        verbose_name = _("tag")
        verbose_name_plural = _("tags")
        ordering = ["tag"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "thing", "tag"], name="operations_tag_once")
        ]

    def __str__(self) -> str:
        return self.tag


class Note(Beside):
    """What somebody wants the next one to know; it is removed, never rewritten."""

    text = models.TextField(_("note"))
    author = models.CharField(_("written by"), max_length=150)

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        ordering = ["-pk"]
        indexes = [models.Index(fields=["kind", "thing", "-id"], name="operations_note_thing")]

    def __str__(self) -> str:
        return self.text[:60]
