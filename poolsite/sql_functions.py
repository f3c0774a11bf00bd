"""Database functions that Django lacks."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DurationField, Func
from django.db.models.sql.compiler import SQLCompiler

# For a moment as Django stores it, 2026-11-23 08:30:00.250000, with a fraction only if there is
# one. SQLite would round the fraction to milliseconds, and .9995 up into the next second.
_MICROSECONDS = (
    "(CAST(strftime('%%s', substr({at}, 1, 19)) AS INTEGER) * 1000000"
    " + CAST(substr({at}, 21) AS INTEGER))"
)


class Elapsed(Func):
    """`Elapsed("joined_at", "matched_at")`: the time between two moments, NULL without both.

    SQLite has no time type, and Django's own subtraction calls Python for every row there. This
    class uses SQLite's functions on the stored texts, exact to the microsecond.
    """

    template = "(%(expressions)s)"
    arg_joiner = " - "
    output_field = DurationField()

    def __init__(self, begin: str, end: str) -> None:
        super().__init__(end, begin)

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        """Whole microseconds, which is how SQLite stores a duration."""
        compiled = [compiler.compile(each) for each in self.get_source_expressions()]
        sql = " - ".join(_MICROSECONDS.format(at=at) for at, _ in compiled)
        return f"({sql})", tuple(value for _, values in compiled for value in (*values, *values))


class Seconds(Func):
    """`Seconds("high_seconds")`: whole seconds as a duration, for comparison with an `Elapsed`."""

    template = "(%(expressions)s * INTERVAL '1 second')"
    output_field = DurationField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        """Microseconds, which is how SQLite stores a duration."""
        sql, values = compiler.compile(self.get_source_expressions()[0])
        return f"({sql} * 1000000)", tuple(values)
