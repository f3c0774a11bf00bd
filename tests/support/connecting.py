"""Another database in place of the test's, within one process."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connections
from django.db.utils import ConnectionHandler


@contextmanager
def connected_to(database: Mapping[str, Any]) -> Iterator[None]:
    """Lead the default connection to this database, as DATABASES describes it, meanwhile.

    Name no pool of connections: Django keeps one for each alias, and it would be the usual one's.
    """
    usual = connections["default"]
    other = ConnectionHandler({"default": {**database}})["default"]
    connections["default"] = other
    try:
        yield
    finally:
        other.close()
        connections["default"] = usual
