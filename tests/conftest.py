"""Every worker's test database: a copy of one that is migrated already, where SQL is SQLite."""

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
    """An Argon2 hash costs a third of a second; the tests of hashing name the product's own."""
    settings.PASSWORD_HASHERS = ["tests.support.hashing.QuickArgon2"]
    get_hashers.cache_clear()
    get_hashers_by_algorithm.cache_clear()


@pytest.fixture(autouse=True)
def _old_connections_close() -> Iterator[None]:
    """Two of Channels' communicators that overlap leave its function patched for later tests."""
    yield
    channels.db.close_old_connections = close_old_connections


@pytest.fixture(autouse=True, scope="session")
def _no_watch() -> None:
    """A test that imports the web application is no web process that watches the platform."""
    from poolsite.operations import watch  # not before the apps are loaded

    watch.start = lambda: None


@pytest.fixture(autouse=True)
def _files_are_read_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that starts no process reads files by the child's code in its own process."""
    if request.node.get_closest_marker("processes") is None:
        monkeypatch.setattr(table_files, "_messages", _messages_from_here)


def _messages_from_here(path: Path, kind: str) -> Iterator[bytes]:
    with path.open("rb") as file:
        for message in child.messages(file, kind, Budget()):
            yield message[4:]


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Let Django migrate what is there, which is nothing, in place of making it anew."""
    return _IS_SQLITE


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Lay the migrated file where Django looks for the test database of this worker."""
    if _IS_SQLITE:
        lay_migrated(Path(_DATABASE["TEST"]["NAME"]))
