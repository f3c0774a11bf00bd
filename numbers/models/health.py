"""Number health: what calls and callees report about the numbers.

Counts are stored in slots of ten minutes. A page or a rule reads the sum of a window's slots.
`NumberHealth` stores these sums for each number, so that an index can sort a million numbers.
Definitions: docs/reference/numbers/health.md.
"""

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Case, F, Q, When
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from numbers.fields import AsciiField
from numbers.models.pools import NUMBER_LENGTH, Pool
from poolsite.hotpath.rows import PartRow

SLOT_SECONDS = 600
LEAST_CALLS = 10  # with fewer calls in a window, a number's rate would mean nothing, so it has none
RATE_WHOLE = 10_000  # a rate of 10 000 is 100 %


class Window(models.TextChoices):
    """The period that figures cover."""

    HOUR = "1h", _("1 h")
    DAY = "24h", _("24 h")
    WEEK = "7d", _("7 d")

    @property
    def length(self) -> timedelta:
        return {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7)}[
            str(self.value)
        ]


class HealthSlot(models.Model):
    """Calls that ended within ten minutes, by number, by switch or by region of a pool."""

    NUMBER, SWITCH, REGION = "n", "s", "r"

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=1)
    key = models.CharField(max_length=80, blank=True)  # a number, a switch's name, a region
    slot_us = models.PositiveBigIntegerField()  # the start of the ten minutes, µs
    calls = models.PositiveIntegerField(default=0)  # calls whose answer (yes or no) was reported
    answered = models.PositiveIntegerField(default=0)
    short = models.PositiveIntegerField(default=0)
    untold = models.PositiveIntegerField(default=0)
    talk_ms = models.PositiveBigIntegerField(default=0)

    class Meta:
        verbose_name = _("health slot")
        verbose_name_plural = _("health slots")
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "kind", "key", "slot_us"], name="numbers_healthslot_once"
            ),
        ]
        indexes = [models.Index(fields=["pool", "slot_us"], name="numbers_healthslot_time")]

    def __str__(self) -> str:
        return f"{self.pool_id} {self.kind} {self.key} {self.slot_us}"


if TYPE_CHECKING:
    Rate = models.IntegerField[int | None, int | None]
else:
    Rate = models.GeneratedField


def _rate(window: str) -> Rate:
    """The rate of answered calls in the window, or null if there are too few calls."""
    calls, answered = f"calls_{window}", f"answered_{window}"
    field: Rate = models.GeneratedField(  # type: ignore[assignment]  # its stub has no type
        expression=Case(
            When(
                condition=Q(**{f"{calls}__gte": LEAST_CALLS}),
                then=F(answered) * RATE_WHOLE / F(calls),
            )
        ),
        output_field=models.IntegerField(null=True),
        db_persist=True,
    )
    return field


class NumberHealth(PartRow):
    """A number's sums over each window, updated by the drain and by the sliding sweep."""

    part_of = "pool"

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="+", db_index=False)
    number = AsciiField(_("number"), max_length=NUMBER_LENGTH)
    region = models.CharField(_("region"), max_length=80, blank=True)
    switch = models.CharField(_("switch"), max_length=64, blank=True)  # of its last call
    calls_1h = models.PositiveIntegerField(default=0)
    answered_1h = models.PositiveIntegerField(default=0)
    short_1h = models.PositiveIntegerField(default=0)
    untold_1h = models.PositiveIntegerField(default=0)
    talk_ms_1h = models.PositiveBigIntegerField(default=0)
    calls_24h = models.PositiveIntegerField(default=0)
    answered_24h = models.PositiveIntegerField(default=0)
    short_24h = models.PositiveIntegerField(default=0)
    untold_24h = models.PositiveIntegerField(default=0)
    talk_ms_24h = models.PositiveBigIntegerField(default=0)
    calls_7d = models.PositiveIntegerField(default=0)
    answered_7d = models.PositiveIntegerField(default=0)
    short_7d = models.PositiveIntegerField(default=0)
    untold_7d = models.PositiveIntegerField(default=0)
    talk_ms_7d = models.PositiveBigIntegerField(default=0)
    rate_1h = _rate("1h")
    rate_24h = _rate("24h")
    rate_7d = _rate("7d")

    class Meta:
        verbose_name = _("number's health")
        verbose_name_plural = _("numbers' health")
        constraints = [
            models.UniqueConstraint(fields=["pool", "number"], name="numbers_health_once"),
        ]
        indexes = [
            models.Index(
                fields=["pool", f"rate_{window}", "number"],
                name=f"numbers_health_{window}",
                condition=Q(**{f"calls_{window}__gte": LEAST_CALLS}),
            )
            for window in ("1h", "24h", "7d")
        ]

    def __str__(self) -> str:
        return self.number


class HealthMark(models.Model):
    """The first slot of each window in a pool's sums. Its row is locked while the sums change."""

    pool = models.OneToOneField(Pool, models.CASCADE, related_name="+", primary_key=True)
    from_1h_us = models.PositiveBigIntegerField()
    from_24h_us = models.PositiveBigIntegerField()
    from_7d_us = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return str(self.pool_id)


class SpamLabel(PartRow):
    """A report that callees see a number as spam, or with another label."""

    part_of = "pool"

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="+", db_index=False)
    number = AsciiField(_("number"), max_length=NUMBER_LENGTH)
    source = models.CharField(_("source"), max_length=64)
    label = models.CharField(_("label"), max_length=64)
    seen_at = models.DateTimeField(_("seen at"))
    created_at = models.DateTimeField(_("received at"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("spam label")
        verbose_name_plural = _("spam labels")
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "number", "source", "label", "seen_at"],
                name="numbers_spamlabel_once",
            ),
        ]
        indexes = [models.Index(fields=["pool", "seen_at"], name="numbers_spamlabel_time")]

    def __str__(self) -> str:
        return f"{self.number} {self.source}: {self.label}"
