"""A column for values of plain ASCII, ordered and searched by their bytes."""

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class AsciiField(models.CharField):  # type: ignore[type-arg]  # the stubs' parameters are not given at run time
    """A CharField that PostgreSQL keeps in the collation C.

    A prefix is then a range of the ordinary index, and a page's last value is the start of
    the next page, whatever the database's own collation makes of `+`. SQLite compares bytes
    by itself.
    """

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters
