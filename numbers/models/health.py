"""Number health: what calls said of the numbers, the rules that act on it, and what they did.

Counts are kept by slots of ten minutes. What a page or a rule asks for is the sum of a window's
slots: `NumberHealth` keeps these sums for each number, so that a million numbers can be sorted by
an index. Definitions: docs/numbers-health.md.
"""

from datetime import timedelta
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Case, F, Q, When
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from numbers.fields import AsciiField
from numbers.models.pools import NUMBER_LENGTH, Pool
from poolsite.hotpath.rows import PartRow

SLOT_SECONDS = 600
LEAST_CALLS = 10  # a number with fewer calls in a window has no rate there: it would say nothing
RATE_WHOLE = 10_000  # a rate of 10 000 = 100 %
RULE_SETTINGS = (
    *("name", "enabled", "measure", "direction", "threshold", "least_calls", "window"),
    *("action", "rest_hours", "daily_limit", "pool_percent", "notify"),
)


class Window(models.TextChoices):
    """How far back figures reach."""

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
    slot_us = models.PositiveBigIntegerField()  # when the ten minutes began, µs
    calls = models.PositiveIntegerField(default=0)  # whose answer was told
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
    """Answered of the window's calls; null while there are too few of them."""
    calls, answered = f"calls_{window}", f"answered_{window}"
    field: Rate = models.GeneratedField(  # type: ignore[assignment]
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
    """A number's sums over each window, kept up to date by the drain and by the sliding sweep."""

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
    """From which slot on a pool's sums hold each window; its row is locked while sums change."""

    pool = models.OneToOneField(Pool, models.CASCADE, related_name="+", primary_key=True)
    from_1h_us = models.PositiveBigIntegerField()
    from_24h_us = models.PositiveBigIntegerField()
    from_7d_us = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return str(self.pool_id)


class Measure(models.TextChoices):
    """What a rule looks at."""

    ASR = "asr", _("Answer rate (ASR)")
    MEAN = "mean_duration", _("Mean talk time")
    SHORT = "short_share", _("Share of short calls")
    UNANSWERED = "unanswered_share", _("Share of unanswered calls")
    SPAM = "spam_sources", _("Spam label sources")


class HealthRule(PartRow):
    """Rests or quarantines the numbers of a pool whose figures are past a threshold."""

    part_of = "pool"

    BELOW, ABOVE = "below", "above"
    REST, QUARANTINE = "rest", "quarantine"

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="health_rules")
    name = models.CharField(_("name"), max_length=60)
    enabled = models.BooleanField(_("enabled"), default=True)
    measure = models.CharField(_("measure"), max_length=20, choices=Measure, default=Measure.ASR)
    direction = models.CharField(
        _("condition"),
        max_length=5,
        choices=[(BELOW, _("below")), (ABOVE, _("at or above"))],
        default=BELOW,
    )
    threshold = models.FloatField(
        _("threshold"),
        default=20.0,
        validators=[MinValueValidator(0), MaxValueValidator(86_400)],
        help_text=_(
            "A percentage for rates and shares, seconds for talk time, a number of sources "
            "for spam labels."
        ),
    )
    least_calls = models.PositiveIntegerField(
        _("minimum number of calls"),
        default=50,
        validators=[MinValueValidator(1), MaxValueValidator(1_000_000)],
        help_text=_(
            "Counts calls for which the switch reported whether they were answered. Not used "
            "for spam labels."
        ),
    )
    window = models.CharField(_("window"), max_length=3, choices=Window, default=Window.DAY)
    action = models.CharField(
        _("action"),
        max_length=10,
        choices=[(REST, _("rest")), (QUARANTINE, _("quarantine"))],
        default=REST,
        help_text=_("A rest ends automatically. A quarantine lasts until someone ends it."),
    )
    rest_hours = models.PositiveIntegerField(
        _("rest (hours)"),
        default=24,
        validators=[MinValueValidator(1), MaxValueValidator(24 * 90)],
    )
    daily_limit = models.PositiveIntegerField(
        _("maximum numbers per day"),
        default=20,
        validators=[MinValueValidator(1), MaxValueValidator(100_000)],
    )
    pool_percent = models.FloatField(
        _("maximum share of the pool out of use (%)"),
        default=10.0,
        validators=[MinValueValidator(0.01), MaxValueValidator(100)],
        help_text=_(
            "Includes the numbers that all health rules of the pool have taken out of use."
        ),
    )
    notify = models.BooleanField(
        _("open an incident when the rule acts"),
        default=True,
    )
    created_at = models.DateTimeField(_("created at"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("health rule")
        verbose_name_plural = _("health rules")
        constraints = [
            models.UniqueConstraint(fields=["pool", "name"], name="numbers_healthrule_once"),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse what could not mean anything."""
        if self.measure == Measure.SPAM and self.direction != self.ABOVE:
            raise ValidationError({"direction": _("Use “at or above” for spam labels.")})
        if self.measure == Measure.SPAM and self.threshold < 1:
            raise ValidationError({"threshold": _("Enter 1 or more.")})
        if (
            self.measure in (Measure.ASR, Measure.SHORT, Measure.UNANSWERED)
            and self.threshold > 100
        ):
            raise ValidationError({"threshold": _("Enter 100 or less.")})


class HealthAction(PartRow):
    """One number that a rule took out of use, why, until when, and how it came back."""

    part_of = "pool"

    ENDED, UNDONE, RELEASED = "ended", "undone", "released"

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="+", db_index=False)
    rule = models.ForeignKey(HealthRule, models.SET_NULL, null=True, related_name="actions")
    rule_name = models.CharField(_("rule"), max_length=60)
    number = AsciiField(_("number"), max_length=NUMBER_LENGTH)
    action = models.CharField(_("action"), max_length=10)
    reason = models.CharField(_("reason"), max_length=200)  # in English, as Redis keeps it
    measure = models.CharField(_("measure"), max_length=20, choices=Measure)
    window = models.CharField(_("window"), max_length=3, choices=Window)
    value = models.FloatField(_("value"))
    calls = models.PositiveIntegerField(_("calls"), default=0)
    day = models.DateField(_("day"))  # in the pool's zone: what the daily limit counts by
    at = models.DateTimeField(_("at"))
    until = models.DateTimeField(_("until"), null=True, blank=True)
    returned_at = models.DateTimeField(_("returned at"), null=True, blank=True)
    returned_how = models.CharField(
        _("how it returned"),
        max_length=10,
        blank=True,
        choices=[(ENDED, _("ended")), (UNDONE, _("undone")), (RELEASED, _("released"))],
    )
    returned_by = models.CharField(_("returned by"), max_length=150, blank=True)
    exempt_until = models.DateTimeField(_("exempt until"), null=True, blank=True)

    class Meta:
        verbose_name = _("health action")
        verbose_name_plural = _("health actions")
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "number"],
                condition=Q(returned_at=None),
                name="numbers_healthaction_open",
            ),
        ]
        indexes = [
            models.Index(fields=["pool", "-at"], name="numbers_healthaction_pool"),
            models.Index(fields=["number", "-at"], name="numbers_healthaction_number"),
            models.Index(fields=["rule", "day"], name="numbers_healthaction_day"),
            models.Index(
                fields=["until"],
                name="numbers_healthaction_due",
                condition=Q(returned_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.at:%Y-%m-%d %H:%M}"

    @property
    def reason_words(self) -> str:
        """The figures that the rule acted on, in the active language."""
        from numbers import health_reasons  # knows this model

        return health_reasons.said(self.reason)


class SpamLabel(PartRow):
    """Somebody's report that a number is shown as spam (or otherwise labelled) to callees."""

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
