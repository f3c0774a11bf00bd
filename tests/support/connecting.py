"""Connect to another database in place of the test's, within one process."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connections
from django.db.utils import ConnectionHandler


@contextmanager
def connected_to(database: Mapping[str, Any]) -> Iterator[None]:
    """Point the default connection at this database, in the form of DATABASES, during the block.

    Don't name a connection pool: Django keeps one for each alias, and would reuse the usual one.
    """
    usual = connections["default"]
    other = ConnectionHandler({"default": {**database}})["default"]
    connections["default"] = other
    try:
        yield
    finally:
        other.close()
        connections["default"] = usual
