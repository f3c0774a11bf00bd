"""A schema of an earlier release, for a test of what its migration makes of the rows."""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.support.connecting import connected_to


@contextmanager
def models_at(app: str, migration: str) -> Iterator[Any]:
    """The models as of one migration, on its tables.

    They are in a database of its own, to which the default connection leads meanwhile: migrating
    a new one so far takes a tenth of the time of taking a migrated one back.
    """
    target = [(app, migration)]
    with _another_database():
        executor = MigrationExecutor(connection)
        executor.migrate(target)
        yield executor.loader.project_state(target).apps


def migrate_forward(*apps: str) -> None:
    """Apply every migration that is left, or those of these apps and what they need."""
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    executor.migrate([leaf for leaf in leaves if not apps or leaf[0] in apps])


@contextmanager
def _another_database() -> Iterator[None]:
    """An empty database in place of the test's, on the same server."""
    usual = connection.copy()  # for settings and server: the default one leads elsewhere meanwhile
    options = {name: its for name, its in usual.settings_dict["OPTIONS"].items() if name != "pool"}
    with tempfile.TemporaryDirectory() as folder:
        name = f"test_{secrets.token_hex(4)}"
        place = str(Path(folder) / name) if usual.vendor == "sqlite" else name
        _on_the_server(usual, f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            with connected_to({**usual.settings_dict, "NAME": place, "OPTIONS": options}):
                yield
        finally:
            _on_the_server(usual, f"DROP DATABASE {name}")


def _on_the_server(usual: Any, statement: str) -> None:
    """PostgreSQL is told; SQLite's file comes and goes by itself."""
    if usual.vendor == "postgresql":
        with usual._nodb_cursor() as cursor:
            cursor.execute(statement)
