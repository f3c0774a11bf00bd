"""Instances and front-ends, as SQL stores them in addition to Redis."""

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.hotpath.rows import PartRow
from queueing.dispatch.models.groups import PEER_PATTERN, Group, LinkState, ManualState


class _Known(models.Manager["Instance"]):
    """Names that were not removed."""

    def get_queryset(self) -> models.QuerySet["Instance"]:
        return super().get_queryset().filter(forgotten_at=None)


class Instance(PartRow):
    """An application-server instance, identified by its name. Its ID may change.

    The manual state belongs to the group and this name, and survives all restarts. A removed name
    keeps its row, because upgrades refer to it. The name is restored if an instance registers under
    it.
    """

    part_of = "group"

    group = models.ForeignKey(Group, models.CASCADE, related_name="instances", db_index=False)
    name = models.CharField(
        _("name"),
        max_length=40,
        validators=[
            RegexValidator(
                PEER_PATTERN, _("Use 1 to 40 letters, digits, or the characters . _ and -.")
            )
        ],
    )
    back_id = models.CharField(_("id"), max_length=40, blank=True)
    version = models.CharField(_("version"), max_length=40, blank=True)
    capacity = models.PositiveIntegerField(_("capacity (sessions)"), default=0)
    weight = models.PositiveIntegerField(_("weight"), default=1)
    link_state = models.CharField(
        _("link"), max_length=7, choices=LinkState.choices, default=LinkState.STOP
    )
    last_seen_at = models.DateTimeField(_("last seen"), null=True, blank=True)
    manual_state = models.CharField(
        _("manual state"), max_length=7, choices=ManualState.choices, default=ManualState.OPEN
    )
    manual_reason = models.CharField(_("reason"), max_length=200, blank=True)
    manual_by = models.CharField(_("by"), max_length=150, blank=True)
    manual_at = models.DateTimeField(_("since"), null=True, blank=True)
    manual_until = models.DateTimeField(_("until"), null=True, blank=True)
    upgrading = models.BooleanField(
        _("draining for an upgrade"),
        default=False,
        help_text=_("Set by the upgrade, independent of the state set by an operator."),
    )
    backup = models.BooleanField(
        _("backup"),
        default=False,
        db_default=False,
        help_text=_("Gets new sessions only while no primary instance can take them."),
    )
    created_at = models.DateTimeField(_("first seen"), auto_now_add=True)
    forgotten_at = models.DateTimeField(_("removed at"), null=True, blank=True)

    objects = _Known()
    all_objects = models.Manager["Instance"]()

    access_kind = "instance"

    class Meta:
        verbose_name = _("instance")
        verbose_name_plural = _("instances")
        ordering = ["group", "name"]
        constraints = [
            models.UniqueConstraint(fields=["group", "name"], name="dispatch_instance_once")
        ]
        indexes = [
            models.Index(
                fields=["manual_until"],
                name="dispatch_instance_until",
                condition=models.Q(manual_until__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return self.name


class FrontEnd(PartRow):
    """A protocol front-end, identified by its ID."""

    part_of = "group"

    group = models.ForeignKey(Group, models.CASCADE, related_name="front_ends", db_index=False)
    peer_id = models.CharField(_("id"), max_length=40)
    profile = models.CharField(_("protocol"), max_length=8, blank=True)
    link_state = models.CharField(
        _("link"), max_length=7, choices=LinkState.choices, default=LinkState.STOP
    )
    last_seen_at = models.DateTimeField(_("last seen"), null=True, blank=True)
    told_started = models.PositiveBigIntegerField(
        _("sessions started (self-reported)"), null=True, blank=True
    )
    told_lost = models.PositiveBigIntegerField(
        _("sessions lost (self-reported)"), null=True, blank=True
    )
    told_at = models.DateTimeField(_("counted at"), null=True, blank=True)
    created_at = models.DateTimeField(_("first seen"), auto_now_add=True)

    access_kind = "front_end"

    class Meta:
        verbose_name = _("front-end")
        verbose_name_plural = _("front-ends")
        ordering = ["group", "peer_id"]
        constraints = [
            models.UniqueConstraint(fields=["group", "peer_id"], name="dispatch_front_once")
        ]

    def __str__(self) -> str:
        return self.peer_id
