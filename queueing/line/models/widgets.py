"""The appearance of a desk's chat on its tenant's own sites, and the sites that may show it."""

from django.core.validators import MaxLengthValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from queueing.line.models.desks import Desk
from queueing.line.origins import check_colour, check_origins

COLOUR = "#9810fa"


class Widget(models.Model):
    """The chat bubble of a desk's queues. A desk without a row has the defaults: no site."""

    class Side(models.TextChoices):
        RIGHT = "right", _("Bottom right")
        LEFT = "left", _("Bottom left")

    desk = models.OneToOneField(Desk, models.CASCADE, related_name="widget")
    origins = models.JSONField(
        _("allowed sites"), default=list, blank=True, validators=[check_origins]
    )
    colour = models.CharField(_("color"), max_length=7, default=COLOUR, validators=[check_colour])
    side = models.CharField(_("position"), max_length=5, choices=Side.choices, default=Side.RIGHT)
    greeting = models.TextField(_("greeting"), blank=True, validators=[MaxLengthValidator(300)])

    class Meta:
        verbose_name = _("chat widget")
        verbose_name_plural = _("chat widgets")

    def __str__(self) -> str:
        return str(self.desk)

    @property
    def audit_ref(self) -> str:
        """The desk's name in the audit log."""
        return f"desk:{self.desk.slug}"
