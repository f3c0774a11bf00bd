"""Invoices and their number sequences. A document never changes once it is issued."""

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from billing.models.taxes import Treatment
from billing.models.wallets import Wallet
from billing.money import MoneyField


class InvoiceSeries(models.Model):
    """The last number of a sequence. It is locked and increased in the transaction that uses it."""

    class Kind(models.TextChoices):
        INVOICE = "invoice", _("invoice")
        CREDIT_NOTE = "credit_note", _("credit note")

    prefix = models.CharField(_("prefix"), max_length=10)
    kind = models.CharField(_("type"), max_length=11, choices=Kind.choices)
    year = models.PositiveSmallIntegerField(_("year"))
    last = models.PositiveIntegerField(_("last number"), default=0)

    class Meta:
        verbose_name = _("number sequence")
        verbose_name_plural = _("number sequences")
        constraints = [
            models.UniqueConstraint(
                fields=["prefix", "kind", "year"], name="billing_invoice_series_once"
            )
        ]

    def __str__(self) -> str:
        return self.written(self.last)

    def written(self, serial: int) -> str:
        """Return a number of this sequence in the form used on documents."""
        return written(self.prefix, self.kind, self.year, serial)


def written(prefix: str, kind: str, year: int, serial: int) -> str:
    """Return "PS-2026-000017" for an invoice, "PS-CN-2026-000001" for a credit note."""
    mark = "-CN" if kind == InvoiceSeries.Kind.CREDIT_NOTE else ""
    return f"{prefix}{mark}-{year}-{serial:06d}"


class InvoiceCursor(models.Model):
    """The last month invoiced automatically for a wallet. Its row lock guards all its invoices."""

    wallet = models.OneToOneField(Wallet, models.PROTECT, related_name="invoice_cursor")
    month = models.DateField(_("month"), null=True, blank=True)
    tried_at = models.DateTimeField(_("checked at"), null=True, blank=True)

    class Meta:
        verbose_name = _("invoice cursor")
        verbose_name_plural = _("invoice cursors")

    def __str__(self) -> str:
        return f"{self.wallet_id} {self.month}"


class Invoice(models.Model):
    """What an account was charged in a month in its time zone. Never changed, never deleted.

    Prices include tax: net + tax = total, which is the month's charges in the journal. `paid` was
    paid from the balance by the end of the month; the rest is due. `revision` starts at 1 and
    increases after each credit note. `seller` and `customer` are stored as they were at that time.
    `digest` covers the invoice and its lines.
    """

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="invoices")
    month = models.DateField(_("month"))
    revision = models.PositiveSmallIntegerField(_("revision"), default=1)
    start_us = models.PositiveBigIntegerField(_("start (µs)"))
    end_us = models.PositiveBigIntegerField(_("end (µs)"))
    zone = models.CharField(_("time zone"), max_length=64)
    number = models.CharField(_("number"), max_length=40, unique=True)
    prefix = models.CharField(_("prefix"), max_length=10)
    year = models.PositiveSmallIntegerField(_("year"))
    serial = models.PositiveIntegerField(_("serial number"))
    issued_at = models.DateTimeField(_("issued at"))
    issued_on = models.DateField(_("issued on"))
    issued_by = models.CharField(_("issued by"), max_length=150)
    currency = models.CharField(_("currency"), max_length=3)
    seller = models.JSONField(_("seller"))
    customer = models.JSONField(_("customer"))
    treatment = models.CharField(_("tax treatment"), max_length=14, choices=Treatment.choices)
    net = MoneyField(_("net"))
    tax = MoneyField(_("tax"), default=0)
    total = MoneyField(_("total"))
    paid = MoneyField(_("paid from the balance"))
    digest = models.CharField(_("digest"), max_length=32)

    class Meta:
        verbose_name = _("invoice")
        verbose_name_plural = _("invoices")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["wallet", "month", "revision"], name="billing_invoice_once"
            ),
            models.UniqueConstraint(
                fields=["prefix", "year", "serial"], name="billing_invoice_number_once"
            ),
            models.CheckConstraint(
                condition=Q(total=F("net") + F("tax")), name="billing_invoice_adds_up"
            ),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def account_id(self) -> int:
        """The wallet's account."""
        return self.wallet.account_id

    @property
    def due(self) -> int:
        """The part that the balance did not cover: used credit, and amounts owed."""
        return self.total - self.paid

    @property
    def month_name(self) -> str:
        """The month as in addresses: "2026-11"."""
        return f"{self.month:%Y-%m}"

    @property
    def credit_note(self) -> Any:
        """The credit note that cancels the invoice, or None."""
        return self._credit("issued")

    @property
    def credit_waiting(self) -> Any:
        """The credit note that waits for another operator's approval, or None."""
        return self._credit("waiting")

    def _credit(self, status: str) -> Any:
        notes = self.credit_notes.all()
        return next((each for each in notes if each.status == status), None)

    def content(self) -> dict[str, Any]:
        """Return all the data that the digest covers."""
        names = (
            *("wallet_id", "revision", "start_us", "end_us", "zone", "number", "issued_by"),
            *("currency", "seller", "customer", "treatment", "net", "tax", "total", "paid"),
        )
        told = {name: getattr(self, name) for name in names}
        return told | {"month": f"{self.month}", "issued_on": f"{self.issued_on}"}


