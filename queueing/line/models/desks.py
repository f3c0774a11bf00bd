"""A desk: a tenant's queues and the agents who serve them."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account
from poolsite.hotpath.rows import PartRow, RedisRow
from queueing.line.desk import DeskKeys
from queueing.line.models.file_settings import TakesFiles
from queueing.line.pauses import DEFAULT_TEXT, validate_reasons

SLUG = RegexValidator(r"^[a-z0-9-]{1,40}\Z", _("Use 1 to 40 of the characters a-z, 0-9 and -."))
DAY_SECONDS = 86_400


class Desk(TakesFiles, RedisRow):
    """An aggregate of the line, with the tag `{line.<slug>}`. No operation spans two desks."""

    account = models.ForeignKey(
        Account, models.PROTECT, null=True, blank=True, related_name="desks"
    )
    slug = models.CharField(_("slug"), max_length=40, unique=True, validators=[SLUG])
    name = models.CharField(_("name"), max_length=120)
    generation = models.PositiveBigIntegerField(_("generation"), default=1)
    recovering_since = models.DateTimeField(_("recovering since"), null=True, blank=True)
    log_limit = models.PositiveIntegerField(
        _("backlog limit (entries)"), default=1_000_000, validators=[MinValueValidator(1_000)]
    )
    callback_pool = models.CharField(
        _("callback number pool"),
        max_length=40,
        blank=True,
        help_text=_("Leave empty to turn callbacks off."),
    )
    transcript_days = models.PositiveIntegerField(
        _("transcript retention (days)"), default=396, validators=[MinValueValidator(1)]
    )
    pause_reasons = models.TextField(
        _("pause reasons"),
        default=DEFAULT_TEXT,
        db_default=DEFAULT_TEXT,  # for rows that the previous release creates
        validators=[validate_reasons],
        help_text=_(
            "One per line. Add a time limit to mark longer pauses on the floor: Lunch, 45 min."
        ),
    )
    outcome_required = models.BooleanField(_("require an outcome"), default=False, db_default=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    access_kind = "desk"

    class Meta:
        verbose_name = _("desk")
        verbose_name_plural = _("desks")
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name or self.slug

    @property
    def house(self) -> str:
        """The name that tells visitors whose desk it is."""
        return self.account.name if self.account is not None else self.name

    @property
    def tag(self) -> str:
        """The desk's Redis tag, with its braces."""
        return DeskKeys(self.slug).tag


class Queue(PartRow):
    """A queue of a desk. Its public page is `/q/<slug>/`."""

    part_of = "desk"

    class Mode(models.TextChoices):
        AUTOMATIC = "auto", _("automatic")
        OFFER = "offer", _("offer: the agent accepts or declines")
        MANUAL = "manual", _("manual: the agent takes a visitor")

    class NoAgent(models.TextChoices):
        WAIT = "wait", _("visitors keep waiting")
        OVERFLOW = "overflow", _("visitors go to the overflow queue")
        FORM = "form", _("visitors leave a message")
        END = "end", _("the visit ends")

    desk = models.ForeignKey(Desk, models.PROTECT, related_name="queues")
    slug = models.CharField(_("slug"), max_length=40, unique=True, validators=[SLUG])
    name = models.CharField(_("name"), max_length=120)
    welcome = models.TextField(_("welcome text"), blank=True)
    topics = models.JSONField(_("topics"), default=list, blank=True)
    mode = models.CharField(_("mode"), max_length=6, choices=Mode.choices, default=Mode.AUTOMATIC)
    is_open = models.BooleanField(
        _("open"), default=True, help_text=_("Visitors can join during the queue's hours.")
    )
    hours = models.JSONField(
        _("hours"),
        default=dict,
        blank=True,
        help_text=_("Weekday 0-6 → [[from, until]]; {}: always open."),
    )
    zone = models.CharField(
        _("time zone"), max_length=64, blank=True, default="", db_default=""
    )  # of the hours; "" means the desk's
    closed_text = models.TextField(_("message while closed"), blank=True)
    ttl_seconds = models.PositiveIntegerField(
        _("heartbeat timeout (seconds)"),
        default=15,
        validators=[MinValueValidator(10), MaxValueValidator(600)],
    )
    grace_seconds = models.PositiveIntegerField(
        _("place hold time (seconds)"), default=60, validators=[MaxValueValidator(3_600)]
    )
    room_grace_seconds = models.PositiveIntegerField(
        _("room hold time, visitor away (seconds)"),
        default=90,
        validators=[MaxValueValidator(3_600)],
    )
    agent_grace_seconds = models.PositiveIntegerField(
        _("room hold time, agent away (seconds)"),
        default=60,
        validators=[MaxValueValidator(3_600)],
        help_text=_("If an agent serves several queues, the longest time applies."),
    )
    offer_seconds = models.PositiveIntegerField(
        _("offer timeout (seconds)"), default=20, validators=[MinValueValidator(1)]
    )
    decline_seconds = models.PositiveIntegerField(
        _("re-offer delay (seconds)"),
        default=30,
        db_default=30,  # for rows that the previous release creates
        validators=[MaxValueValidator(3_600)],
        help_text=_(
            "For this long, an agent who declines or misses an offer isn't offered the same "
            "visitor while another agent may serve them. 0: no delay."
        ),
    )
    misses_limit = models.PositiveSmallIntegerField(
        _("missed offers before pause"),
        default=3,
        help_text=_("Declined offers count, too. 0: never."),
    )
    wrap_up_seconds = models.PositiveIntegerField(
        _("wrap-up time (seconds)"), default=0, validators=[MaxValueValidator(3_600)]
    )
    max_wait_seconds = models.PositiveIntegerField(
        _("wait limit (seconds)"), default=0, help_text=_("0: no limit.")
    )
    max_length = models.PositiveIntegerField(
        _("waiting visitors limit"), default=10_000, validators=[MinValueValidator(1)]
    )
    overflow = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("overflow queue"),
    )
    no_agent = models.CharField(
        _("no-agent action"), max_length=8, choices=NoAgent.choices, default=NoAgent.WAIT
    )
    no_agent_seconds = models.PositiveIntegerField(_("no-agent delay (seconds)"), default=300)
    skills_relax_seconds = models.PositiveIntegerField(
        _("lower the required skill level every (seconds)"), default=30
    )
    answer_within_seconds = models.PositiveIntegerField(
        _("service level target time (seconds)"), default=60
    )
    service_level_alarm_percent = models.FloatField(
        _("service level alert threshold (%)"), default=80.0
    )
    longest_wait_alarm_seconds = models.PositiveIntegerField(
        _("longest wait alert threshold (seconds)"), default=300
    )
    position = models.PositiveSmallIntegerField(_("list position"), default=0)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("queue")
        verbose_name_plural = _("queues")
        ordering = ["desk", "position", "slug"]

    def __str__(self) -> str:
        return self.name or self.slug

    @property
    def audit_ref(self) -> str:
        """The name of the queue in the audit log."""
        return f"queue:{self.slug}"


