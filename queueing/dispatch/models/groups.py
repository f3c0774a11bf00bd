"""A group: a dispatcher with its front-ends and its instances."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from poolsite.access.models import Account
from poolsite.hotpath.rows import AggregateRow, Living, UnsentMark
from queueing.dispatch.dispatcher import GroupKeys

PEER_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z"
DAY_SECONDS = 86_400


def _between(least: int, most: int) -> list[MinValueValidator | MaxValueValidator]:
    return [MinValueValidator(least), MaxValueValidator(most)]


class Sharing(models.TextChoices):
    """How an instance is chosen for a new session."""

    LEAST = "least", _("fewest sessions, by weight")
    TURN = "turn", _("in turn")
    KEY = "key", _("same instance for each key")


class LinkState(models.TextChoices):
    """The state of a peer's link, which heartbeats decide."""

    ACTIVE = "active", pgettext_lazy("link", "active")
    PENDING = "pending", pgettext_lazy("link", "pending")
    STOP = "stop", _("stopped")


class ManualState(models.TextChoices):
    """The state that an operator sets for an instance. Heartbeats never change it."""

    OPEN = "open", _("open")
    DRAIN = "drain", _("draining")
    BLOCKED = "blocked", pgettext_lazy("instance", "blocked")


class Group(AggregateRow):
    """Front-ends and the instances that serve them. Its Redis tag is `{disp.<slug>}`."""

    account = models.ForeignKey(
        Account,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="dispatch_groups",
        verbose_name=_("account"),
        help_text=_("Leave empty for a group of the platform itself."),
    )

    heartbeat_seconds = models.PositiveIntegerField(
        _("heartbeat interval (seconds)"),
        default=5,
        validators=_between(1, 300),
        help_text=_("How often both sides send a heartbeat."),
    )
    missed_limit = models.PositiveIntegerField(
        _("missed heartbeats"),
        default=3,
        validators=_between(1, 20),
        help_text=_("The link is pending after this many missed heartbeats."),
    )
    disconnect_seconds = models.PositiveIntegerField(
        _("disconnect timer (seconds)"),
        default=60,
        validators=_between(1, DAY_SECONDS),
        help_text=_(
            "A pending peer that doesn't reconnect in this time counts as stopped, and its "
            "sessions end."
        ),
    )
    sharing = models.CharField(
        _("load sharing"), max_length=5, choices=Sharing.choices, default=Sharing.LEAST
    )
    route_limit_seconds = models.PositiveIntegerField(
        _("maximum session duration (seconds)"),
        default=DAY_SECONDS,
        validators=_between(1, 365 * DAY_SECONDS),
        help_text=_("Older routes are cleared."),
    )
    timed_route_seconds = models.PositiveIntegerField(
        _("timed route duration (seconds)"),
        default=300,
        validators=_between(1, 30 * DAY_SECONDS),
        help_text=_("For SMP and HTTP sessions that don't set their own time."),
    )
    out_limit = models.PositiveIntegerField(
        _("frames kept per peer"),
        default=1_000,
        validators=_between(1, 10_000),
        help_text=_(
            "Unacknowledged frames. Beyond this number, the sender is notified that the peer "
            "is full."
        ),
    )
    ends_limit = models.PositiveIntegerField(
        _("session ends kept for a pending peer"),
        default=10_000,
        validators=_between(1, 20_000),
        help_text=_("The peer is notified of these session ends when it reconnects."),
    )
    start_retries = models.PositiveIntegerField(
        _("retries of a start"),
        default=2,
        db_default=2,
        validators=_between(0, 9),
        help_text=_(
            "If an instance is lost, blocked or ejected before it accepts a session, the session "
            "is offered to another instance, up to this many times. 0: never."
        ),
    )
    answer_seconds = models.PositiveIntegerField(
        _("answer timeout (seconds)"),
        default=10,
        db_default=10,
        validators=_between(1, 3_600),
        help_text=_(
            "A session counts as failed if its instance hasn't sent anything for it in this time."
        ),
    )
    failure_threshold_percent = models.PositiveIntegerField(
        _("failure threshold (percent)"),
        default=0,
        db_default=0,
        validators=_between(0, 100),
        help_text=_(
            "An instance is ejected when at least this share of its sessions failed. 0: never."
        ),
    )
    failure_minimum_sessions = models.PositiveIntegerField(
        _("minimum sessions"),
        default=20,
        db_default=20,
        validators=_between(1, 10_000),
        help_text=_("With fewer sessions in the failure window, an instance isn't ejected."),
    )
    failure_window_seconds = models.PositiveIntegerField(
        _("failure window (seconds)"),
        default=30,
        db_default=30,
        validators=_between(1, 3_600),
        help_text=_("Sessions and failures are counted over this time."),
    )
    ejection_seconds = models.PositiveIntegerField(
        _("base ejection time (seconds)"),
        default=30,
        db_default=30,
        validators=_between(1, DAY_SECONDS),
        help_text=_(
            "How long an ejection lasts, multiplied by the number of the instance's ejections, "
            "up to 10."
        ),
    )
    max_ejection_percent = models.PositiveIntegerField(
        _("maximum ejected instances (percent)"),
        default=50,
        db_default=50,
        validators=_between(1, 100),
        help_text=_("The last instance that accepts sessions is never ejected."),
    )
    slow_start_seconds = models.PositiveIntegerField(
        _("slow start (seconds)"),
        default=0,
        db_default=0,
        validators=_between(0, 3_600),
        help_text=_(
            "The share of a new or returned instance grows to its full weight over this time. It "
            "doesn't apply to load sharing by key. 0: off."
        ),
    )

    objects = Living["Group"]()
    all_objects = models.Manager["Group"]()

    access_kind = "group"

    class Meta:
        verbose_name = _("group")
        verbose_name_plural = _("groups")
        ordering = ["slug"]

    @property
    def tag(self) -> str:
        """The group's Redis tag, with its braces."""
        return GroupKeys(self.slug).tag


class UnsentChange(UnsentMark):
    """A change in SQL that may not be in Redis yet. Its row is deleted once it is."""

    group = models.ForeignKey(Group, models.CASCADE, related_name="unsent")
