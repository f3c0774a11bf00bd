"""How far SQL has each stream, what is missing, and the base of all history rows."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _


class HistoryEntry(models.Model):
    """Base of an app's history table: subclass it and add `aggregate = ForeignKey(…)`.

    A subclass with a Meta of its own must inherit `HistoryEntry.Meta`, whose constraint prevents a
    second row for the same entry.
    """

    generation = models.PositiveBigIntegerField(_("generation"))
    seq = models.PositiveBigIntegerField(_("sequence number"))
    at_us = models.PositiveBigIntegerField(_("time (µs)"))

    class Meta:
        abstract = True
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["aggregate", "generation", "seq"], name="%(app_label)s_%(class)s_once"
            )
        ]


class Cursor(models.Model):
    """How far one aggregate's stream is in SQL; moved in the same transaction as the rows."""

    kind = models.CharField(_("type"), max_length=40)
    tag = models.CharField(_("tag"), max_length=60)
    generation = models.PositiveBigIntegerField(_("generation"))
    seq = models.PositiveBigIntegerField(_("committed up to"), default=0)
    digest = models.CharField(_("digest of the last entry"), max_length=32, blank=True)
    seen_seq = models.PositiveBigIntegerField(_("read up to"), default=0)
    dropped = models.PositiveBigIntegerField(_("recorded dropped entries"), default=0)
    moved_at = models.DateTimeField(_("last advanced at"), auto_now=True)

    class Meta:
        verbose_name = _("history cursor")
        verbose_name_plural = _("history cursors")
        constraints = [
            models.UniqueConstraint(fields=["kind", "tag"], name="history_cursor_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.tag}"


class GapRecord(models.Model):
    """Entries that will never reach SQL, and why. Shown on the timelines that lack them."""

    class Reason(models.TextChoices):
        DROPPED = "dropped", _("dropped from a full stream")
        LOST_WITH_REDIS = "lost with Redis", _("lost with Redis")
        UNEXPLAINED = "unexplained", _("missing, cause unknown")

    kind = models.CharField(_("type"), max_length=40)
    tag = models.CharField(_("tag"), max_length=60)
    generation = models.PositiveBigIntegerField(_("generation"))
    first_seq = models.PositiveBigIntegerField(_("first"))
    last_seq = models.PositiveBigIntegerField(_("last"))
    reason = models.CharField(_("reason"), max_length=20, choices=Reason.choices)
    noticed_at = models.DateTimeField(_("detected at"), auto_now_add=True)

    class Meta:
        verbose_name = _("history gap")
        verbose_name_plural = _("history gaps")
        ordering = ["-noticed_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "tag", "generation", "first_seq"], name="history_gap_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tag} {self.first_seq}-{self.last_seq}"

    @property
    def count(self) -> int:
        """The number of missing entries."""
        return self.last_seq - self.first_seq + 1
