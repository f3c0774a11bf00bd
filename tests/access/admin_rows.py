"""A row of every model that the admin lists, with a marker in every secret."""

import uuid
from datetime import date, timedelta
from typing import Any

from django.contrib import admin
from django.db import models
from django.utils import timezone

from poolsite.access.models import User
from tests.access.world import World

# What no page of the admin may show and no filter may use: (model, field).
SECRETS = {
    ("access.User", "password"),
    ("access.ApiToken", "secret_hash"),
    ("access.Invitation", "token_hash"),
    ("mfa.Authenticator", "data"),
    ("account.EmailConfirmation", "key"),
    ("socialaccount.SocialApp", "key"),  # this table and the next one stay empty
    ("socialaccount.SocialApp", "secret"),
    ("socialaccount.SocialToken", "token"),
    ("socialaccount.SocialToken", "token_secret"),
    ("usersessions.UserSession", "session_key"),
    ("sessions.Session", "session_key"),
    ("sessions.Session", "session_data"),
    ("axes.AccessLog", "session_hash"),
    ("operations.NoticeTarget", "secret"),
    ("operations.WebhookEndpoint", "secret"),
    ("operations.WebhookEndpoint", "old_secret"),
    ("billing.Recharge", "token"),
    ("billing.Recharge", "extra_data"),
    ("billing.PaymentMethod", "reference"),
    ("billing.PaymentMethod", "customer"),
    ("admission.Gate", "signing_key"),
    ("admission.Gate", "previous_signing_key"),
    ("line.IdentityKey", "secret"),  # shown once, on the page where it is created
}
# Fields that are no secrets, though their names look like it.
NOT_SECRET = {
    ("access.IdempotentRequest", "key"),  # opens nothing without its credential
    ("admission.Gate", "key"),  # its name on the external system
    ("admission.GateEvent", "token"),  # a fencing number, which proves nothing
    ("admission.Task", "token"),
    ("billing.HoldIntent", "body_hash"),  # of a message's text, to recognise a repetition
    ("billing.Message", "body_hash"),
    ("line.BlockedVisitor", "key"),  # the visitor's name or address
    ("line.Visit", "visitor_key"),  # a hash of such a key
    ("numbers.HealthSlot", "key"),
    ("operations.WebhookEndpoint", "old_secret_until"),  # a time
}
LOOKS_SECRET = ("password", "secret", "hash", "token", "session_", "signing", "totp", "key")
MARK = "SECRETWORD"


def secret_of(label: str, field: str) -> str:
    """Return the marker that a secret contains. It is short enough for every column."""
    return f"{MARK}-{sorted(SECRETS).index((label, field)):02}"


def make_rows(world: World) -> dict[type[models.Model], models.Model]:
    """Write a row of each registered model for the account `own`, without the services."""
    rows: dict[type[models.Model], models.Model] = {
        type(world.own): world.own,
        User: world.users["agent"],
    }
    for model in list(admin.site._registry):
        _row(model, rows)
    for model, row in rows.items():
        marks = {field: secret_of(label, field) for label, field in SECRETS if _is(model, label)}
        if marks:
            model._default_manager.filter(pk=row.pk).update(**marks)
    return rows


def _is(model: type[models.Model], label: str) -> bool:
    return model._meta.label == label


def _row(model: type[models.Model], rows: dict[type[models.Model], models.Model]) -> models.Model:
    if model not in rows:
        needed = {
            field.name: _value(field, rows)
            for field in model._meta.concrete_fields
            if _is_needed(field)
        }
        rows[model] = model(**needed)
        rows[model].save()
    return rows[model]


def _is_needed(field: Any) -> bool:
    given = field.has_default() or field.primary_key or getattr(field, "auto_now_add", False)
    owner = field.is_relation and field.name in ("account", "desk", "queue", "recharge")
    return owner or not (field.null or given or getattr(field, "auto_now", False))


def _value(field: Any, rows: dict[type[models.Model], models.Model]) -> Any:
    if field.is_relation:
        return _row(field.related_model, rows)
    if field.choices:
        return next(value for value, _ in field.flatchoices if value != "")
    for kind, value in _VALUES:
        if isinstance(field, kind):
            return value(field)
    raise LookupError(f"{field.model._meta.label}.{field.name}")


_VALUES: tuple[tuple[type[Any], Any], ...] = (
    (models.DateTimeField, lambda _: timezone.now() + timedelta(days=1)),
    (models.DateField, lambda _: date(2026, 1, 1)),
    (models.UUIDField, lambda _: uuid.uuid4()),
    (models.JSONField, lambda _: {}),
    (models.BooleanField, lambda _: False),
    (models.DecimalField, lambda _: 1),
    (models.IntegerField, lambda _: 1),
    (models.GenericIPAddressField, lambda _: "127.0.0.1"),
    (models.EmailField, lambda _: "row@example.com"),
    (models.TextField, lambda field: f"row-{field.name}"),
    (models.CharField, lambda field: f"row-{field.name}".replace("_", "-")[: field.max_length]),
)
