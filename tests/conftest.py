"""Every worker's test database: a copy of one that is migrated already, where SQL is SQLite."""

from pathlib import Path

import pytest
from django.conf import settings

from tests.support.database import lay_migrated

_DATABASE = settings.DATABASES["default"]
_IS_SQLITE = _DATABASE["ENGINE"].endswith("sqlite3")


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Let Django migrate what is there, which is nothing, in place of making it anew."""
    return _IS_SQLITE


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Lay the migrated file where Django looks for the test database of this worker."""
    if _IS_SQLITE:
        lay_migrated(Path(_DATABASE["TEST"]["NAME"]))
