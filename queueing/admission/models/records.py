"""What happened at the gates: every event, and a sample of each minute."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from poolsite.history.models import HistoryEntry
from poolsite.hotpath.rows import AggregateSample
from queueing.admission.models.gates import Gate


class GateEvent(HistoryEntry):
    """A history entry of a gate (its `aggregate`), as the script wrote it.

    `holder`: a name, `@device` or `#token`. Task and batch are numbers, not foreign keys, because
    events outlive them.
    """

    aggregate = models.ForeignKey(Gate, models.PROTECT, related_name="events", db_index=False)
    event = models.CharField(_("event"), max_length=16)
    holder = models.CharField(_("holder"), max_length=64, blank=True)
    token = models.PositiveBigIntegerField(_("token"), null=True, blank=True)
    deadline_us = models.PositiveBigIntegerField(_("deadline (µs)"), null=True, blank=True)
    task = models.PositiveBigIntegerField(_("task"), null=True, blank=True)
    attempt = models.PositiveSmallIntegerField(_("attempt"), null=True, blank=True)
    batch = models.PositiveBigIntegerField(_("batch"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    data = models.TextField(_("data"), blank=True)

    class Meta(HistoryEntry.Meta):
        verbose_name = _("event")
        verbose_name_plural = _("events")
        indexes = [
            models.Index(
                fields=["holder", "-at_us"], name="admission_event_holder", condition=~Q(holder="")
            ),
            models.Index(
                fields=["task", "-at_us"], name="admission_event_task", condition=Q(task__gt=0)
            ),
            models.Index(
                fields=["batch", "-at_us"], name="admission_event_batch", condition=Q(batch__gt=0)
            ),
            models.Index(fields=["at_us"], name="admission_event_at"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.holder}"

    @property
    def gate(self) -> Gate:
        """The gate of the entry."""
        return self.aggregate


class MinuteSample(AggregateSample):
    """A gate at the end of a minute, and its counts within that minute.

    `totals` are the cumulative counters. The next minute's counts are the differences from them.
    """

    gate = models.ForeignKey(Gate, models.CASCADE, related_name="samples", db_index=False)
    cap = models.PositiveIntegerField(_("concurrency limit"), default=0)
    used = models.PositiveIntegerField(_("in use"), default=0)
    waiting = models.PositiveIntegerField(_("waiting"), default=0)
    hold_ms = models.PositiveBigIntegerField(_("mean permit time (ms)"), default=0)
    granted = models.PositiveBigIntegerField(_("granted"), default=0)
    refused = models.PositiveBigIntegerField(_("refused"), default=0)
    expired = models.PositiveBigIntegerField(_("expired"), default=0)
    done = models.PositiveBigIntegerField(_("done"), default=0)
    failed = models.PositiveBigIntegerField(_("failed"), default=0)
    late = models.PositiveBigIntegerField(_("late"), default=0)
    overrun = models.PositiveBigIntegerField(_("overruns"), default=0)
    totals = models.JSONField(_("cumulative counters"), default=dict)

    class Meta(AggregateSample.Meta):
        constraints = [
            models.UniqueConstraint(fields=["gate", "minute"], name="admission_sample_once"),
        ]

    def __str__(self) -> str:
        return f"{self.gate_id} {self.minute:%Y-%m-%d %H:%M}"
