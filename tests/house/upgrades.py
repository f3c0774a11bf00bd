"""Whether the former release keeps working while new migrations run: docs/operations/upgrade.md.

The former release is known by its migrations (tests/data/former_release.json). Its processes read
and write the tables and columns of its models, so the new migrations may add to those and remove
none.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.migrations import operations as ops
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import Field, ManyToManyField
from django.db.models.fields import NOT_PROVIDED

from poolsite.history.partitioning import PartitionByMonth
from poolsite.sql_migrations import AddIndexWithoutLock, AddLooserCheck
from tests.support import former

LATER = "stop using it now (a state operation), and remove it in the next release"
LOCKS = "locks the table: use AddIndexWithoutLock in a migration with atomic = False"


def faults() -> list[str]:
    """Return each fault of a migration newer than the former release. There must be none."""
    loader = MigrationLoader(None)
    released = list(former.migrations().items())
    known = {key for leaf in released for key in loader.graph.forwards_plan(leaf)}
    state = loader.project_state(released)
    before = state.clone()
    found = []
    for key in _newer(loader, known):
        migration = loader.graph.nodes[key]
        found += [f"{'.'.join(key)}: {text}" for text in judge(migration, before, state)]
    return found


def _newer(loader: MigrationLoader, known: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the project's migrations that are not in `known`, in the order in which they run."""
    for leaf in sorted(loader.graph.leaf_nodes()):
        if leaf[0] in former.migrations():
            for key in loader.graph.forwards_plan(leaf):
                if key not in known:
                    known.add(key)
                    yield key


def judge(migration: Migration, released: ProjectState, state: ProjectState) -> list[str]:
    """Return what is wrong with a migration, and move `state` past it."""
    found: list[str] = []
    app = migration.app_label
    for operation in migration.operations:
        before = state.clone()
        operation.state_forwards(app, state)
        for each in _on_the_database(operation):
            found += _judged(each, app, released, before)
            if isinstance(each, AddIndexWithoutLock | PartitionByMonth) and migration.atomic:
                found.append(f"{each.describe()}: needs atomic = False")
    return found


def _on_the_database(operation: Operation) -> Sequence[Operation]:
    if isinstance(operation, ops.SeparateDatabaseAndState):
        return operation.database_operations
    return [operation]


def _judged(
    operation: Any, app: str, released: ProjectState, before: ProjectState
) -> Iterator[str]:
    name = getattr(operation, "model_name", getattr(operation, "name", "")) or ""
    model = released.models.get((app, name.lower()))
    text = operation.describe()
    match operation:
        case ops.RunSQL():
            yield f"{text}: SQL can't be judged; use Django's operations"
        case ops.RenameModel() if (app, operation.old_name.lower()) in released.models:
            yield f"{text}: the former release uses the old name; add, copy, and {LATER}"
        case _ if model is None:
            return  # the former release has no such table
        case ops.DeleteModel() | ops.AlterModelTable():
            yield f"{text}: the former release uses the table; {LATER}"
        case ops.RemoveField() if operation.name in model.fields:
            yield f"{text}: the former release reads the column; {LATER}"
        case ops.RenameField() if operation.old_name in model.fields:
            yield f"{text}: the former release uses the old name; add, copy, and {LATER}"
        case ops.AddField():
            yield from (f"{text}: {why}" for why in _added(operation.field))
        case ops.AlterField() if operation.name in model.fields:
            old = before.models[app, name.lower()].fields[operation.name]
            yield from (f"{text}: {why}" for why in _altered(old, operation.field))
        case ops.AddIndex() if not isinstance(operation, AddIndexWithoutLock):
            yield f"{text}: {LOCKS}"
        case AddLooserCheck():
            return  # the rows already pass a stricter check
        case ops.AddConstraint() | ops.AlterUniqueTogether():
            yield f"{text}: rows of the former release may break it, and it locks the table"


def _added(field: "Field[Any, Any]") -> Iterator[str]:
    if isinstance(field, ManyToManyField):
        return  # a separate table
    if not field.null and field.db_default is NOT_PROVIDED:
        yield "the former release inserts rows without it; give it a db_default, or null=True"
    if field.unique or field.db_index:
        yield f"its index {LOCKS}"


def _altered(old: "Field[Any, Any]", new: "Field[Any, Any]") -> Iterator[str]:
    if old.null and not new.null:
        yield "the former release may write NULL"
    if old.get_internal_type() != new.get_internal_type():
        yield "another type rewrites the table under a lock"
    lengths = (old.max_length or 0, new.max_length or 0)
    if lengths[1] and lengths[1] < (lengths[0] or sys.maxsize):
        yield "the former release may write longer values"
    if (new.unique and not old.unique) or (new.db_index and not old.db_index):
        yield f"its index {LOCKS}"
