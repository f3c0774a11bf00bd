"""A column for plain ASCII values that are ordered and searched by their bytes."""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:  # only the stubs of Django's fields take type parameters
    _Text = models.CharField[str, str]
    _TextOrNone = models.CharField[str | None, str | None]
else:
    _Text = _TextOrNone = models.CharField


def _in_collation_c(parameters: Any, connection: BaseDatabaseWrapper) -> Any:
    if connection.vendor == "postgresql":
        parameters["collation"] = "C"
    return parameters


class AsciiField(_Text):
    """A CharField with the collation C on PostgreSQL.

    A prefix is then a range of the ordinary index, and a page's last value is the start of the next
    page, however the database's own collation sorts `+`. SQLite always compares bytes.
    """

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        return _in_collation_c(super().db_parameters(connection), connection)


class NullableAsciiField(_TextOrNone):
    """An AsciiField whose column may be NULL."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        return _in_collation_c(super().db_parameters(connection), connection)
