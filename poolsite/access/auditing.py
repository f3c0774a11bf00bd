"""Writes the audit log: one entry per change, in the transaction of the change."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models

from poolsite.access import context
from poolsite.access.principal import Principal, ref_of

if TYPE_CHECKING:
    from poolsite.access.models import AuditEntry, User

Values = Mapping[str, Any]


class NotInTransaction(RuntimeError):  # noqa: N818  reads as what it states
    """audit() was called outside a transaction: the entry or the change alone could be saved."""


def audit(
    *,
    actor: "Principal | User | str",
    action: str,
    thing: object | None = None,
    before: Values | None = None,
    after: Values | None = None,
    reason: str = "",
    job: str | None = None,
    label: str = "",
) -> "AuditEntry":
    """Append one entry, which commits or rolls back together with the change around it.

    actor: a principal, a user, or the name of a part of the system (`numbers.sweep`).
    thing: the object of the change: a row, a `Thing`, or None. `label` overrides its shown name.
    before, after: what changed, as JSON values. Leave out what stayed the same, and secrets.

    Raise NotInTransaction outside `transaction.atomic()`.
    """
    from poolsite.access.models import AuditEntry

    if not connection.in_atomic_block:
        raise NotInTransaction(action)
    kind, actor_id, name = describe_actor(actor)
    where = context.current()
    return AuditEntry.objects.create(
        actor_kind=kind,
        actor_id=actor_id,
        actor_name=name[:150],
        account_id=getattr(thing, "account_id", None),
        action=action,
        **describe_thing(thing, label),
        before=None if before is None else dict(before),
        after=None if after is None else dict(after),
        reason=reason,
        job=job or "",
        request_id=where.request_id,
        address=where.address,
    )


def as_kept(values: Values) -> dict[str, Any]:
    """Return the values as the log stores them: JSON, with related rows by their slugs."""
    plain = {name: _plain(value) for name, value in values.items()}
    kept: dict[str, Any] = json.loads(json.dumps(plain, cls=DjangoJSONEncoder))
    return kept


def _plain(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(each, models.Model) for each in value):
        return sorted(_plain(each) for each in value)
    return getattr(value, "slug", value.pk) if isinstance(value, models.Model) else value


def describe_actor(actor: "Principal | User | str") -> tuple[str, str, str]:
    """Return the kind, ID and name of an actor as the log stores them."""
    if isinstance(actor, str):
        return "system", "", actor
    if isinstance(actor, Principal):
        return actor.kind, actor.id, actor.name or actor.kind
    return "user", str(actor.pk), actor.get_username()


def describe_thing(thing: object | None, label: str = "") -> dict[str, str]:
    """Return the fields by which an object's entries are found: kind, ID and label.

    The ID of an object with a slug is its slug, else its primary key. A part of an object (a number
    of a pool) has the ID of the whole, unless its `audit_ref` names the part (a queue of a desk).
    """
    if thing is None:
        return {"thing_kind": "", "thing_id": "", "thing_label": label[:200]}
    ref = getattr(thing, "audit_ref", "") or (ref_of(thing) if hasattr(thing, "slug") else "")
    if ref:
        kind, _, identity = ref.partition(":")
    else:
        kind = getattr(thing, "access_kind", None) or type(thing).__name__.lower()
        identity = str(thing.pk if isinstance(thing, models.Model) else getattr(thing, "id", ""))
    shown = label or (str(thing) if isinstance(thing, models.Model) else identity)
    return {"thing_kind": kind[:64], "thing_id": identity[:64], "thing_label": shown[:200]}
