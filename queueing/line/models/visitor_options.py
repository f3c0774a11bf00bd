"""Visitors' requests, during the wait and afterwards: emails, and a code for another device."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from queueing.line.models.visits import Visit


class VisitMail(models.Model):
    """An email that a visitor asked for. Its address is deleted once it is sent.

    WAITING: the visitor's turn has not come. DUE: it is sent as soon as possible.
    """

    class Kind(models.TextChoices):
        TURN = "turn", _("turn notification")
        TRANSCRIPT = "transcript", _("transcript")

    class When(models.TextChoices):
        THIRD = "third", _("third in line")
        NEXT = "next", _("next in line")
        TURN = "turn", _("served")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DUE = "due", _("due")
        SENT = "sent", _("sent")
        FAILED = "failed", _("not sent")
        OVER = "over", _("no longer needed")

    visit = models.ForeignKey(Visit, models.CASCADE, related_name="mails")
    kind = models.CharField(_("type"), max_length=10, choices=Kind.choices)
    when = models.CharField(_("when"), max_length=5, choices=When.choices, blank=True)
    address = models.EmailField(_("email"), blank=True)
    language = models.CharField(_("language"), max_length=10, blank=True)
    zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    site = models.CharField(_("site"), max_length=200)  # for the mail's link
    state = models.CharField(_("state"), max_length=7, choices=State.choices)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    look_at = models.DateTimeField(_("next check at"))
    asked_at = models.DateTimeField(_("requested at"), auto_now_add=True)

    class Meta:
        verbose_name = _("visitor email")
        verbose_name_plural = _("visitor emails")
        constraints = [
            models.UniqueConstraint(
                fields=["visit"], condition=models.Q(kind="turn"), name="line_mail_one_turn"
            )
        ]
        indexes = [
            models.Index(
                fields=["state", "look_at"],
                condition=models.Q(state__in=["waiting", "due"]),
                name="line_mail_look",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class VisitCode(models.Model):
    """The code that moves a visit to another device, as a keyed hash. It works once."""

    visit = models.OneToOneField(Visit, models.CASCADE, related_name="code")
    digest = models.CharField(_("hash"), max_length=64, unique=True)
    expires_at = models.DateTimeField(_("expires at"), db_index=True)

    class Meta:
        verbose_name = _("visit code")
        verbose_name_plural = _("visit codes")

    def __str__(self) -> str:
        return str(self.visit_id)
