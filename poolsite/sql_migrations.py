"""Migration operations that let the previous release keep running (docs/operations/upgrade.md)."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations import AddConstraint, AddIndex
from django.db.models import CheckConstraint


class AddIndexWithoutLock(AddIndexConcurrently):
    """Add an index while rows are written: concurrently on PostgreSQL, as usual on SQLite.

    The migration needs `atomic = False`; in a transaction PostgreSQL raises NotSupportedError. If
    it fails halfway, PostgreSQL keeps an invalid index: drop it, then migrate again.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        """Add the index."""
        _way_of(schema_editor).database_forwards(self, app_label, schema_editor, *states)

    def database_backwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        """Remove the index."""
        _way_of(schema_editor).database_backwards(self, app_label, schema_editor, *states)


def _way_of(schema_editor: Any) -> type[AddIndex]:
    is_postgres = schema_editor.connection.vendor == "postgresql"
    return AddIndexConcurrently if is_postgres else AddIndex


class AddLooserCheck(AddConstraint):
    """Replace a tighter check (`instead_of`) while the previous release writes rows.

    The caller promises that every row that passed the tighter check passes the new one. So
    PostgreSQL need not read the table (NOT VALID). PostgreSQL changes both in one statement. SQLite
    rebuilds the table, as for every change of a check.
    """

    def __init__(self, model_name: str, constraint: CheckConstraint, instead_of: str) -> None:
        self.instead_of = instead_of
        super().__init__(model_name, constraint)

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Return the arguments that a migration file contains."""
        name, args, values = super().deconstruct()
        return name, list(args), {**values, "instead_of": self.instead_of}

    def describe(self) -> str:
        """Return the text that `migrate --plan` shows."""
        return f"Loosen {self.instead_of} of {self.model_name} to {self.constraint.name}"

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Replace the tighter check in the state."""
        state.remove_constraint(app_label, self.model_name_lower, self.instead_of)
        super().state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        """Replace the tighter check in the database."""
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
        """Restore the tighter check. This fails if a row already needs the looser one."""
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
