"""The pools in SQL: their settings."""

import phonenumbers
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from numbers import canonical
from numbers.pool import PoolKeys
from poolsite.access.models import Account
from poolsite.hotpath.rows import Living, PausableRow, UnsentMark

NUMBER_LENGTH = 33  # an optional + and up to 32 digits
DAY_SECONDS = 86_400


class AddedByScript(models.TextChoices):
    """What happens to a number that the event `add` adds."""

    LEND = "lend", _("Available immediately")
    CONFIRM = "confirm", _("Available after confirmation")
    REFUSE = "refuse", _("Refused")


class Spelling(models.TextChoices):
    """The format in which a pool's switches receive numbers; see numbers.canonical.spelled."""

    E164 = canonical.E164, _("international, with +")
    NATIONAL = canonical.NATIONAL, _("national")
    DIGITS = canonical.DIGITS, _("international, digits only")


def known_country(code: str) -> None:
    """Raise ValidationError unless the code is a country that has telephone numbers."""
    if code not in phonenumbers.SUPPORTED_REGIONS:
        raise ValidationError(_("Enter a two-letter country code in capitals, such as CN."))


class Pool(PausableRow):
    """A shared set of numbers. Its slug is its Redis tag, `{slug}`, and never changes."""

    account = models.ForeignKey(
        Account,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="pools",
        verbose_name=_("account"),
        help_text=_("Leave empty for a pool of the platform itself."),
    )

    lease_seconds = models.PositiveIntegerField(
        _("lease (seconds)"),
        default=14_400,
        validators=[MinValueValidator(1), MaxValueValidator(30 * DAY_SECONDS)],
    )
    suspect_seconds = models.PositiveIntegerField(
        _("suspect period (seconds)"),
        default=3_600,
        validators=[MinValueValidator(1), MaxValueValidator(30 * DAY_SECONDS)],
    )
    switch_interval_seconds = models.PositiveIntegerField(
        _("switch report interval (seconds)"),
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(3_600)],
    )
    cooldown_seconds = models.PositiveIntegerField(
        _("cooldown (seconds)"), default=0, validators=[MaxValueValidator(30 * DAY_SECONDS)]
    )
    restart_rest_seconds = models.PositiveIntegerField(
        _("rest after a switch restart (seconds)"),
        default=30,
        validators=[MaxValueValidator(DAY_SECONDS)],
    )
    daily_cap = models.PositiveIntegerField(
        _("daily calls per number"), default=0, help_text=_("0: no limit.")
    )
    sticky_seconds = models.PositiveIntegerField(
        _("sticky window (seconds)"),
        default=0,
        validators=[MaxValueValidator(365 * DAY_SECONDS)],
        help_text=_(
            "Calls to the same callee use the same number for this long. 0 turns this off."
        ),
    )
    near = models.BooleanField(
        _("prefer numbers near the callee"),
        default=False,
        help_text=_("Pick a number from the callee's region when one is idle."),
    )
    callback_window_seconds = models.PositiveIntegerField(
        _("callback window (seconds)"),
        default=DAY_SECONDS,
        validators=[MaxValueValidator(365 * DAY_SECONDS)],
        help_text=_("How long an incoming call to a number names the agent who last used it."),
    )
    waiters_limit = models.PositiveIntegerField(
        _("waiting call limit"), default=1_000, validators=[MaxValueValidator(100_000)]
    )
    charged = models.BooleanField(_("charged"), default=False)
    charge_interval_seconds = models.PositiveIntegerField(
        _("charge interval (seconds)"),
        default=60,
        validators=[MinValueValidator(1), MaxValueValidator(DAY_SECONDS)],
    )

    added_by_script = models.CharField(
        _("numbers added by a script"),
        max_length=7,
        choices=AddedByScript,
        default=AddedByScript.CONFIRM,
        db_default=AddedByScript.LEND,  # for rows that the previous release creates
        help_text=_(
            "For numbers that a program adds with the add event, directly in Redis or "
            "through the API. Available immediately: a number can be used before the "
            "platform knows whether another pool has it. Available after confirmation: about "
            "a second later, if no other pool has it. Refused: numbers can only be added "
            "from this console, by imports and from the command line."
        ),
    )
    home_country = models.CharField(
        _("home country"),
        max_length=2,
        blank=True,
        db_default="",
        validators=[known_country],
        help_text=_(
            "The country of numbers without a country code, such as CN. Leave empty to use "
            "the platform's setting."
        ),
    )
    number_spelling = models.CharField(
        _("number format in responses"),
        max_length=8,
        choices=Spelling,
        default=Spelling.E164,
        db_default=Spelling.E164,
        help_text=_(
            "The format in which switches receive numbers over HTTP and WebSocket. They can "
            "send any format."
        ),
    )

    blocking_alarm_percent = models.FloatField(
        _("blocking alert threshold (%)"),
        default=1.0,
        validators=[MinValueValidator(0), MaxValueValidator(100)],
    )
    occupancy_alarm_percent = models.FloatField(
        _("occupancy alert threshold (%)"),
        default=90.0,
        validators=[MinValueValidator(0), MaxValueValidator(100)],
    )

    short_call_seconds = models.PositiveIntegerField(
        _("short call threshold (seconds)"),
        default=6,
        db_default=6,
        validators=[MinValueValidator(1), MaxValueValidator(3_600)],
        help_text=_(
            "Answered calls with less talk time than this count as short in number health."
        ),
    )

    loading_at = models.DateTimeField(_("last loaded at"), null=True, blank=True, editable=False)

    objects = Living["Pool"]()
    all_objects = models.Manager["Pool"]()

    access_kind = "pool"

    class Meta:
        verbose_name = _("pool")
        verbose_name_plural = _("pools")
        ordering = ["slug"]

    @property
    def tag(self) -> str:
        """The pool's Redis tag, with its braces."""
        return PoolKeys(self.slug).tag


class UnsentChange(UnsentMark):
    """A change that is in SQL but maybe not in Redis. Its row is deleted once Redis has it."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="unsent")
