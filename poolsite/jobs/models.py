"""Long work: one row per job, shared by its worker and its pages."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account
from poolsite.jobs.registry import kinds


class Job(models.Model):
    """A job: a piece of long work. `fence` grows with each worker that takes it."""

    class State(models.TextChoices):
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Running")
        CANCELLING = "cancelling", _("Stopping")
        CANCELLED = "cancelled", _("Cancelled")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    ENDED = (State.CANCELLED, State.DONE, State.FAILED)
    TAKEN = (State.RUNNING, State.CANCELLING)

    kind = models.CharField(_("type"), max_length=60)
    prefix = models.CharField(_("prefix"), max_length=8)
    account = models.ForeignKey(
        Account, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("account")
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    once = models.CharField(_("single-run key"), max_length=100, blank=True)
    state = models.CharField(_("state"), max_length=12, choices=State.choices, default=State.QUEUED)
    done = models.PositiveBigIntegerField(_("done"), default=0)
    total = models.PositiveBigIntegerField(_("total"), null=True, blank=True)
    message = models.CharField(_("message"), max_length=300, blank=True)
    data = models.JSONField(_("data"), default=dict)
    result = models.JSONField(_("result"), default=dict)
    cursor = models.JSONField(_("cursor"), default=dict)
    fence = models.PositiveIntegerField(_("fencing token"), default=0)
    attempts = models.PositiveIntegerField(_("attempts without progress"), default=0)
    heartbeat_at = models.DateTimeField(_("last report"), null=True, blank=True)
    taken_at = models.DateTimeField(_("taken at"), null=True, blank=True)
    taken_done = models.PositiveBigIntegerField(_("done when taken"), default=0)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "once"],
                name="jobs_once_at_a_time",
                condition=~models.Q(once="")
                & models.Q(state__in=["queued", "running", "cancelling"]),
            )
        ]
        indexes = [
            models.Index(
                fields=["heartbeat_at"],
                name="jobs_unfinished",
                condition=models.Q(state__in=["queued", "running", "cancelling"]),
            ),
            models.Index(fields=["account", "-id"], name="jobs_by_account"),
            models.Index(fields=["kind", "-id"], name="jobs_by_kind"),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def public_id(self) -> str:
        """The ID that people see, e.g. imp-0412."""
        return f"{self.prefix}-{self.pk:04d}"

    @property
    def title(self) -> str:
        """The title on pages, or the ID if the job's kind has no title."""
        found = kinds().get(self.kind)
        return str(found.title) if found and found.title else self.public_id

    @property
    def user_id(self) -> int | None:
        """The user who owns the job, for the access rule about a user's own objects."""
        return self.actor_id

    @property
    def ended(self) -> bool:
        """Whether the job has reached a final state."""
        return self.state in self.ENDED

    @property
    def seconds_left(self) -> int | None:
        """The remaining time, estimated from the pace since a worker took the job, or None."""
        if self.ended or self.total is None or self.taken_at is None:
            return None
        advanced = self.done - self.taken_done
        elapsed: timedelta = timezone.now() - self.taken_at
        if advanced <= 0:
            return None
        return round(elapsed.total_seconds() / advanced * max(self.total - self.done, 0))
