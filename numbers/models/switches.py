"""The switches of a pool in SQL."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from numbers.models.pools import Pool
from poolsite.access.models import ApiToken
from poolsite.hotpath.rows import PartRow


class SwitchKind(models.TextChoices):
    """The effect of a switch's restart on its calls."""

    MEDIA = "media", _("Media server")
    PROXY = "proxy", _("SIP proxy")


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
    # Whether a person chose the kind. Otherwise it is the default, or the behaviour from before
    # there were kinds.
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
