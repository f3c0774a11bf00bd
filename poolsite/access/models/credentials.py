"""API tokens, invitations, guards against guessed codes. Secrets are stored as hashes only."""

from datetime import timedelta

from django.db import models
from django.db.models import Value
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from poolsite.access.models.tenants import Account, Role, User

WARN_BEFORE = timedelta(days=14)  # this long before its end a token is reported


class ApiToken(models.Model):
    """A machine's key: for a switch, a device, a gateway or an application server.

    `resources` are references to objects (`pool:retail-east`, `pool:*`, `*`), `actions` are the
    registered actions, and `events` are the event names that it may send; `*` means all. A token
    without an account belongs to the platform. `networks`: where it may be used; anywhere if empty.
    The secret is 256 random bits, so a plain SHA-256 is enough: it can't be guessed, and one
    look-up by an indexed hash serves a request.
    """

    account = models.ForeignKey(
        Account, models.PROTECT, null=True, blank=True, related_name="tokens"
    )
    name = models.CharField(_("name"), max_length=80)
    prefix = models.CharField(_("prefix"), max_length=16, db_index=True)
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    resources = models.JSONField(_("objects"), default=list)
    actions = models.JSONField(_("actions"), default=list)
    events = models.JSONField(_("events"), default=list)
    switch = models.CharField(_("switch"), max_length=64, blank=True)
    networks = models.JSONField(
        _("allowed networks"),
        default=list,
        db_default=Value([], models.JSONField()),
        blank=True,
    )
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"))
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    last_used_address = models.CharField(_("last used from"), max_length=64, blank=True)

    access_kind = "token"

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def is_live(self) -> bool:
        """Whether the token would be accepted now."""
        return self.revoked_at is None and self.expires_at > timezone.now()

    @property
    def seconds_left(self) -> float:
        """The seconds until it expires; below 0 if it has expired."""
        return (self.expires_at - timezone.now()).total_seconds()

    @property
    def ends_soon(self) -> bool:
        """Whether it is time to replace the token."""
        return self.expires_at < timezone.now() + WARN_BEFORE


class Invitation(models.Model):
    """A mailed link by which a person joins, with a role in an account or as an operator.

    `invited_by` is None if a part of the system made the invitation.
    """

    account = models.ForeignKey(
        Account, models.PROTECT, null=True, blank=True, related_name="invitations"
    )
    email = models.EmailField(_("email address"))
    role = models.CharField(_("role"), max_length=16, choices=Role.choices, blank=True)
    grants = models.JSONField(_("grants"), default=list, blank=True)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(_("invited"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"))
    accepted_at = models.DateTimeField(_("accepted"), null=True, blank=True)
    accepted_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="invitations"
    )
    withdrawn_at = models.DateTimeField(_("withdrawn"), null=True, blank=True)

    access_kind = "invitation"

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.email

    @property
    def is_open(self) -> bool:
        """Whether the link would still be accepted now."""
        return (
            self.accepted_at is None
            and self.withdrawn_at is None
            and self.expires_at > timezone.now()
        )


class CodeGuard(models.Model):
    """Prevents a user's codes from being guessed or used twice; allauth stores the secrets.

    `last_step`: the time step of the newest code that was used (RFC 6238, section 5.2).
    """

    user = models.OneToOneField(User, models.CASCADE, related_name="code_guard")
    last_step = models.BigIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    blocked_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("code guard")
        verbose_name_plural = _("code guards")
