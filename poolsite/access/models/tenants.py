"""Accounts (tenants), users, and what connects them: memberships and grants."""

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

SLUG = RegexValidator(
    r"^[a-z0-9-]{1,40}\Z", _("Use 1 to 40 lowercase letters, digits and hyphens."), code="slug"
)
# Words that addresses use where a slug can be: /accounts/new/ is a page.
RESERVED_SLUGS = frozenset({"new"})
THING = RegexValidator(
    r"^[a-z]+:([a-z0-9-]{1,40}|\*)\Z",
    _("Use the form type:slug, such as desk:support."),
    code="thing",
)


def refuse_reserved(slug: str) -> None:
    """Raise ValidationError for a slug that an address already uses for something else."""
    if slug in RESERVED_SLUGS:
        raise ValidationError(
            {"slug": _("%(slug)s is reserved. Choose another short name.") % {"slug": slug}}
        )


class Account(models.Model):
    """A tenant. Objects without an account belong to the platform. The slug never changes."""

    slug = models.CharField(_("slug"), max_length=40, unique=True, validators=[SLUG])
    name = models.CharField(_("name"), max_length=120)
    zone = models.CharField(_("time zone"), max_length=64, default="Asia/Shanghai")
    currency = models.CharField(_("currency"), max_length=3, default="CNY")
    locale = models.CharField(_("language"), max_length=16, default="en")
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    access_kind = "account"

    class Meta:
        verbose_name = _("account")
        verbose_name_plural = _("accounts")
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save. Raise ValidationError if the slug has changed (Redis keys contain it)."""
        stored = self.__dict__.get("_stored_slug")
        if stored is None:
            refuse_reserved(self.slug)
        if stored is not None and stored != self.slug:
            raise ValidationError({"slug": _("The short name can't be changed.")})
        super().save(*args, **kwargs)
        self._stored_slug: str | None = self.slug

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> "Account":
        """Remember the slug as read, so that save() can refuse another one."""
        account = super().from_db(*args, **kwargs)
        vars(account)["_stored_slug"] = account.__dict__.get("slug")
        return account

    @property
    def account_id(self) -> int:
        """The account that this object belongs to: the account itself."""
        return self.pk


class User(AbstractUser):
    """A person who logs in, by user name or email address."""

    is_operator = models.BooleanField(
        _("operator"), default=False, help_text=_("Platform staff who can see every account.")
    )
    zone = models.CharField(_("time zone"), max_length=64, blank=True)
    locale = models.CharField(_("language"), max_length=16, blank=True)
    sessions_epoch = models.PositiveIntegerField(default=0, editable=False)
    # Whether a group of the log-in provider gave this right and may take it
    # (services.single_sign_on).
    operator_by_group = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(Lower("username"), name="access_user_username_any_case"),
            models.UniqueConstraint(
                Lower("email"), condition=~models.Q(email=""), name="access_user_email_any_case"
            ),
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save. Operators may use the admin (`is_staff`)."""
        self.is_operator = self.is_operator or self.is_superuser
        self.is_staff = self.is_operator
        fields = kwargs.get("update_fields")
        if fields is not None and {"is_operator", "is_superuser"} & set(fields):
            kwargs["update_fields"] = {*fields, "is_staff", "is_operator"}
        super().save(*args, **kwargs)

    @property
    def account_id(self) -> None:
        """Always None: a person may belong to several accounts."""
        return None

    @property
    def display_name(self) -> str:
        """The name that pages show: the full name, else the user name."""
        return self.get_full_name() or self.get_username()

    def get_session_auth_hash(self) -> str:
        """Return the hash in the user's sessions: a new password or epoch ends every session."""
        return self._session_hash()

    def get_session_auth_fallback_hash(self) -> Any:
        """Yield the session hash by each older secret key that is still accepted."""
        from django.conf import settings

        for secret in settings.SECRET_KEY_FALLBACKS:
            yield self._session_hash(secret)

    def _session_hash(self, secret: str | bytes | None = None) -> str:
        salt = "poolsite.access.User.session"
        value = f"{self.password}:{self.sessions_epoch}"
        return salted_hmac(salt, value, secret=secret, algorithm="sha256").hexdigest()


class Role(models.TextChoices):
    """A member's role in an account; one membership each."""

    OWNER = "owner", _("Owner")
    ADMIN = "admin", _("Administrator")
    PAYER = "payer", _("Payer")
    SENDER = "sender", _("Sender")
    SUPERVISOR = "supervisor", _("Supervisor")
    AGENT = "agent", _("Agent")


class GrantName(models.TextChoices):
    """What an operator may do on the platform, or any user with one object."""

    OPERATE = "operate", _("Operate")
    FINANCE = "finance", _("Finance")
    SUPERVISE = "supervise", _("Supervise")


class Membership(models.Model):
    """A user's role in an account; a user may have several."""

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    account = models.ForeignKey(Account, models.PROTECT, related_name="memberships")
    role = models.CharField(_("role"), max_length=16, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)
    by_group = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "account", "role"], name="access_membership_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.account} · {self.get_role_display()}"


class Grant(models.Model):
    """A permission in addition to roles, for one object (`desk:support`) or, if blank, for all.

    A grant with an account, given by its owner, counts for the objects of that account only.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="grants")
    name = models.CharField(_("grant"), max_length=16, choices=GrantName.choices)
    thing = models.CharField(_("object"), max_length=60, blank=True, validators=[THING])
    account = models.ForeignKey(
        Account, models.CASCADE, null=True, blank=True, related_name="grants"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    by_group = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta:
        verbose_name = _("grant")
        verbose_name_plural = _("grants")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "name", "thing"],
                condition=models.Q(account__isnull=True),
                name="access_grant_once",
            ),
            models.UniqueConstraint(
                fields=["user", "name", "thing", "account"], name="access_grant_once_in_account"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.name} {self.thing}".rstrip()
