"""What invoices need apart from their lines: the seller, customers' tax profiles, tax rates."""

from typing import Final

from django.core.validators import MaxValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account

ONLY: Final = 1  # the primary key of the only row
COUNTRY = RegexValidator(r"^[A-Z]{2}\Z", _("Use a two-letter country code, such as CN."))
PREFIX = RegexValidator(r"^[A-Z0-9]{1,10}\Z", _("Use 1 to 10 capital letters and digits."))
HUNDREDTHS: Final = 10_000  # hundredths of a percent in 100 %


class Treatment(models.TextChoices):
    """How a customer is taxed."""

    STANDARD = "standard", _("standard")
    EXEMPT = "exempt", _("exempt")
    REVERSE_CHARGE = "reverse_charge", _("reverse charge")


class Seller(models.Model):
    """The company that issues the invoices: one row. Without it, no invoices are issued."""

    name = models.CharField(_("legal name"), max_length=200)
    address = models.TextField(_("address"), max_length=400)
    country = models.CharField(_("country"), max_length=2, validators=[COUNTRY])
    tax_id = models.CharField(_("tax ID"), max_length=60, blank=True)
    prefix = models.CharField(_("number prefix"), max_length=10, validators=[PREFIX])
    zone = models.CharField(_("time zone"), max_length=64, default="Asia/Shanghai")
    first_month = models.DateField(_("first month"))

    class Meta:
        verbose_name = _("seller")
        verbose_name_plural = _("sellers")
        constraints = [models.CheckConstraint(condition=Q(id=ONLY), name="billing_seller_only")]

    def __str__(self) -> str:
        return self.name


class TaxRate(models.Model):
    """A tax included in prices, by country and kind of service, valid on the days [from, until)."""

    class Kind(models.TextChoices):
        MESSAGES = "messages", _("messages")
        CALLS = "calls", _("calls")

    country = models.CharField(_("country"), max_length=2, validators=[COUNTRY])
    kind = models.CharField(_("service"), max_length=8, choices=Kind.choices)
    name = models.CharField(_("tax"), max_length=40)
    rate = models.PositiveIntegerField(
        _("rate"), validators=[MaxValueValidator(HUNDREDTHS)], help_text=_("In 1/100 percent.")
    )
    valid_from = models.DateField(_("valid from"))
    valid_until = models.DateField(_("valid until"), null=True, blank=True)

    class Meta:
        verbose_name = _("tax rate")
        verbose_name_plural = _("tax rates")
        ordering = ["country", "kind", "-valid_from"]
        constraints = [
            models.UniqueConstraint(
                fields=["country", "kind", "valid_from"], name="billing_tax_rate_once"
            ),
            models.CheckConstraint(condition=Q(rate__lte=HUNDREDTHS), name="billing_tax_rate_most"),
            models.CheckConstraint(
                condition=Q(valid_until=None) | Q(valid_until__gt=F("valid_from")),
                name="billing_tax_rate_begins_before_its_end",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.country} {self.kind} {self.name}"


class TaxProfile(models.Model):
    """The customer's details on invoices. Without a profile, they show only the account's name."""

    account = models.OneToOneField(Account, models.PROTECT, related_name="tax_profile")
    legal_name = models.CharField(_("legal name"), max_length=200)
    address = models.TextField(_("address"), max_length=400)
    country = models.CharField(_("country"), max_length=2, validators=[COUNTRY])
    tax_id = models.CharField(_("tax ID"), max_length=60, blank=True)
    treatment = models.CharField(
        _("tax treatment"),
        max_length=14,
        choices=Treatment.choices,
        default=Treatment.STANDARD,
    )
    email = models.EmailField(_("billing contact"), blank=True)

    class Meta:
        verbose_name = _("tax profile")
        verbose_name_plural = _("tax profiles")

    def __str__(self) -> str:
        return self.legal_name
