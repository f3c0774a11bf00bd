"""A visit from joining to its end, with its rooms and its transcript."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.hotpath.rows import PartRow
from queueing.line.models.desks import Agent, Desk, Queue
from queueing.line.models.outcomes import OutcomeCode


class Visit(PartRow):
    """A visitor's stay at a desk. `public_id` is its ID in Redis, in URLs and in tokens."""

    part_of = "desk"

    class Outcome(models.TextChoices):
        SERVED = "served", _("served")
        LEFT = "left", _("left while waiting")
        LOST = "lost", _("disconnected while waiting")
        VISITOR_LOST = "visitor lost", _("disconnected in the room")
        NO_AGENT = "no agent", _("no agent")
        MAX_WAIT = "max wait", _("waited too long")
        FORM = "form", _("left a message")
        REMOVED = "removed", _("removed by a supervisor")

    public_id = models.CharField(_("id"), max_length=32, unique=True)
    desk = models.ForeignKey(Desk, models.PROTECT, related_name="visits")
    queue = models.ForeignKey(Queue, models.PROTECT, related_name="visits")
    name = models.CharField(_("name"), max_length=80, blank=True)
    topic = models.CharField(_("topic"), max_length=80, blank=True)
    contact = models.CharField(_("contact"), max_length=120, blank=True)
    address = models.CharField(_("network address"), max_length=45, blank=True)
    language = models.CharField(
        _("language"), max_length=10, blank=True, default="", db_default=""
    )  # of the visitor's page: a code of settings.LANGUAGES
    priority = models.PositiveSmallIntegerField(
        _("class"), default=5, validators=[MinValueValidator(1), MaxValueValidator(9)]
    )  # 1 is served first
    skills = models.JSONField(_("required skills"), default=dict, blank=True)
    joined_at = models.DateTimeField(_("joined at"))
    place_at_join = models.PositiveIntegerField(_("visitors ahead on joining"), null=True)
    predicted_low_seconds = models.PositiveIntegerField(_("wait range: from"), null=True)
    predicted_high_seconds = models.PositiveIntegerField(_("wait range: to"), null=True)
    expected_seconds = models.FloatField(
        _("expected wait (seconds)"), null=True
    )  # before calibration
    matched_at = models.DateTimeField(_("matched at"), null=True)
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, related_name="visits")
    why = models.CharField(_("reason for this agent"), max_length=200, blank=True)
    ended_at = models.DateTimeField(_("ended at"), null=True)
    outcome = models.CharField(_("outcome"), max_length=12, choices=Outcome.choices, blank=True)
    notes = models.TextField(_("notes"), blank=True)
    callback_call_id = models.CharField(_("callback"), max_length=64, blank=True)
    erased_at = models.DateTimeField(_("erased at"), null=True)
    # the visitor's identity in the customer's own system, from its signed token
    verified_subject = models.CharField(
        _("verified as"), max_length=120, blank=True, default="", db_default=""
    )
    # hashed: the same browser, or the same customer of a program, at this desk
    visitor_key = models.CharField(_("visitor key"), max_length=64, blank=True, db_default="")
    outcome_code = models.ForeignKey(
        OutcomeCode, models.PROTECT, null=True, related_name="visits", verbose_name=_("outcome")
    )
    outcome_at = models.DateTimeField(_("outcome set at"), null=True)
    outcome_by = models.CharField(_("outcome set by"), max_length=150, blank=True, db_default="")

    class Meta:
        verbose_name = _("visit")
        verbose_name_plural = _("visits")
        indexes = [
            models.Index(fields=["desk", "joined_at"], name="line_visit_joined"),
            models.Index(fields=["queue", "joined_at"], name="line_visit_queue"),
            models.Index(fields=["agent", "joined_at"], name="line_visit_agent"),
            models.Index(
                fields=["desk"], condition=models.Q(ended_at=None), name="line_visit_running"
            ),
            models.Index(
                fields=["desk", "ended_at"],
                condition=models.Q(erased_at=None),
                name="line_visit_kept",
            ),
            models.Index(
                fields=["desk", "verified_subject"],
                condition=~models.Q(verified_subject=""),
                name="line_visit_verified",
            ),
            models.Index(fields=["visitor_key", "joined_at"], name="line_visit_key"),
            # to find and erase the visits of a person
            models.Index(fields=["contact"], name="line_visit_contact"),
            models.Index(fields=["name"], name="line_visit_name"),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def waited_seconds(self) -> float | None:
        """The wait for the first room, or until the visit ended; None while it waits."""
        until = self.matched_at or self.ended_at
        return None if until is None else (until - self.joined_at).total_seconds()

    @property
    def seconds(self) -> float | None:
        """The time from joining to the end; None while it runs."""
        return None if self.ended_at is None else (self.ended_at - self.joined_at).total_seconds()


class MessageQuerySet(models.QuerySet["Message"]):
    """Messages of transcripts."""

    def heard_by_visitors(self) -> "MessageQuerySet":
        """Keep the messages that a visitor may read. Every interface for visitors uses this filter.

        It lists the visible kinds, so a new kind stays hidden from visitors until it is added here.
        """
        author = Message.Author
        heard = (author.VISITOR, author.AGENT, author.SYSTEM, author.SUPERVISOR)
        return self.filter(author__in=heard)


class Message(models.Model):
    """A message of a transcript. `client_id` is the sender's ID: a repeated one is not sent twice.

    `said_by`: the name of a supervisor, who may not be an agent.
    """

    class Author(models.TextChoices):
        VISITOR = "visitor", _("visitor")
        AGENT = "agent", _("agent")
        SYSTEM = "system", _("system")
        NOTE = "note", _("internal note")
        SUPERVISOR = "supervisor", _("supervisor")
        WHISPER = "whisper", _("whisper")

    visit = models.ForeignKey(Visit, models.CASCADE, related_name="messages")
    number = models.PositiveIntegerField(_("number"))  # 1, 2, 3 … within the visit
    author = models.CharField(_("author"), max_length=10, choices=Author.choices)
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, related_name="+")
    said_by = models.CharField(_("sender name"), max_length=80, blank=True, db_default="")
    client_id = models.CharField(_("client message ID"), max_length=40)
    text = models.TextField(_("text"))
    at = models.DateTimeField(_("at"))

    objects = MessageQuerySet.as_manager()

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ["visit", "number"]
        constraints = [
            models.UniqueConstraint(fields=["visit", "number"], name="line_message_number_once"),
            models.UniqueConstraint(
                fields=["visit", "author", "client_id"], name="line_message_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.number}"

    @property
    def speaker(self) -> str:
        """The name of the agent or supervisor who wrote it; "" for the visitor's messages."""
        return self.agent.name if self.agent is not None else self.said_by


class RoomGuest(models.Model):
    """A supervisor's stay in a visit's room as a third person.

    `by`: the person or token (services.guests.identity_of); `name`: as both sides see it.
    """

    visit = models.ForeignKey(Visit, models.CASCADE, related_name="guests")
    by = models.CharField(_("by"), max_length=150)
    name = models.CharField(_("name"), max_length=80)
    joined_at = models.DateTimeField(_("joined at"))
    left_at = models.DateTimeField(_("left at"), null=True)

    class Meta:
        verbose_name = _("supervisor in a room")
        verbose_name_plural = _("supervisors in rooms")
        constraints = [
            models.UniqueConstraint(
                fields=["visit", "by"], condition=models.Q(left_at=None), name="line_guest_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.joined_at}"


class RoomEvent(models.Model):
    """An event of a visit other than a message: matched, transferred, taken over, ended."""

    visit = models.ForeignKey(Visit, models.CASCADE, related_name="room_events")
    generation = models.PositiveBigIntegerField(_("generation"))
    seq = models.PositiveBigIntegerField(_("sequence number"))
    kind = models.CharField(_("type"), max_length=16)
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, related_name="+")
    actor = models.CharField(_("by"), max_length=150, blank=True)
    text = models.CharField(_("text"), max_length=200, blank=True)
    at = models.DateTimeField(_("at"))

    class Meta:
        verbose_name = _("room event")
        verbose_name_plural = _("room events")
        ordering = ["at", "seq"]
        constraints = [
            models.UniqueConstraint(
                fields=["visit", "generation", "seq"], name="line_room_event_once"
            )
        ]

    def __str__(self) -> str:
        return self.kind


class Room(models.Model):
    """A visit's time with one agent. A transferred visit has several rooms, one after another."""

    visit = models.ForeignKey(Visit, models.CASCADE, related_name="rooms")
    queue = models.ForeignKey(Queue, models.PROTECT, related_name="rooms")
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="rooms")
    began_at = models.DateTimeField(_("began at"))
    ended_at = models.DateTimeField(_("ended at"), null=True)

    class Meta:
        verbose_name = _("room")
        verbose_name_plural = _("rooms")
        indexes = [
            models.Index(fields=["queue", "began_at"], name="line_room_queue"),
            models.Index(fields=["agent", "began_at"], name="line_room_agent"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["visit"], condition=models.Q(ended_at=None), name="line_room_one_open"
            )
        ]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.began_at}"

    @property
    def seconds(self) -> float | None:
        """How long it lasted; None while it is open."""
        return (self.ended_at - self.began_at).total_seconds() if self.ended_at else None


class Rating(models.Model):
    """A visitor's rating of a visit."""

    visit = models.OneToOneField(Visit, models.CASCADE, related_name="rating")
    stars = models.PositiveSmallIntegerField(
        _("stars"), validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    comment = models.CharField(_("comment"), max_length=1_000, blank=True)
    at = models.DateTimeField(_("at"), auto_now_add=True)

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")

    def __str__(self) -> str:
        return str(self.stars)
