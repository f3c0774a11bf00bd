"""The outcomes that agents choose for a visit."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from queueing.line.models.desks import Desk


class OutcomeCode(models.Model):
    """An outcome of a desk.

    If visits have it when it is removed, it is archived and still shown.
    """

    class Tone(models.TextChoices):
        GOOD = "good", _("Done")
        OPEN = "open", _("Needs follow-up")
        PLAIN = "plain", _("Neutral")

    desk = models.ForeignKey(Desk, models.CASCADE, related_name="outcome_codes")
    name = models.CharField(_("name"), max_length=40)
    tone = models.CharField(_("category"), max_length=5, choices=Tone.choices, default=Tone.PLAIN)
    position = models.PositiveSmallIntegerField(_("list position"), default=0)
    archived_at = models.DateTimeField(_("archived at"), null=True, blank=True)

    class Meta:
        verbose_name = _("outcome")
        verbose_name_plural = _("outcomes")
        ordering = ["desk", "position", "pk"]
        constraints = [models.UniqueConstraint(fields=["desk", "name"], name="line_outcome_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def chip(self) -> str:
        """The CSS class of its chip on pages."""
        return {"good": "chip--ok", "open": "chip--warn"}.get(self.tone, "")
