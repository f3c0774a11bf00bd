"""Hourly usage: the journal summed up by hour, so that a chart of a year is fast."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.wallets import Wallet
from billing.money import MoneyField


class UsageHour(models.Model):
    """The sums of a wallet's journal entries by hour, kind, mode and chatbot. Only a summary.

    `spendable` and `revenue` are the sums of those legs. Summing the journal again gives the same.
    """

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="usage")
    hour = models.DateTimeField(_("hour"))
    kind = models.CharField(_("type"), max_length=16)
    mode = models.CharField(_("mode"), max_length=24, blank=True)
    chatbot = models.CharField(_("chatbot"), max_length=40, blank=True)
    entries = models.PositiveBigIntegerField(_("entries"), default=0)
    spendable = MoneyField(_("spendable"), default=0)
    revenue = MoneyField(_("revenue"), default=0)

    class Meta:
        verbose_name = _("hourly usage")
        verbose_name_plural = _("hourly usage")
        constraints = [
            models.UniqueConstraint(
                fields=["wallet", "hour", "kind", "mode", "chatbot"], name="billing_usage_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.wallet_id} {self.hour:%Y-%m-%d %H}"


class UsageCursor(models.Model):
    """The last journal entry in a wallet's hourly usage. Moved in the sums' transaction."""

    wallet = models.OneToOneField(Wallet, models.PROTECT, related_name="usage_cursor")
    generation = models.PositiveBigIntegerField(_("generation"), default=0)
    seq = models.PositiveBigIntegerField(_("sequence number"), default=0)

    class Meta:
        verbose_name = _("usage cursor")
        verbose_name_plural = _("usage cursors")

    def __str__(self) -> str:
        return f"{self.wallet_id} {self.generation}:{self.seq}"
