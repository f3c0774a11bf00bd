"""Prepare each worker's test database: with SQLite, a copy of a file that is already migrated."""

from collections.abc import Iterator
from pathlib import Path

import channels.db
import pytest
from django.conf import settings
from django.contrib.auth.hashers import get_hashers, get_hashers_by_algorithm
from django.db import close_old_connections

from poolsite import table_files
from poolsite.table_reader import child
from poolsite.table_reader.limits import Budget
from tests.support.database import lay_migrated

_DATABASE = settings.DATABASES["default"]
_IS_SQLITE = _DATABASE["ENGINE"].endswith("sqlite3")


@pytest.fixture(autouse=True, scope="session")
def _quick_passwords() -> None:
    """Use a fast password hasher: Argon2 takes a third of a second per hash.

    Tests of hashing name the product's own hasher.
    """
    settings.PASSWORD_HASHERS = ["tests.support.hashing.QuickArgon2"]
    get_hashers.cache_clear()
    get_hashers_by_algorithm.cache_clear()


@pytest.fixture(autouse=True)
def _old_connections_close() -> Iterator[None]:
    """Restore Channels' `close_old_connections`.

    Two overlapping communicators leave it patched for later tests.
    """
    yield
    channels.db.close_old_connections = close_old_connections


@pytest.fixture(autouse=True, scope="session")
def _no_watch() -> None:
    """Don't watch the platform in a test that imports the web application: it is no web process."""
    from poolsite.operations import watch  # not before the apps are loaded

    watch.start = lambda: None


@pytest.fixture(autouse=True)
def _files_are_read_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files in the test's process, by the child's code, unless the test starts processes."""
    if request.node.get_closest_marker("processes") is None:
        monkeypatch.setattr(table_files, "_messages", _messages_from_here)


def _messages_from_here(path: Path, kind: str) -> Iterator[bytes]:
    with path.open("rb") as file:
        for message in child.messages(file, kind, Budget()):
            yield message[4:]


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Let Django migrate the existing database, so that it does not create a new one."""
    return _IS_SQLITE


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Put the migrated file where Django looks for this worker's test database."""
    if _IS_SQLITE:
        lay_migrated(Path(_DATABASE["TEST"]["NAME"]))
