"""What happened in the groups: every event, and a sample of each minute."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.history.models import HistoryEntry
from poolsite.hotpath.rows import AggregateSample
from queueing.dispatch.models.groups import Group


class DispatchEvent(HistoryEntry):
    """A history entry of a group (its `aggregate`), as the script wrote it.

    `peer` is "f:<id>" or "b:<id>"; `name` is the instance's name. Both outlive the rows of peers.
    """

    aggregate = models.ForeignKey(Group, models.PROTECT, related_name="events", db_index=False)
    event = models.CharField(_("event"), max_length=24)
    peer = models.CharField(_("peer"), max_length=42, blank=True)
    name = models.CharField(_("instance"), max_length=40, blank=True)
    other = models.CharField(_("other end"), max_length=80, blank=True)
    count = models.PositiveBigIntegerField(_("count"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    data = models.TextField(_("data"), blank=True)

    class Meta(HistoryEntry.Meta):
        verbose_name = _("event")
        verbose_name_plural = _("events")
        indexes = [
            models.Index(fields=["aggregate", "-at_us"], name="dispatch_event_group"),
            models.Index(
                fields=["name", "-at_us"],
                name="dispatch_event_name",
                condition=~models.Q(name=""),
            ),
            models.Index(
                fields=["peer", "-at_us"],
                name="dispatch_event_peer",
                condition=~models.Q(peer=""),
            ),
            models.Index(fields=["at_us"], name="dispatch_event_at"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.name or self.peer}"

    @property
    def group(self) -> Group:
        """The group of the entry."""
        return self.aggregate


class MinuteSample(AggregateSample):
    """A group at the end of a minute, and its counts within that minute.

    `totals` are the cumulative counters. The next minute's counts are the differences from them.
    """

    group = models.ForeignKey(Group, models.CASCADE, related_name="samples", db_index=False)
    sessions = models.PositiveIntegerField(_("sessions"), default=0)
    started = models.PositiveBigIntegerField(_("started"), default=0)
    ended = models.PositiveBigIntegerField(_("ended"), default=0)
    refused = models.PositiveBigIntegerField(_("refused"), default=0)
    messages = models.PositiveBigIntegerField(_("messages"), default=0)
    totals = models.JSONField(_("cumulative counters"), default=dict)

    class Meta(AggregateSample.Meta):
        constraints = [
            models.UniqueConstraint(fields=["group", "minute"], name="dispatch_sample_once"),
        ]

    def __str__(self) -> str:
        return f"{self.group_id} {self.minute:%Y-%m-%d %H:%M}"
