"""What happened in the pools: calls, every event, and a sample per minute.

Rows of these tables outlive the numbers and switches that they name. So they store values rather
than foreign keys, except for the pool's.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from numbers.fields import AsciiField
from numbers.models.pools import NUMBER_LENGTH, Pool
from poolsite.history.models import HistoryEntry
from poolsite.hotpath.rows import AggregateSample, PartRow


class Direction(models.TextChoices):
    """The direction of a call."""

    OUT = "out", _("out")
    IN = "in", _("in")


class CallRecord(PartRow):
    """One call through a number, from its pick to its end."""

    part_of = "pool"

    pool = models.ForeignKey(Pool, models.PROTECT, related_name="calls", db_index=False)
    number = AsciiField(_("number"), max_length=NUMBER_LENGTH)
    call_id = models.CharField(_("call ID"), max_length=128, blank=True)
    direction = models.CharField(
        _("direction"), max_length=3, choices=Direction, default=Direction.OUT
    )
    agent = models.CharField(_("agent"), max_length=64, blank=True)
    callee = models.CharField(_("callee"), max_length=64, blank=True)
    switch = models.CharField(_("switch"), max_length=64, blank=True)
    started_at = models.DateTimeField(_("started at"))
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    ended_how = models.CharField(_("how it ended"), max_length=64, blank=True)
    cause = models.CharField(
        _("release cause"), max_length=64, blank=True, default="", db_default=""
    )
    answered = models.BooleanField(_("answered"), null=True, blank=True)
    talk_seconds = models.PositiveIntegerField(_("talk time, seconds"), null=True, blank=True)
    generation = models.PositiveBigIntegerField(_("generation"))
    seq = models.PositiveBigIntegerField(_("sequence number"))

    class Meta:
        verbose_name = _("call")
        verbose_name_plural = _("calls")
        constraints = [
            models.UniqueConstraint(fields=["pool", "generation", "seq"], name="numbers_call_once"),
        ]
        indexes = [
            models.Index(fields=["number", "-started_at"], name="numbers_call_number"),
            models.Index(
                fields=["callee", "-started_at"],
                name="numbers_call_callee",
                condition=~Q(callee=""),
            ),
            models.Index(
                fields=["agent", "-started_at"],
                name="numbers_call_agent",
                condition=~Q(agent=""),
            ),
            models.Index(fields=["call_id"], name="numbers_call_id", condition=~Q(call_id="")),
            models.Index(
                fields=["pool", "number"], name="numbers_call_open", condition=Q(ended_at=None)
            ),
            models.Index(fields=["pool", "started_at"], name="numbers_call_pool"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.started_at:%Y-%m-%d %H:%M:%S}"


class PoolEvent(HistoryEntry):
    """One history entry of a pool (its `aggregate`), as its script wrote it.

    Each call has two entries, and each entry updates every index. So look for calls in CallRecord.
    """

    aggregate = models.ForeignKey(Pool, models.PROTECT, related_name="events", db_index=False)
    event = models.CharField(_("event"), max_length=32)
    number = AsciiField(_("number"), max_length=NUMBER_LENGTH, blank=True)
    state_before = models.CharField(_("state before"), max_length=16, blank=True)
    state_after = models.CharField(_("state after"), max_length=16, blank=True)
    call_id = models.CharField(_("call ID"), max_length=128, blank=True)
    switch = models.CharField(_("switch"), max_length=64, blank=True)
    agent = models.CharField(_("agent"), max_length=64, blank=True)
    callee = models.CharField(_("callee"), max_length=64, blank=True)
    direction = models.CharField(_("direction"), max_length=3, blank=True)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    detail = models.JSONField(_("detail"), default=dict, blank=True)

    class Meta(HistoryEntry.Meta):
        verbose_name = _("event")
        verbose_name_plural = _("events")
        indexes = [
            models.Index(
                fields=["number", "-at_us"], name="numbers_event_number", condition=~Q(number="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.number}"

    @property
    def pool(self) -> Pool:
        """The pool whose history this is."""
        return self.aggregate


class MinuteSample(AggregateSample):
    """A pool's counts at the end of a minute, and its calls within that minute."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="samples", db_index=False)
    idle_up = models.PositiveIntegerField(_("idle, up"), default=0)
    idle_down = models.PositiveIntegerField(_("idle, down"), default=0)
    busy_up = models.PositiveIntegerField(_("busy, up"), default=0)
    busy_down = models.PositiveIntegerField(_("busy, down"), default=0)
    quarantined = models.PositiveIntegerField(_("quarantined"), default=0)
    resting = models.PositiveIntegerField(_("resting"), default=0)
    offered = models.PositiveBigIntegerField(_("offered"), default=0)
    carried = models.PositiveBigIntegerField(_("carried"), default=0)
    blocked = models.PositiveBigIntegerField(_("blocked"), default=0)
    call_seconds = models.PositiveBigIntegerField(_("call seconds"), default=0)
    carried_total = models.PositiveBigIntegerField(_("total carried"), default=0)
    blocked_total = models.PositiveBigIntegerField(_("total blocked"), default=0)
    offered_total = models.PositiveBigIntegerField(_("total offered"), default=0)

    class Meta(AggregateSample.Meta):
        constraints = [
            models.UniqueConstraint(fields=["pool", "minute"], name="numbers_sample_once"),
        ]

    def __str__(self) -> str:
        return f"{self.pool_id} {self.minute:%Y-%m-%d %H:%M}"
