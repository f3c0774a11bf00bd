"""A gate and its settings."""

import hashlib

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account
from poolsite.hotpath.rows import Living, PausableRow, UnsentMark
from queueing.admission.gate import GateKeys

KEY_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}\Z"
DAY_SECONDS = 86_400
CAP_LIMIT = 1_000_000


def _between(least: int, most: int) -> list[MinValueValidator | MaxValueValidator]:
    return [MinValueValidator(least), MaxValueValidator(most)]


class Gate(PausableRow):
    """Limits the clients of an external system. Its Redis tag is `{gate.<slug>}`."""

    account = models.ForeignKey(
        Account,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="gates",
        verbose_name=_("account"),
        help_text=_("Leave empty for a gate of the platform itself."),
    )
    key = models.CharField(
        _("key"),
        max_length=64,
        validators=[
            RegexValidator(
                KEY_PATTERN, _("Use 1 to 64 letters, digits, or the characters . _ : and -.")
            )
        ],
        help_text=_("Batches refer to the gate by this key, for example an area code."),
    )

    cap = models.PositiveIntegerField(
        _("concurrency limit"),
        default=60,
        validators=_between(1, CAP_LIMIT),
        help_text=_("The most permits in use at once."),
    )
    permit_seconds = models.PositiveIntegerField(
        _("permit duration (seconds)"),
        default=300,
        validators=_between(2, DAY_SECONDS),
        help_text=_("A slot that isn't released becomes free after this time."),
    )
    margin_seconds = models.PositiveIntegerField(
        _("safety margin (seconds)"),
        default=10,
        validators=_between(0, 3_600),
        help_text=_("Devices stop this long before their slot becomes free."),
    )
    longest_seconds = models.PositiveIntegerField(
        _("maximum duration (seconds)"),
        default=3_600,
        validators=_between(2, 30 * DAY_SECONDS),
        help_text=_("The longest a permit can last, however often it is renewed."),
    )
    attempts = models.PositiveIntegerField(_("attempts"), default=3, validators=_between(1, 50))
    period_seconds = models.PositiveIntegerField(
        _("report period (seconds)"), default=60, validators=_between(1, DAY_SECONDS)
    )
    fair = models.BooleanField(
        _("in turn"), default=True, help_text=_("Those who have waited longer are admitted first.")
    )
    look_ahead = models.PositiveIntegerField(
        _("look-ahead factor"),
        default=2,
        validators=_between(1, 1_000),
        help_text=_(
            "A request is admitted if fewer requests are ahead of it in line than the free "
            "slots times this factor."
        ),
    )
    rate_per_second = models.PositiveIntegerField(
        _("starts per second"),
        default=0,
        validators=[MaxValueValidator(10_000)],
        help_text=_("0: no limit."),
    )

    adaptive = models.BooleanField(_("adaptive limit"), default=False)
    pinned_cap = models.PositiveIntegerField(
        _("pinned limit"),
        null=True,
        blank=True,
        validators=_between(1, CAP_LIMIT),
        help_text=_("Set manually. The adaptive limit doesn't change while a limit is pinned."),
    )
    adaptive_min = models.PositiveIntegerField(
        _("adaptive limit, minimum"), default=1, validators=_between(1, CAP_LIMIT)
    )
    adaptive_max = models.PositiveIntegerField(
        _("adaptive limit, maximum"), default=60, validators=_between(1, CAP_LIMIT)
    )
    adaptive_step = models.PositiveIntegerField(
        _("increase by"), default=1, validators=_between(1, 10_000)
    )
    adaptive_down_percent = models.PositiveIntegerField(
        _("decrease to (%)"), default=70, validators=_between(1, 99)
    )
    adaptive_error_percent = models.PositiveIntegerField(
        _("error threshold (%)"), default=10, validators=_between(0, 100)
    )
    adaptive_latency_ms = models.PositiveIntegerField(
        _("latency threshold (ms)"),
        default=0,
        validators=[MaxValueValidator(3_600_000)],
        help_text=_("Enter 0 to ignore latency."),
    )
    adaptive_interval_seconds = models.PositiveIntegerField(
        _("adjustment interval (seconds)"), default=10, validators=_between(1, 3_600)
    )

    overrun_alarm = models.PositiveIntegerField(_("alert: overruns in 5 minutes above"), default=0)
    waiting_alarm = models.PositiveIntegerField(
        _("alert: waiting above"), default=0, help_text=_("Enter 0 for no alert.")
    )

    signing_key = models.CharField(_("signing key"), max_length=64, blank=True, editable=False)
    previous_signing_key = models.CharField(
        _("previous signing key"), max_length=64, blank=True, editable=False
    )

    loading_at = models.DateTimeField(_("last loaded at"), null=True, blank=True, editable=False)

    objects = Living["Gate"]()
    all_objects = models.Manager["Gate"]()

    access_kind = "gate"

    class Meta:
        verbose_name = _("gate")
        verbose_name_plural = _("gates")
        ordering = ["slug"]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "key"],
                name="admission_gate_key",
                condition=Q(deleted_at=None),
            ),
            models.UniqueConstraint(
                fields=["key"],
                name="admission_platform_key",
                condition=Q(deleted_at=None, account=None),
            ),
            models.CheckConstraint(
                condition=Q(adaptive_min__lte=F("adaptive_max")), name="admission_adaptive_bounds"
            ),
        ]

    @property
    def tag(self) -> str:
        """The gate's Redis tag, with its braces."""
        return GateKeys(self.slug).tag

    @property
    def signs_with(self) -> str:
        """The key (hexadecimal) that signs permits, or "" if they are not signed.

        This is the previous key until an operator confirms that the newest key is installed.
        """
        return self.previous_signing_key or self.signing_key

    @property
    def signing_prints(self) -> dict[str, str]:
        """Fingerprints of the key that signs and of the next key. The keys stay secret."""
        following = self.signing_key if self.previous_signing_key else ""
        return {"signs": fingerprint(self.signs_with), "next": fingerprint(following)}


def fingerprint(key: str) -> str:
    """Return a fingerprint that identifies a signing key without revealing it, or "" for none."""
    return hashlib.sha256(bytes.fromhex(key)).hexdigest()[:8] if key else ""


class UnsentChange(UnsentMark):
    """A change in SQL that may not be in Redis yet. Its row is deleted once it is."""

    gate = models.ForeignKey(Gate, models.CASCADE, related_name="unsent")
