"""A schema of an earlier release, for tests of what its migration does to existing rows."""

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
    """Yield the models as of one migration, with their tables.

    They are in a separate database, to which the default connection points during the block.
    Migrating a new database up to there takes a tenth of the time of migrating a complete one back.
    """
    target = [(app, migration)]
    with _another_database():
        executor = MigrationExecutor(connection)
        executor.migrate(target)
        yield executor.loader.project_state(target).apps


def migrate_forward(*apps: str) -> None:
    """Apply every remaining migration, or those of these apps and what they depend on."""
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    executor.migrate([leaf for leaf in leaves if not apps or leaf[0] in apps])


@contextmanager
def _another_database() -> Iterator[None]:
    """Create an empty database in place of the test's, on the same server, during the block."""
    usual = connection.copy()  # settings and server: the default connection changes
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
    """Run the statement on PostgreSQL. SQLite needs none: its file is created when it is opened."""
    if usual.vendor == "postgresql":
        with usual._nodb_cursor() as cursor:
            cursor.execute(statement)
