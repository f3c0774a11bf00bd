"""What every app does to the row of an aggregate or of an object with settings.

It saves the changed row and writes the audit entry. All but `begin_anew` run in the caller's
transaction, on a row that it has locked. Commands to Redis follow the commit
(`poolsite.hotpath.rows.send_after_commit`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.access.auditing import as_kept, audit
from poolsite.access.services.actor import Actor, name_of
from poolsite.hotpath import generation_new
from poolsite.hotpath.rows import AggregateRow, PausableRow, RedisRow

Row = TypeVar("Row", bound=Model)
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """The actor, action and reason that the audit entries of a use case have in common."""

    actor: Actor
    action: str
    reason: str

    def write(self, row: Model, before: Values | None, after: Values | None = None) -> None:
        """Append the audit entry, in the change's transaction."""
        audit(
            actor=self.actor,
            action=self.action,
            thing=row,
            before=None if before is None else as_kept(before),
            after=None if after is None else as_kept(after),
            reason=self.reason,
        )


def require_known(settings: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raise ValidationError if a setting is not one of `known`."""
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise ValidationError(_("Unknown setting: %(name)s.") % {"name": unknown[0]})


def configure(
    row: Row, changes: Mapping[str, Any], check: Callable[[Row], None], act: Act
) -> list[str]:
    """Change settings. Return the names of those that differ; none if nothing was written.

    check: called with the changed row before it is saved; raises ValidationError. The value of a
    many-to-many field is a list.
    """
    many = {field.name for field in row._meta.many_to_many}
    before = {
        name: list(getattr(row, name).all()) if name in many else getattr(row, name)
        for name in changes
    }
    changed = {
        name: value
        for name, value in changes.items()
        if (set(value) != set(before[name]) if name in many else value != before[name])
    }
    if not changed:
        return []
    for name in changed.keys() - many:
        setattr(row, name, changed[name])
    check(row)
    row.save(update_fields=[name for name in changed if name not in many])
    for name in changed.keys() & many:
        getattr(row, name).set(changed[name])
    act.write(row, {name: before[name] for name in changed}, changed)
    return list(changed)


def pause(row: PausableRow, act: Act) -> bool:
    """Mark the row as paused, from now. Return False if it was paused before."""
    if row.paused_at is not None:
        return False
    row.paused_at, row.paused_by = timezone.now(), name_of(act.actor)
    row.paused_reason = act.reason
    row.save(update_fields=["paused_at", "paused_by", "paused_reason"])
    act.write(row, {"status": "open"}, {"status": "paused"})
    return True


def resume(row: PausableRow, act: Act) -> bool:
    """Mark the row as no longer paused. Return False if it was not paused."""
    if row.paused_at is None:
        return False
    before = {"status": "paused", "reason": row.paused_reason}
    row.paused_at, row.paused_by, row.paused_reason = None, "", ""
    row.save(update_fields=["paused_at", "paused_by", "paused_reason"])
    act.write(row, before, {"status": "open"})
    return True


def open_early(row: AggregateRow, act: Act, *, was_open: bool) -> None:
    """Mark the row as no longer recovering.

    `was_open`: Redis reported that it was open already, so there is no change to audit.
    """
    row.recovering_since = None
    row.save(update_fields=["recovering_since"])
    if not was_open:
        act.write(row, {"status": "recovering"}, {"status": "open"})


def begin_anew(
    row: RedisRow, act: Act, *others: int, moments: Sequence[str] = ("recovering_since",)
) -> int | None:
    """Start a new generation of the aggregate in SQL: its data must be created again in Redis.

    Return the new generation, later than the row's and all `others` (0 if none is known). Return
    None if another worker did this first: only the first one to raise the generation does, in a
    transaction of its own. moments: columns that store since when.
    """
    before = row.generation
    after = generation_new(before, *others)
    with transaction.atomic():
        rows: Any = type(row)._default_manager
        changes = {"generation": after, **dict.fromkeys(moments, timezone.now())}
        if not rows.filter(pk=row.pk, generation=before).update(**changes):
            return None
        act.write(row, {"generation": before}, {"generation": after})
    row.refresh_from_db()
    return after


def delete(row: AggregateRow, act: Act, **before: Any) -> None:
    """Mark the row as deleted. Its history stays, and its slug is not used again."""
    row.deleted_at = timezone.now()
    row.save(update_fields=["deleted_at"])
    act.write(row, {**before, "name": row.name})
