"""A thread that reads SQL for an event loop keeps its SQLite connection only for a moment."""

import pytest
from channels.db import database_sync_to_async
from django.db import connection

from poolsite import sql_connections

pytestmark = pytest.mark.django_db(transaction=True)


def finds_a_connection() -> bool:
    """Return whether this thread still has a connection from its last read, and open one."""
    found = connection.connection is not None
    connection.ensure_connection()
    return found


async def second_finds_one(monkeypatch: pytest.MonkeyPatch, kept_seconds: float) -> bool:
    monkeypatch.setattr(sql_connections, "KEPT_SECONDS", kept_seconds)
    with sql_connections.sql_threads(1, "one") as executor:
        read = database_sync_to_async(finds_a_connection, thread_sensitive=False, executor=executor)
        assert not await read()
        return bool(await read())


async def test_the_next_reading_finds_sqlites_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL's connection goes back to the pool, where other threads wait for it."""
    assert await second_finds_one(monkeypatch, 60.0) is (connection.vendor == "sqlite")


async def test_an_old_connection_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not await second_finds_one(monkeypatch, 0.0)
