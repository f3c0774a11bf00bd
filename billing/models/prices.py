"""Tariffs, senders, templates, and the abilities of terminals."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account, ApiToken


class Tariff(models.Model):
    """The prices of an account for [valid_from, valid_until). Never changed once in use.

    `prices`: sub-mode → {"unit_price": units, "characters_per_unit"?: n, "kilobytes_per_unit"?: n},
    with sub-modes as in billing.pricing.modes. Holds store the row's ID as the version.

    `rates_count` and `rates_digest` describe the call rates. The digest is "" without any, and
    differs whenever the rates do.
    """

    account = models.ForeignKey(Account, models.PROTECT, related_name="tariffs")
    name = models.CharField(_("name"), max_length=120)
    valid_from = models.DateTimeField(_("valid from"))
    valid_until = models.DateTimeField(_("valid until"), null=True, blank=True)
    prices = models.JSONField(_("prices"))
    rates_count = models.PositiveIntegerField(_("call rates"), default=0, db_default=0)
    rates_digest = models.CharField(
        _("digest of the call rates"), max_length=32, blank=True, default="", db_default=""
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("tariff")
        verbose_name_plural = _("tariffs")
        ordering = ["account", "-valid_from"]
        constraints = [
            models.CheckConstraint(
                condition=Q(valid_until=None) | Q(valid_until__gt=F("valid_from")),
                name="billing_tariff_ends_after_it_begins",
            )
        ]

    def __str__(self) -> str:
        return self.name


class Chatbot(models.Model):
    """A sender of an account, with its own templates, campaigns and messages."""

    account = models.ForeignKey(Account, models.PROTECT, related_name="chatbots")
    slug = models.CharField(
        _("id"),
        max_length=40,
        validators=[
            RegexValidator(
                r"^[a-z0-9-]{1,40}\Z", _("Use 1 to 40 of the characters a-z, 0-9 and -.")
            )
        ],
    )
    name = models.CharField(_("name"), max_length=120)
    token = models.ForeignKey(
        ApiToken, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("token")
    )
    rate_limit = models.PositiveIntegerField(
        _("rate limit (messages per second)"), default=0, help_text=_("0: no limit.")
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    archived_at = models.DateTimeField(_("archived at"), null=True, blank=True)

    class Meta:
        verbose_name = _("chatbot")
        verbose_name_plural = _("chatbots")
        ordering = ["account", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["account", "slug"], name="billing_chatbot_once")
        ]

    def __str__(self) -> str:
        return self.name


class Template(models.Model):
    """A message for every terminal. Complete with native, Yuexin (registered link) and video."""

    class Native(models.TextChoices):
        TEXT = "text", _("text")
        CARD = "card", _("multimedia card")

    chatbot = models.ForeignKey(Chatbot, models.PROTECT, related_name="templates")
    name = models.CharField(_("name"), max_length=120)
    native_kind = models.CharField(
        _("native"), max_length=4, choices=Native.choices, default=Native.TEXT
    )
    native_text = models.TextField(_("native text"), blank=True)
    card_kilobytes = models.PositiveIntegerField(_("card size (kB)"), default=0)
    yuexin_text = models.TextField(_("Yuexin text"), blank=True)
    yuexin_link = models.URLField(_("Yuexin link"), blank=True)
    link_registered = models.BooleanField(_("link registered with handset makers"), default=False)
    video_subject = models.CharField(_("video subject"), max_length=120, blank=True)
    video_kilobytes = models.PositiveIntegerField(_("video size (kB)"), default=0)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    archived_at = models.DateTimeField(_("archived at"), null=True, blank=True)

    class Meta:
        verbose_name = _("template")
        verbose_name_plural = _("templates")
        ordering = ["chatbot", "name"]

    def __str__(self) -> str:
        return self.name

    @property
    def account_id(self) -> int:
        """The chatbot's account."""
        return self.chatbot.account_id


class TerminalAbility(models.Model):
    """What is known about a terminal: whether it resolves Yuexin messages."""

    number = models.CharField(_("number"), max_length=33, unique=True)
    supports_yuexin = models.BooleanField(_("supports Yuexin"))
    source = models.CharField(_("source"), max_length=40)
    looked_up_at = models.DateTimeField(_("looked up at"))

    class Meta:
        verbose_name = _("terminal capability")
        verbose_name_plural = _("terminal capabilities")

    def __str__(self) -> str:
        return self.number


class TerminalListing(models.Model):
    """A row of the imported table of terminals, from which the provider `table` answers."""

    number = models.CharField(_("number"), max_length=33, unique=True)
    supports_yuexin = models.BooleanField(_("supports Yuexin"))
    imported_at = models.DateTimeField(_("imported at"))

    class Meta:
        verbose_name = _("listed terminal")
        verbose_name_plural = _("listed terminals")

    def __str__(self) -> str:
        return self.number


class TerminalFile(models.Model):
    """An uploaded file of terminals, and the result. Its `parts` are deleted after reading.

    `next_row`: the last row imported or refused, after which a worker continues. `faults`: the
    first refused rows with their errors.
    """

    file_name = models.CharField(_("file"), max_length=200)
    uploaded_by = models.CharField(_("uploaded by"), max_length=150)
    uploaded_at = models.DateTimeField(_("uploaded at"), auto_now_add=True)
    job = models.ForeignKey("jobs.Job", models.PROTECT, related_name="+")
    next_row = models.PositiveIntegerField(_("last row read"), default=0)
    taken = models.PositiveIntegerField(_("taken"), default=0)
    refused = models.PositiveIntegerField(_("refused"), default=0)
    faults = models.JSONField(_("refused rows"), default=list)

    class Meta:
        verbose_name = _("terminal file")
        verbose_name_plural = _("terminal files")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.file_name


class TerminalFilePart(models.Model):
    """A part of an uploaded file of terminals, until a worker has read it."""

    file = models.ForeignKey(TerminalFile, models.CASCADE, related_name="parts")
    place = models.PositiveIntegerField(_("place"))
    data = models.BinaryField(_("data"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["file", "place"], name="billing_terminal_part_once")
        ]

    def __str__(self) -> str:
        return f"{self.file_id}/{self.place}"
