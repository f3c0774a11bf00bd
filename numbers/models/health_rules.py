"""Number health: the rules that act on it, and their actions."""

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from numbers.fields import AsciiField
from numbers.health_reasons import Measure, said
from numbers.models.health import Window
from numbers.models.pools import NUMBER_LENGTH, Pool
from poolsite.hotpath.rows import PartRow

RULE_SETTINGS = (
    *("name", "enabled", "measure", "direction", "threshold", "least_calls", "window"),
    *("action", "rest_hours", "daily_limit", "pool_percent", "notify"),
)


class HealthRule(PartRow):
    """Rests or quarantines a pool's numbers whose figures pass a threshold."""

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
        """Refuse settings that make no sense together."""
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
    """One number that a rule took out of use, why, until when, and how it returned."""

    part_of = "pool"

    ENDED, UNDONE, RELEASED = "ended", "undone", "released"

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="+", db_index=False)
    rule = models.ForeignKey(HealthRule, models.SET_NULL, null=True, related_name="actions")
    rule_name = models.CharField(_("rule"), max_length=60)
    number = AsciiField(_("number"), max_length=NUMBER_LENGTH)
    action = models.CharField(_("action"), max_length=10)
    reason = models.CharField(_("reason"), max_length=200)  # in English, as Redis stores it
    measure = models.CharField(_("measure"), max_length=20, choices=Measure)
    window = models.CharField(_("window"), max_length=3, choices=Window)
    value = models.FloatField(_("value"))
    calls = models.PositiveIntegerField(_("calls"), default=0)
    day = models.DateField(_("day"))  # in the pool's time zone; the daily limit counts by it
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
        return said(self.reason)
