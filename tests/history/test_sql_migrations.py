"""An index that is added while rows are written, on both databases."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import models
from django.db.migrations.state import ModelState, ProjectState
from django.db.utils import ConnectionHandler
from environ import Env

from poolsite.sql_migrations import AddIndexWithoutLock
from tests.support.postgres import PostgresServer

APP, TABLE = "calls", "calls_call"
INDEX = models.Index(fields=["number"], name="call_number")


pytestmark = pytest.mark.processes


def opened(url: str) -> Any:
    return ConnectionHandler({"default": Env.db_url_config(url)})["default"]


@pytest.fixture
def sqlite(tmp_path: Path, django_db_blocker: Any) -> Iterator[Any]:
    """A connection to an empty file of its own."""
    with django_db_blocker.unblock():
        yield (connection := opened(f"sqlite:///{tmp_path / 'calls.sqlite3'}"))
        connection.close()


@pytest.fixture
def postgres(postgres_server: PostgresServer, django_db_blocker: Any) -> Iterator[Any]:
    """A connection to a database of its own."""
    with django_db_blocker.unblock():
        yield (connection := opened(postgres_server.create_database()))
        connection.close()


def states() -> tuple[ProjectState, ProjectState]:
    """Return the models before and after the operation."""
    before = ProjectState()
    fields = [
        ("id", models.BigAutoField(primary_key=True)),
        ("number", models.CharField(max_length=20)),
    ]
    before.add_model(ModelState(APP, "Call", fields))
    after = before.clone()
    AddIndexWithoutLock("call", INDEX).state_forwards(APP, after)
    return before, after


def indexes(connection: Any) -> set[str]:
    with connection.cursor() as cursor:
        return set(connection.introspection.get_constraints(cursor, TABLE))


def made(connection: Any) -> tuple[ProjectState, ProjectState]:
    """Create the table of the first state. Return both states, like `states`."""
    before, after = states()
    with connection.schema_editor(atomic=False) as editor:
        editor.create_model(before.apps.get_model(APP, "Call"))
    return before, after


@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgres", marks=pytest.mark.needs("postgres"))]
)
def test_it_is_added_and_removed_outside_of_a_transaction(
    database: str, request: pytest.FixtureRequest
) -> None:
    connection = request.getfixturevalue(database)
    before, after = made(connection)
    operation = AddIndexWithoutLock("call", INDEX)
    with connection.schema_editor(atomic=False) as editor:
        operation.database_forwards(APP, editor, before, after)
        assert INDEX.name in indexes(connection)
        operation.database_backwards(APP, editor, after, before)
    assert INDEX.name not in indexes(connection)
