"""A schema of an earlier release, for a test of what its migration makes of the rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor


@contextmanager
def models_at(app: str, migration: str) -> Iterator[Any]:
    """The models as of one migration, on its tables; the newest schema is back at the end."""
    target = [(app, migration)]
    executor = MigrationExecutor(connection)
    executor.migrate(target)
    try:
        yield executor.loader.project_state(target).apps
    finally:
        migrate_forward()


def migrate_forward() -> None:
    """Apply every migration that is left."""
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
