"""Who gave whom access, and the finance grants that wait for a second finance operator."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from poolsite.access.models.tenants import User


class AccessLink(models.Model):
    """One person gave another access, or removed what protects it. Only services write it.

    `poolsite.access.four_eyes` follows these rows: a person who gives another access could act as
    that person. Commands on the server (`manage.py`) write none.
    """

    class How(models.TextChoices):
        INVITED = "invited", _("invited")
        GRANTED = "granted", _("gave a grant")
        ROLE = "role", _("gave a role")
        REACTIVATED = "reactivated", _("reactivated")
        FACTOR_RESET = "factor", _("reset the authenticator app")

    giver = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    receiver = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    how = models.CharField(_("relation"), max_length=16, choices=How.choices)
    at = models.DateTimeField(_("at"), default=timezone.now)

    class Meta:
        verbose_name = _("access link")
        verbose_name_plural = _("access links")
        ordering = ["-at"]
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=~Q(giver=F("receiver")), name="access_link_of_two_people"
            )
        ]
        indexes = [
            models.Index(fields=["receiver", "at"], name="access_link_receiver"),
            models.Index(fields=["giver"], name="access_link_giver"),
        ]

    def __str__(self) -> str:
        return f"{self.giver} · {self.get_how_display()} · {self.receiver}"


class FinanceRequest(models.Model):
    """A finance grant that one operator requested and another finance operator decides."""

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting for approval")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")
        WITHDRAWN = "withdrawn", _("withdrawn")

    user = models.ForeignKey(User, models.PROTECT, related_name="finance_requests")
    asked_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(_("requested at"), auto_now_add=True)
    reason = models.CharField(_("reason"), max_length=200)
    status = models.CharField(
        _("status"), max_length=10, choices=Status.choices, default=Status.WAITING
    )
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)
    decision_reason = models.CharField(_("decision reason"), max_length=200, blank=True)

    access_kind = "finance_request"

    class Meta:
        verbose_name = _("finance grant request")
        verbose_name_plural = _("finance grant requests")
        ordering = ["-pk"]
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(status="waiting"), name="access_finance_request_once"
            ),
            models.CheckConstraint(
                condition=~Q(asked_by=F("user")), name="access_finance_request_not_own"
            ),
            models.CheckConstraint(
                condition=~Q(status="approved")
                | (
                    Q(decided_by__isnull=False)
                    & ~Q(decided_by=F("asked_by"))
                    & ~Q(decided_by=F("user"))
                ),
                name="access_finance_request_four_eyes",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.get_status_display()}"
