"""Operations of migrations that let the former release go on (docs/operations/upgrade.md)."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations import AddConstraint, AddIndex
from django.db.models import CheckConstraint


class AddIndexWithoutLock(AddIndexConcurrently):
    """Add an index while rows are written: concurrently on PostgreSQL, as usual on SQLite.

    Its migration needs `atomic = False`; in a transaction PostgreSQL raises NotSupportedError. If
    it fails halfway, PostgreSQL keeps an invalid index: drop it, then migrate again.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        """Add it."""
        _way_of(schema_editor).database_forwards(self, app_label, schema_editor, *states)

    def database_backwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        """Remove it."""
        _way_of(schema_editor).database_backwards(self, app_label, schema_editor, *states)


def _way_of(schema_editor: Any) -> type[AddIndex]:
    is_postgres = schema_editor.connection.vendor == "postgresql"
    return AddIndexConcurrently if is_postgres else AddIndex


class AddLooserCheck(AddConstraint):
    """Put a check in place of a tighter one (`instead_of`) while the former release writes rows.

    Every row that the tighter one let through passes the new one: that is the caller's promise, and
    why PostgreSQL need not read the table (NOT VALID). Both change in one statement on PostgreSQL;
    SQLite makes the table anew, as for every change of its checks.
    """

    def __init__(self, model_name: str, constraint: CheckConstraint, instead_of: str) -> None:
        self.instead_of = instead_of
        super().__init__(model_name, constraint)

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """How a migration writes it."""
        name, args, values = super().deconstruct()
        return name, list(args), {**values, "instead_of": self.instead_of}

    def describe(self) -> str:
        """What `migrate --plan` says."""
        return f"Loosen {self.instead_of} of {self.model_name} to {self.constraint.name}"

    def state_forwards(self, app_label: str, state: Any) -> None:
        """The one instead of the other."""
        state.remove_constraint(app_label, self.model_name_lower, self.instead_of)
        super().state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        """Replace the tighter check."""
        model = to_state.apps.get_model(app_label, self.model_name)
        if not self.allow_migrate_model(schema_editor.connection.alias, model):
            return
        if schema_editor.connection.vendor == "postgresql":
            _replace_check(schema_editor, model, self.instead_of, self.constraint)
        else:
            schema_editor.add_constraint(model, self.constraint)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        """Put the tighter check back; it refuses where a row already needs the looser one."""
        model = to_state.apps.get_model(app_label, self.model_name)
        if not self.allow_migrate_model(schema_editor.connection.alias, model):
            return
        tighter = next(each for each in model._meta.constraints if each.name == self.instead_of)
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.remove_constraint(model, self.constraint)
        schema_editor.add_constraint(model, tighter)


def _replace_check(schema_editor: Any, model: Any, old: str, new: Any) -> None:
    added = new.constraint_sql(model, schema_editor)
    table, name = (schema_editor.quote_name(each) for each in (model._meta.db_table, old))
    schema_editor.execute(
        f"ALTER TABLE {table} DROP CONSTRAINT {name}, ADD {added} NOT VALID", params=None
    )
