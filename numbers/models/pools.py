"""What SQL remembers of the pools: settings, numbers, switches, calls and every event."""

import phonenumbers
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from numbers import canonical
from numbers.fields import AsciiField, NullableAsciiField
from poolsite.access.models import Account, ApiToken
from poolsite.hotpath.rows import Living, PartRow, PausableRow, UnsentMark

NUMBER_LENGTH = 33  # an optional + and up to 32 digits
DAY_SECONDS = 86_400


class AddedByScript(models.TextChoices):
    """What becomes of a number that the event `add` brings."""

    LEND = "lend", _("Available immediately")
    CONFIRM = "confirm", _("Available after confirmation")
    REFUSE = "refuse", _("Refused")


class SwitchKind(models.TextChoices):
    """What a switch's restart means for its calls."""

    MEDIA = "media", _("Media server")
    PROXY = "proxy", _("SIP proxy")


class Spelling(models.TextChoices):
    """How a pool's switches are answered; see numbers.canonical.spelled."""

    E164 = canonical.E164, _("international, with +")
    NATIONAL = canonical.NATIONAL, _("national")
    DIGITS = canonical.DIGITS, _("international, digits only")


def known_country(code: str) -> None:
    """Raise ValidationError unless the code is a country that has telephone numbers."""
    if code not in phonenumbers.SUPPORTED_REGIONS:
        raise ValidationError(_("Enter a two-letter country code in capitals, such as CN."))


class Pool(PausableRow):
    """One shared set of numbers. Its slug is its Redis tag, `{slug}`, and never changes."""

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
        db_default=AddedByScript.LEND,  # of a row that the release before makes
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
        return "{" + self.slug + "}"


class Switch(PartRow):
    """A telephone switch that reports events of one pool."""

    part_of = "pool"

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="switches")
    name = models.CharField(_("name"), max_length=64)
    token = models.ForeignKey(
        ApiToken, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("token")
    )
    kind = models.CharField(
        _("type"),
        max_length=5,
        choices=SwitchKind,
        default=SwitchKind.PROXY,
        db_default=SwitchKind.PROXY,
        help_text=_(
            "Media server (FreeSWITCH, Asterisk): a restart ends its calls and frees their "
            "numbers. SIP proxy (Kamailio, OpenSIPS): its calls continue after a restart, so "
            "their numbers stay in use."
        ),
    )
    # Whether a person chose it; else it is what rows had before there were kinds, or the default.
    kind_chosen = models.BooleanField(
        _("type chosen"), default=False, db_default=False, editable=False
    )
    incarnation = models.CharField(_("incarnation"), max_length=64, blank=True)
    last_heard = models.DateTimeField(_("last report"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("switch")
        verbose_name_plural = _("switches")
        constraints = [
            models.UniqueConstraint(fields=["pool", "name"], name="numbers_switch_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Number(PartRow):
    """A telephone number. It belongs to one pool only, so two pools never call with it at once."""

    part_of = "pool"

    pool = models.ForeignKey(Pool, models.PROTECT, related_name="numbers", db_index=False)
    # `value` is the spelling under which Redis knows it; `canonical` its identity, the same for
    # every spelling. A twin has none: it waits, quarantined, until an operator merges the two.
    value = AsciiField(_("number"), max_length=NUMBER_LENGTH)
    canonical = NullableAsciiField(
        _("canonical form"), max_length=NUMBER_LENGTH, null=True, blank=True, editable=False
    )
    twin_of = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="twins",
        db_index=False,
        verbose_name=_("duplicate of"),
    )
    label = models.CharField(_("label"), max_length=120, blank=True)
    notes = models.TextField(_("notes"), blank=True)
    region = models.CharField(_("region"), max_length=80, blank=True)
    carrier = models.CharField(_("carrier"), max_length=80, blank=True)
    import_id = models.PositiveBigIntegerField(_("import"), null=True, blank=True)
    is_up = models.BooleanField(
        _("registered"), default=False, editable=False, help_text=_("As recorded in the history.")
    )
    contact = models.CharField(_("contact"), max_length=256, blank=True, editable=False)
    quarantined_at = models.DateTimeField(_("quarantined at"), null=True, blank=True)
    quarantined_by = models.CharField(_("quarantined by"), max_length=150, blank=True)
    quarantined_reason = models.CharField(_("quarantine reason"), max_length=200, blank=True)
    quarantined_until = models.DateTimeField(_("quarantined until"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("number")
        verbose_name_plural = _("numbers")
        constraints = [
            models.UniqueConstraint(fields=["value"], name="numbers_value_once"),
            models.UniqueConstraint(fields=["canonical"], name="numbers_canonical_once"),
        ]
        indexes = [
            models.Index(fields=["pool", "value"], name="numbers_by_pool"),
            models.Index(fields=["pool", "region", "value"], name="numbers_by_pool_region"),
            models.Index(fields=["region", "value"], name="numbers_by_region"),
            models.Index(
                fields=["pool", "value"],
                name="numbers_quarantined",
                condition=Q(quarantined_at__isnull=False),
            ),
            models.Index(
                fields=["import_id", "value"],
                name="numbers_by_import",
                condition=Q(import_id__isnull=False),
            ),
            models.Index(
                fields=["twin_of"],
                name="numbers_twins",
                condition=Q(twin_of__isnull=False),
            ),
            models.Index(
                fields=["value"],
                name="numbers_no_canonical",
                condition=Q(canonical__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return self.value


class NumberTag(models.Model):
    """One tag of a number, with what a list filtered by it is ordered by."""

    number = models.ForeignKey(Number, models.CASCADE, related_name="tags", db_index=False)
    tag = models.CharField(_("tag"), max_length=40)
    pool = models.ForeignKey(Pool, models.CASCADE, related_name="+", db_index=False)
    value = AsciiField(_("number"), max_length=NUMBER_LENGTH)

    class Meta:
        verbose_name = _("tag")
        verbose_name_plural = _("tags")
        constraints = [
            models.UniqueConstraint(fields=["number", "tag"], name="numbers_tag_once"),
        ]
        indexes = [
            models.Index(fields=["tag", "value"], name="numbers_by_tag"),
            models.Index(fields=["pool", "tag", "value"], name="numbers_by_pool_tag"),
        ]

    def __str__(self) -> str:
        return self.tag


class UnsentChange(UnsentMark):
    """A change that is in SQL and perhaps not yet in Redis: its row goes once it is."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="unsent")


class UnconfirmedNumber(models.Model):
    """A number of SQL that a script added and that Redis is yet to be told is this pool's own."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="unconfirmed")
    value = AsciiField(_("number"), max_length=NUMBER_LENGTH)
    added_us = models.BigIntegerField(_("added at, µs"))

    class Meta:
        verbose_name = _("unconfirmed number")
        verbose_name_plural = _("unconfirmed numbers")
        constraints = [
            models.UniqueConstraint(fields=["pool", "value"], name="numbers_unconfirmed_once"),
        ]

    def __str__(self) -> str:
        return self.value
