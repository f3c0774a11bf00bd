"""The desk's history: events, agents' shifts, samples for charts, left messages."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.history.models import HistoryEntry
from poolsite.hotpath.rows import PartRow
from queueing.line.models.desks import Agent, Desk, Queue


class LineEvent(HistoryEntry):
    """An entry of a desk's stream. The wallboard's replay reads these."""

    aggregate = models.ForeignKey(Desk, models.CASCADE, related_name="events")
    kind = models.CharField(_("event"), max_length=16)
    visit = models.CharField(_("visit"), max_length=32, blank=True)
    agent = models.CharField(_("agent"), max_length=20, blank=True)
    queue = models.CharField(_("queue"), max_length=40, blank=True)
    data = models.JSONField(_("data"), default=dict)

    class Meta(HistoryEntry.Meta):
        verbose_name = _("desk event")
        verbose_name_plural = _("desk events")
        indexes = [
            models.Index(fields=["aggregate", "at_us"], name="line_event_at"),
            models.Index(fields=["visit"], name="line_event_visit"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.seq}"


class AgentShift(models.Model):
    """An agent's time online, with its parts."""

    agent = models.ForeignKey(Agent, models.PROTECT, related_name="shifts")
    began_at = models.DateTimeField(_("began at"))
    ended_at = models.DateTimeField(_("ended at"), null=True)
    ended_how = models.CharField(_("end reason"), max_length=16, blank=True)
    busy_seconds = models.PositiveIntegerField(_("time in rooms (seconds)"), default=0)
    paused_seconds = models.PositiveIntegerField(_("paused time (seconds)"), default=0)
    wrap_up_seconds = models.PositiveIntegerField(_("wrap-up time (seconds)"), default=0)
    served = models.PositiveIntegerField(_("served"), default=0)
    missed = models.PositiveIntegerField(_("missed offers"), default=0)
    pauses = models.JSONField(_("pauses"), default=list, blank=True)  # {reason, from, until}
    wrap_ups = models.JSONField(_("open wrap-ups"), default=list, blank=True)  # start times

    class Meta:
        verbose_name = _("shift")
        verbose_name_plural = _("shifts")
        indexes = [models.Index(fields=["agent", "began_at"], name="line_shift_began")]
        constraints = [
            models.UniqueConstraint(
                fields=["agent"], condition=models.Q(ended_at=None), name="line_shift_one_open"
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent} {self.began_at}"


class DeskSample(models.Model):
    """A queue's figures of one minute, for charts and reports."""

    queue = models.ForeignKey(Queue, models.CASCADE, related_name="samples")
    minute = models.DateTimeField(_("minute"))
    waiting = models.PositiveIntegerField(_("waiting"))
    longest_wait_seconds = models.PositiveIntegerField(_("longest wait (seconds)"))
    online = models.PositiveIntegerField(_("agents online"))
    busy = models.PositiveIntegerField(_("agents busy"))
    joined = models.PositiveIntegerField(_("joined"), default=0)
    answered = models.PositiveIntegerField(_("answered"), default=0)
    answered_in_time = models.PositiveIntegerField(_("answered in time"), default=0)
    abandoned = models.PositiveIntegerField(_("abandoned"), default=0)

    class Meta:
        verbose_name = _("sample")
        verbose_name_plural = _("samples")
        constraints = [models.UniqueConstraint(fields=["queue", "minute"], name="line_sample_once")]

    def __str__(self) -> str:
        return f"{self.queue} {self.minute}"


class LeftMessage(PartRow):
    """A message that a visitor left when no agent was available, or a callback request."""

    part_of = "queue.desk"

    queue = models.ForeignKey(Queue, models.PROTECT, related_name="left_messages")
    visit = models.CharField(_("visit"), max_length=32, blank=True)
    name = models.CharField(_("name"), max_length=80)
    contact = models.CharField(_("phone or email"), max_length=120)
    text = models.TextField(_("text"), max_length=4_000, blank=True)
    wants_call = models.BooleanField(_("callback"), default=False)
    at = models.DateTimeField(_("at"), auto_now_add=True)
    handled_by = models.CharField(_("handled by"), max_length=150, blank=True)
    handled_at = models.DateTimeField(_("handled at"), null=True)

    class Meta:
        verbose_name = _("left message")
        verbose_name_plural = _("left messages")
        ordering = ["-at"]
        indexes = [
            models.Index(fields=["queue", "-id"], name="line_left_queue"),
            models.Index(fields=["contact"], name="line_left_contact"),
        ]

    def __str__(self) -> str:
        return self.name


class MessageCall(models.Model):
    """A running callback to the author of a left message, through a number of the desk's pool.

    `operation` names the call in the pool. `number` is empty until one is claimed. If the message
    is erased, the sweep ends the call.
    """

    message = models.OneToOneField(
        LeftMessage, models.SET_NULL, null=True, related_name="call", verbose_name=_("message")
    )
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="message_calls")
    operation = models.CharField(_("operation"), max_length=64, unique=True)
    pool = models.CharField(_("number pool"), max_length=40)
    callee = models.CharField(_("callee"), max_length=40)
    number = models.CharField(_("number"), max_length=40, blank=True)
    ending = models.BooleanField(_("ending"), default=False)
    began_at = models.DateTimeField(_("began at"), auto_now_add=True)
    look_at = models.DateTimeField(_("next check at"), db_index=True)

    class Meta:
        verbose_name = _("message callback")
        verbose_name_plural = _("message callbacks")

    def __str__(self) -> str:
        return self.operation

    @property
    def state(self) -> str:
        """The state, as for a call from a room: asked (for a number), running or ending."""
        if self.ending:
            return "ending"
        return "running" if self.number else "asked"
