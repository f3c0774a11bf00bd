"""Incidents, and what happened to each while it was open."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account
from poolsite.operations.by_hand import BY_HAND


def _value(value: Any) -> Any:
    """Return a value of an incident's text in the active language."""
    if not isinstance(value, dict):
        return value
    return gettext(str(value.get("text", ""))) % value.get("params", {})


class Incident(models.Model):
    """A problem with one object since `since`. The incident is open until `until` is set.

    Texts are English message ids with %(name)s placeholders. They are filled from `params` and
    translated when they are shown, because a worker opens incidents and users of any language read
    them. A value that is itself a text is {"text": message id, "params": {…}}.
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
        """Translate and fill a text. If its values don't fit, return it without them."""
        said = gettext(text) if text else ""
        if not self.params:
            return said
        try:
            return str(said % {name: _value(each) for name, each in self.params.items()})
        except (KeyError, TypeError, ValueError):
            return said

    @property
    def lasted_seconds(self) -> float:
        """How long the incident was open, or has been open until now."""
        return ((self.until or timezone.now()) - self.since).total_seconds()

    @property
    def is_snoozed(self) -> bool:
        """Whether the incident is snoozed now."""
        return self.snoozed_until is not None and self.snoozed_until > timezone.now()

    @property
    def ends_by_hand(self) -> bool:
        """Whether a person must resolve the incident."""
        return self.type in BY_HAND

    @property
    def title(self) -> str:
        """What is wrong, in the active language."""
        return self._said(self.title_text)

    @property
    def detail(self) -> str:
        """The cause with its figures, in the active language."""
        return self._said(self.detail_text)

    @property
    def remedy(self) -> str:
        """What to do about it, as an instruction, in the active language."""
        return self._said(self.remedy_text)


class IncidentEvent(models.Model):
    """What happened to an incident while it was open. `who` is empty if its check did it.

    text: a note, a reason, or the new owner's name.
    """

    class Kind(models.TextChoices):
        WORSE = "worse", _("Turned critical")
        EASED = "eased", _("Back to a warning")
        ACKNOWLEDGED = "acknowledged", _("Acknowledged")
        ASSIGNED = "assigned", _("Assigned")
        SNOOZED = "snoozed", _("Snoozed")
        RESUMED = "resumed", _("Snooze ended")
        NOTE = "note", _("Note")
        RESOLVED = "resolved", _("Resolved")

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
