"""Operations of migrations that let the former release go on (docs/operations/upgrade.md)."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations import AddIndex


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
