"""The prices of calls by destination, and the amounts charged."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.prices import Tariff
from billing.models.wallets import Wallet
from billing.money import MoneyField


class CallRate(models.Model):
    """A call rate of a tariff. The hold of a call's interval stores its ID.

    Rows never change: a tariff that is not in use yet gets new rows when its rates change. The
    columns are those of billing.pricing.calls.Rate.
    """

    tariff = models.ForeignKey(Tariff, models.CASCADE, related_name="call_rates")
    prefix = models.CharField(_("prefix"), max_length=33, blank=True)
    destination = models.CharField(_("destination"), max_length=80)
    days = models.PositiveSmallIntegerField(_("days"))
    from_minute = models.PositiveSmallIntegerField(_("from (minute of the day)"))
    until_minute = models.PositiveSmallIntegerField(_("until (minute of the day)"))
    price = MoneyField(_("price per minute"))
    first = models.PositiveIntegerField(_("first increment (seconds)"))
    increment = models.PositiveIntegerField(_("further increments (seconds)"))
    fee = MoneyField(_("connection fee"))

    class Meta:
        verbose_name = _("call rate")
        verbose_name_plural = _("call rates")
        ordering = ["tariff", "prefix", "days", "from_minute", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["tariff", "prefix", "days", "from_minute", "until_minute"],
                name="billing_call_rate_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.destination} {self.prefix}".strip()

    @property
    def account_id(self) -> int:
        """The tariff's account."""
        return self.tariff.account_id


class CallUsage(models.Model):
    """What calls by a rate cost in a quarter of an hour, written with the journal's entries.

    In every time zone, a month begins at a quarter of an hour, so statements can add these up.
    `rate` is a call rate's ID, or 0 for the tariff's price of a call. `tariff` and `rate` are not
    foreign keys, as in Message.
    """

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="call_usage")
    quarter = models.DateTimeField(_("quarter of an hour"))
    tariff = models.PositiveBigIntegerField(_("tariff"))
    rate = models.PositiveBigIntegerField(_("call rate"))
    calls = models.PositiveBigIntegerField(_("calls"))
    intervals = models.PositiveBigIntegerField(_("intervals"))
    seconds = models.PositiveBigIntegerField(_("charged seconds"))
    revenue = MoneyField(_("revenue"))

    class Meta:
        verbose_name = _("call usage")
        verbose_name_plural = _("call usage")
        constraints = [
            models.UniqueConstraint(
                fields=["wallet", "quarter", "tariff", "rate"], name="billing_call_usage_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.wallet_id} {self.quarter:%Y-%m-%d %H:%M}"