class InvoiceLine(models.Model):
    """The month's charges for a mode and chatbot. `tax` is the line's share of its rate's tax."""

    invoice = models.ForeignKey(Invoice, models.PROTECT, related_name="lines")
    position = models.PositiveIntegerField(_("position"))
    mode = models.CharField(_("mode"), max_length=24, blank=True)
    chatbot = models.CharField(_("chatbot"), max_length=40, blank=True)
    chatbot_name = models.CharField(_("chatbot name"), max_length=120, blank=True)
    quantity = models.PositiveBigIntegerField(_("quantity"))
    tax_name = models.CharField(_("tax name"), max_length=40, blank=True)
    rate = models.PositiveIntegerField(_("rate"), default=0)
    net = MoneyField(_("net"))
    tax = MoneyField(_("tax"))
    amount = MoneyField(_("amount"))

    class Meta:
        verbose_name = _("invoice line")
        verbose_name_plural = _("invoice lines")
        ordering = ["invoice", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["invoice", "position"], name="billing_invoice_line_once"
            ),
            models.CheckConstraint(
                condition=Q(amount=F("net") + F("tax")), name="billing_invoice_line_adds_up"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.invoice_id}.{self.position}"

    def content(self) -> list[Any]:
        """Return all the data that the invoice's digest covers."""
        names = (
            *("position", "mode", "chatbot", "chatbot_name", "quantity"),
            *("tax_name", "rate", "net", "tax", "amount"),
        )
        return [getattr(self, name) for name in names]


class InvoiceTax(models.Model):
    """The tax of all lines with one rate."""

    invoice = models.ForeignKey(Invoice, models.PROTECT, related_name="taxes")
    position = models.PositiveIntegerField(_("position"))
    name = models.CharField(_("tax name"), max_length=40, blank=True)
    rate = models.PositiveIntegerField(_("rate"), default=0)
    net = MoneyField(_("net"))
    tax = MoneyField(_("tax"))
    amount = MoneyField(_("amount"))

    class Meta:
        verbose_name = _("tax line")
        verbose_name_plural = _("tax lines")
        ordering = ["invoice", "position"]
        constraints = [
            models.UniqueConstraint(fields=["invoice", "position"], name="billing_invoice_tax_once")
        ]

    def __str__(self) -> str:
        return f"{self.invoice_id} {self.name}"

    def content(self) -> list[Any]:
        """Return all the data that the invoice's digest covers."""
        return [self.position, self.name, self.rate, self.net, self.tax, self.amount]
