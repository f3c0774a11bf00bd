"""The audit log: who did what to which object, from what to what, and why."""

from typing import Any, Never

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils.translation import gettext_lazy as _

from poolsite.access.models.tenants import Account


class AppendOnly(Exception):  # noqa: N818  reads as what it states
    """Raised if an entry of the audit log would be changed or removed."""


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """Allows reads and inserts only. Database triggers refuse everything else, too."""

    def _refuse(self, *args: Any, **kwargs: Any) -> Never:
        raise AppendOnly("the audit log takes new entries only")

    update = delete = bulk_update = update_or_create = _refuse


class AuditEntry(models.Model):
    """One change by an actor. Written by `access.audit` in the transaction of the change."""

    at = models.DateTimeField(_("at"), auto_now_add=True)
    actor_kind = models.CharField(_("actor type"), max_length=16)
    actor_id = models.CharField(_("actor id"), max_length=64, blank=True)
    actor_name = models.CharField(_("user"), max_length=150)
    account = models.ForeignKey(
        Account, models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    action = models.CharField(_("action"), max_length=64)
    thing_kind = models.CharField(_("object type"), max_length=64, blank=True)
    thing_id = models.CharField(_("object id"), max_length=64, blank=True)
    thing_label = models.CharField(_("object"), max_length=200, blank=True)
    before = models.JSONField(_("before"), null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(_("after"), null=True, encoder=DjangoJSONEncoder)
    reason = models.TextField(_("why"), blank=True)
    job = models.CharField(_("job"), max_length=64, blank=True)
    request_id = models.CharField(_("request"), max_length=64, blank=True)
    address = models.CharField(_("address"), max_length=64, blank=True)

    objects = AuditQuerySet.as_manager()

    access_kind = "audit"

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit log")
        ordering = ["-id"]
        base_manager_name = "objects"
        default_permissions = ("view",)
        indexes = [
            models.Index(fields=["thing_kind", "thing_id", "-id"], name="access_audit_thing"),
            models.Index(fields=["actor_name", "-id"], name="access_audit_actor"),
            models.Index(fields=["account", "-id"], name="access_audit_account"),
            models.Index(fields=["action", "-id"], name="access_audit_action"),
            models.Index(fields=["job", "-id"], name="access_audit_job"),
            models.Index(fields=["thing_kind", "-id"], name="access_audit_kind"),
            models.Index(fields=["-at", "-id"], name="access_audit_at"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.action} {self.thing_label}".rstrip()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the entry. Raise AppendOnly if it already exists."""
        if not self._state.adding:
            raise AppendOnly("an audit entry never changes")
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> Never:
        """Raise AppendOnly."""
        raise AppendOnly("an audit entry is never removed")
