"""How far each side of a room has read."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from queueing.line.models.visits import Visit


class ReadReceipt(models.Model):
    """The message `number` up to which a side of a visit has read. It only grows."""

    class Side(models.TextChoices):
        VISITOR = "visitor", _("visitor")
        AGENT = "agent", _("agent")

    visit = models.ForeignKey(Visit, models.CASCADE, related_name="read_receipts")
    side = models.CharField(_("side"), max_length=7, choices=Side.choices)
    number = models.PositiveIntegerField(_("last message read"))
    at = models.DateTimeField(_("read at"))

    class Meta:
        verbose_name = _("read receipt")
        verbose_name_plural = _("read receipts")
        constraints = [
            models.UniqueConstraint(fields=["visit", "side"], name="line_read_receipt_once")
        ]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.side} {self.number}"
