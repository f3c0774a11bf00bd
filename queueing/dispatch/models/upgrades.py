"""A rolling upgrade of a group, one instance after another."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from poolsite.hotpath.rows import PartRow
from queueing.dispatch.models.groups import DAY_SECONDS, Group, ManualState
from queueing.dispatch.models.peers import Instance


class Upgrade(PartRow):
    """An operator's order. Any worker can continue it, because nothing is only in memory."""

    part_of = "group"

    class AtLimit(models.TextChoices):
        WAIT = "wait", _("wait for the last session")
        FORCE = "force", _("end remaining sessions")

    class Status(models.TextChoices):
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        ABORTED = "aborted", _("aborted")

    group = models.ForeignKey(Group, models.PROTECT, related_name="upgrades", db_index=False)
    target_version = models.CharField(_("target version"), max_length=40)
    max_drain_seconds = models.PositiveIntegerField(
        _("drain timeout (seconds)"),
        default=600,
        validators=[MinValueValidator(1), MaxValueValidator(DAY_SECONDS)],
    )
    at_limit = models.CharField(
        _("after the drain timeout"), max_length=5, choices=AtLimit.choices, default=AtLimit.WAIT
    )
    status = models.CharField(
        _("status"), max_length=7, choices=Status.choices, default=Status.RUNNING
    )
    note = models.CharField(_("waiting for"), max_length=60, blank=True)
    fence = models.PositiveBigIntegerField(_("fencing token of the last tick"), default=0)
    created_by = models.CharField(_("started by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("started at"), auto_now_add=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    ended_by = models.CharField(_("ended by"), max_length=150, blank=True)
    ended_reason = models.CharField(_("end reason"), max_length=200, blank=True)

    access_kind = "upgrade"

    class Meta:
        verbose_name = _("upgrade")
        verbose_name_plural = _("upgrades")
        ordering = ["-id"]
        indexes = [models.Index(fields=["group", "-id"], name="dispatch_upgrade_group")]
        constraints = [
            models.UniqueConstraint(
                fields=["group"], name="dispatch_upgrade_one", condition=Q(status="running")
            )
        ]

    def __str__(self) -> str:
        return f"{self.group_id} → {self.target_version}"


class UpgradeStep(models.Model):
    """An instance's progress in an upgrade."""

    class Status(models.TextChoices):
        WAITING = "waiting", _("not started")
        DRAINING = "draining", _("draining")
        SAFE = "safe", _("safe to stop")
        PROVING = "proving", _("verifying new version")
        DONE = "done", _("done")
        SKIPPED = "skipped", _("left unchanged")

    BEATS = 3  # of the target version, before the instance is trusted
    BY_ITSELF = "dispatch.upgrade"  # the actor who ends sessions after the drain timeout

    upgrade = models.ForeignKey(Upgrade, models.CASCADE, related_name="steps", db_index=False)
    instance = models.ForeignKey(Instance, models.CASCADE, related_name="upgrade_steps")
    position = models.PositiveIntegerField(_("position"))
    status = models.CharField(
        _("status"), max_length=8, choices=Status.choices, default=Status.WAITING
    )
    version_before = models.CharField(_("previous version"), max_length=40, blank=True)
    sessions_at_start = models.PositiveIntegerField(_("sessions at the start"), default=0)
    sessions = models.PositiveIntegerField(_("sessions left"), default=0)
    counted_at = models.DateTimeField(_("sessions counted at"), null=True, blank=True)
    sessions_ended = models.PositiveIntegerField(_("sessions ended by force"), default=0)
    oldest_at = models.DateTimeField(_("oldest session since"), null=True, blank=True)
    drain_began_at = models.DateTimeField(_("drain started at"), null=True, blank=True)
    forced_at = models.DateTimeField(_("forced at"), null=True, blank=True)
    forced_by = models.CharField(_("forced by"), max_length=150, blank=True)
    safe_at = models.DateTimeField(_("safe to stop at"), null=True, blank=True)
    proving_at = models.DateTimeField(_("target version seen at"), null=True, blank=True)
    proving_id = models.CharField(_("new instance ID"), max_length=40, blank=True)
    beats = models.PositiveIntegerField(_("heartbeats since"), default=0)
    heard_us = models.PositiveBigIntegerField(_("last heard (µs)"), default=0)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    state_after = models.CharField(
        _("manual state afterwards"),
        max_length=7,
        choices=ManualState.choices,
        blank=True,
        help_text=_("The state set by an operator when the upgrade released the instance."),
    )

    class Meta:
        verbose_name = _("upgrade step")
        verbose_name_plural = _("upgrade steps")
        ordering = ["upgrade", "position"]
        constraints = [
            models.UniqueConstraint(fields=["upgrade", "position"], name="dispatch_step_place"),
            models.UniqueConstraint(fields=["upgrade", "instance"], name="dispatch_step_once"),
        ]

    def __str__(self) -> str:
        return f"{self.upgrade_id}.{self.position}"