class Closure(models.Model):
    """A day on which a queue is closed, or has other hours."""

    queue = models.ForeignKey(Queue, models.CASCADE, related_name="closures")
    day = models.DateField(_("day"))
    hours = models.JSONField(_("hours"), default=list, blank=True)
    text = models.CharField(_("text"), max_length=200, blank=True)
    yearly = models.BooleanField(_("every year"), default=False, db_default=False)

    class Meta:
        verbose_name = _("closure")
        verbose_name_plural = _("closures")
        constraints = [models.UniqueConstraint(fields=["queue", "day"], name="line_closure_once")]

    def __str__(self) -> str:
        return f"{self.queue} {self.day}"


class Skill(models.Model):
    """A skill that a visitor may need. Agents have it at a level from 1 to 9."""

    desk = models.ForeignKey(Desk, models.CASCADE, related_name="skills")
    slug = models.CharField(_("slug"), max_length=20, validators=[SLUG])
    name = models.CharField(_("name"), max_length=80)

    class Meta:
        verbose_name = _("skill")
        verbose_name_plural = _("skills")
        constraints = [models.UniqueConstraint(fields=["desk", "slug"], name="line_skill_once")]

    def __str__(self) -> str:
        return self.name


class Agent(PartRow):
    """A user who serves queues of one desk."""

    part_of = "desk"

    desk = models.ForeignKey(Desk, models.PROTECT, related_name="agents")
    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="line_agent")
    name = models.CharField(_("name shown to visitors"), max_length=80)
    capacity = models.PositiveSmallIntegerField(
        _("concurrent rooms"), default=1, validators=[MinValueValidator(1), MaxValueValidator(20)]
    )
    queues = models.ManyToManyField(Queue, related_name="agents", verbose_name=_("queues"))
    skills = models.JSONField(_("skills"), default=dict, blank=True)  # slug → level 1-9
    phone = models.CharField(_("callback phone"), max_length=33, blank=True)
    archived_at = models.DateTimeField(_("archived at"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ["desk", "name"]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Raise ValidationError unless the skills have levels from 1 to 9."""
        super().clean()
        skills = self.skills
        levels = skills.values() if isinstance(skills, dict) else [None]
        if not all(type(level) is int and 1 <= level <= 9 for level in levels):
            raise ValidationError({"skills": _("Enter a level from 1 to 9 for each skill.")})


class CannedReply(models.Model):
    """A reply that agents insert with a shortcut."""

    desk = models.ForeignKey(Desk, models.CASCADE, related_name="canned_replies")
    shortcut = models.CharField(_("shortcut"), max_length=20, validators=[SLUG])
    text = models.TextField(_("text"), max_length=4_000)

    class Meta:
        verbose_name = _("saved reply")
        verbose_name_plural = _("saved replies")
        ordering = ["desk", "shortcut"]
        constraints = [
            models.UniqueConstraint(fields=["desk", "shortcut"], name="line_canned_once")
        ]

    def __str__(self) -> str:
        return self.shortcut


class BlockedVisitor(models.Model):
    """A network address or visitor's key that may not join a desk's queues."""

    desk = models.ForeignKey(Desk, models.CASCADE, related_name="blocked_visitors")
    key = models.CharField(_("address or key"), max_length=80)
    reason = models.CharField(_("reason"), max_length=200)
    until = models.DateTimeField(_("until"), null=True, blank=True)
    created_by = models.CharField(_("by"), max_length=150)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("blocked visitor")
        verbose_name_plural = _("blocked visitors")
        constraints = [models.UniqueConstraint(fields=["desk", "key"], name="line_blocked_once")]

    def __str__(self) -> str:
        return self.key
