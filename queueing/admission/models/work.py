"""Batches of tasks for devices."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from poolsite.hotpath.rows import PartRow
from queueing.admission.models.gates import Gate

DEVICE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}\Z"


class TaskBatch(PartRow):
    """Tasks for many devices, one each, to be carried out within a window.

    The drain updates the counts of states in the transaction of the rows that it counts.
    """

    part_of = "gate"

    class State(models.TextChoices):
        SCHEDULED = "scheduled", _("scheduled")
        LOADING = "loading", _("loading")
        OPEN = "open", _("open")
        PAUSED = "paused", _("paused")
        CLOSING = "closing", _("closing")
        ENDED = "ended", _("ended")
        CANCELLED = "cancelled", _("cancelled")

    gate = models.ForeignKey(Gate, models.PROTECT, related_name="batches", db_index=False)
    name = models.CharField(_("name"), max_length=120)
    state = models.CharField(
        _("state"), max_length=10, choices=State.choices, default=State.SCHEDULED
    )
    opens_at = models.DateTimeField(_("window opens"))
    closes_at = models.DateTimeField(_("window closes"))
    total = models.PositiveIntegerField(_("tasks"), default=0)
    pending = models.PositiveIntegerField(_("pending"), default=0)
    issued = models.PositiveIntegerField(_("issued"), default=0)
    done = models.PositiveIntegerField(_("done"), default=0)
    failed = models.PositiveIntegerField(_("failed"), default=0)
    expired = models.PositiveIntegerField(_("expired"), default=0)
    late = models.PositiveIntegerField(_("late results"), default=0)
    created_by = models.CharField(_("created by"), max_length=150, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    paused_at = models.DateTimeField(_("paused at"), null=True, blank=True)
    paused_by = models.CharField(_("paused by"), max_length=150, blank=True)
    paused_reason = models.CharField(_("reason for the pause"), max_length=200, blank=True)
    cancelled_at = models.DateTimeField(_("cancelled at"), null=True, blank=True)
    cancelled_by = models.CharField(_("cancelled by"), max_length=150, blank=True)
    cancelled_reason = models.CharField(_("reason"), max_length=200, blank=True)
    loaded_at = models.DateTimeField(_("loaded at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)

    access_kind = "batch"

    class Meta:
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        indexes = [
            models.Index(fields=["gate", "-opens_at"], name="admission_batch_gate"),
            models.Index(
                fields=["opens_at"], name="admission_batch_due", condition=Q(finished_at=None)
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(closes_at__gt=F("opens_at")), name="admission_batch_window"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Task(PartRow):
    """What one device must do in a batch. `token` is the token of the newest attempt."""

    part_of = "batch.gate"

    class State(models.TextChoices):
        PENDING = "pending", _("pending")
        ISSUED = "issued", _("issued")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        EXPIRED = "expired", _("expired")

    batch = models.ForeignKey(TaskBatch, models.CASCADE, related_name="tasks", db_index=False)
    device = models.CharField(
        _("device"),
        max_length=63,
        validators=[RegexValidator(DEVICE_PATTERN, _("Enter a valid device ID."))],
    )
    payload = models.TextField(_("payload"), blank=True)
    state = models.CharField(_("state"), max_length=7, choices=State.choices, default=State.PENDING)
    attempt = models.PositiveSmallIntegerField(_("attempt"), default=1)
    token = models.PositiveBigIntegerField(_("token"), null=True, blank=True)
    issued_at = models.DateTimeField(_("issued at"), null=True, blank=True)
    deadline_at = models.DateTimeField(_("slot free at"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=40, blank=True)
    result = models.TextField(_("result"), blank=True)
    late_results = models.PositiveSmallIntegerField(_("late results"), default=0)

    class Meta:
        verbose_name = _("task")
        verbose_name_plural = _("tasks")
        constraints = [
            models.UniqueConstraint(fields=["batch", "device"], name="admission_task_once"),
        ]
        indexes = [
            models.Index(fields=["batch", "state", "id"], name="admission_task_state"),
            models.Index(fields=["device", "-id"], name="admission_task_device"),
        ]

    def __str__(self) -> str:
        return f"{self.device} #{self.pk}"
