"""Credit notes, and the emails that send documents to customers."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from billing.models.invoices import Invoice
from billing.models.wallets import Wallet


class CreditNote(models.Model):
    """Cancels a whole invoice. Above the limit, another operator approves it first.

    It has no number until it is issued. After that it never changes.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting for approval")
        ISSUED = "issued", _("issued")
        REJECTED = "rejected", _("rejected")

    invoice = models.ForeignKey(Invoice, models.PROTECT, related_name="credit_notes")
    status = models.CharField(
        _("status"), max_length=8, choices=Status.choices, default=Status.WAITING
    )
    reason = models.CharField(_("reason"), max_length=200)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(_("requested at"), auto_now_add=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)
    decision_reason = models.CharField(_("decision reason"), max_length=200, blank=True)
    number = models.CharField(_("number"), max_length=40, blank=True)
    prefix = models.CharField(_("prefix"), max_length=10, blank=True)
    year = models.PositiveSmallIntegerField(_("year"), null=True, blank=True)
    serial = models.PositiveIntegerField(_("serial number"), null=True, blank=True)
    issued_at = models.DateTimeField(_("issued at"), null=True, blank=True)
    issued_on = models.DateField(_("issued on"), null=True, blank=True)

    class Meta:
        verbose_name = _("credit note")
        verbose_name_plural = _("credit notes")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["invoice"], condition=~Q(status="rejected"), name="billing_credit_once"
            ),
            models.UniqueConstraint(
                fields=["prefix", "year", "serial"],
                condition=Q(serial__isnull=False),
                name="billing_credit_number_once",
            ),
            models.CheckConstraint(
                condition=~Q(status="issued") | Q(serial__isnull=False),
                name="billing_credit_has_a_number",
            ),
            models.CheckConstraint(
                condition=~Q(decided_by=F("asked_by")) | Q(decided_by=None),
                name="billing_credit_four_eyes",
            ),
        ]

    def __str__(self) -> str:
        return self.number or str(self.invoice_id)

    @property
    def wallet(self) -> Wallet:
        """The wallet of the cancelled invoice."""
        return self.invoice.wallet

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id


class InvoiceMail(models.Model):
    """An email with a document, created in the document's transaction and sent by a sweep."""

    class State(models.TextChoices):
        PENDING = "pending", _("pending")
        SENT = "sent", _("sent")
        FAILED = "failed", _("failed")

    invoice = models.ForeignKey(Invoice, models.PROTECT, related_name="mails")
    credit_note = models.ForeignKey(
        CreditNote, models.PROTECT, null=True, blank=True, related_name="mails"
    )
    address = models.EmailField(_("email"))
    state = models.CharField(_("state"), max_length=7, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    next_at = models.DateTimeField(_("next attempt at"))

    class Meta:
        verbose_name = _("invoice email")
        verbose_name_plural = _("invoice emails")
        constraints = [
            models.UniqueConstraint(
                fields=["invoice"],
                condition=Q(credit_note=None),
                name="billing_invoice_mail_once",
            ),
            models.UniqueConstraint(fields=["credit_note"], name="billing_credit_mail_once"),
        ]
        indexes = [
            models.Index(
                fields=["next_at"], condition=Q(state="pending"), name="billing_invoice_mail_due"
            )
        ]

    def __str__(self) -> str:
        return f"{self.invoice_id} {self.address}"
