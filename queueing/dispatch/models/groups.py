"""A group: one dispatcher with its front-ends and its instances."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from poolsite.access.models import Account
from poolsite.hotpath.rows import AggregateRow, Living, UnsentMark

PEER_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z"
DAY_SECONDS = 86_400


def _between(least: int, most: int) -> list[MinValueValidator | MaxValueValidator]:
    return [MinValueValidator(least), MaxValueValidator(most)]


class Sharing(models.TextChoices):
    """How a new session finds its instance."""

    LEAST = "least", _("fewest sessions by weight")
    TURN = "turn", _("in turn")
    KEY = "key", _("always the same for a key")


class LinkState(models.TextChoices):
    """What heartbeats say of a peer's link."""

    ACTIVE = "active", pgettext_lazy("link", "active")
    PENDING = "pending", pgettext_lazy("link", "pending")
    STOP = "stop", _("stopped")


class ManualState(models.TextChoices):
    """What an operator says of an instance; heartbeats never change it."""

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
        help_text=_("Empty: the platform's own group."),
    )

    heartbeat_seconds = models.PositiveIntegerField(
        _("heartbeat, seconds"),
        default=5,
        validators=_between(1, 300),
        help_text=_("Both sides send one this often."),
    )
    missed_limit = models.PositiveIntegerField(
        _("heartbeats missed"),
        default=3,
        validators=_between(1, 20),
        help_text=_("After so many the link is pending."),
    )
    disconnect_seconds = models.PositiveIntegerField(
        _("disconnect timer, seconds"),
        default=60,
        validators=_between(1, DAY_SECONDS),
        help_text=_("A pending peer that is not back by then has stopped: its sessions end."),
    )
    sharing = models.CharField(
        _("load sharing"), max_length=5, choices=Sharing.choices, default=Sharing.LEAST
    )
    route_limit_seconds = models.PositiveIntegerField(
        _("longest session, seconds"),
        default=DAY_SECONDS,
        validators=_between(1, 365 * DAY_SECONDS),
        help_text=_("Routes that are older are cleared."),
    )
    timed_route_seconds = models.PositiveIntegerField(
        _("timed route, seconds"),
        default=300,
        validators=_between(1, 30 * DAY_SECONDS),
        help_text=_("A session of SMP or HTTP that names no time of its own."),
    )
    out_limit = models.PositiveIntegerField(
        _("frames kept for a peer"),
        default=1_000,
        validators=_between(1, 10_000),
        help_text=_("Not yet acknowledged; beyond it the sender is told that the peer is full."),
    )
    ends_limit = models.PositiveIntegerField(
        _("ends kept for a pending peer"),
        default=10_000,
        validators=_between(1, 20_000),
        help_text=_("Ends of sessions that are told to it once it is back."),
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
        return "{disp." + self.slug + "}"


class UnsentChange(UnsentMark):
    """A change that is in SQL and perhaps not yet in Redis: its row goes once it is."""

    group = models.ForeignKey(Group, models.CASCADE, related_name="unsent")
