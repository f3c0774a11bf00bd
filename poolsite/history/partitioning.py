"""The migration operation that partitions a table of events while events are written to it."""

# ruff: noqa: S608  the statements are built only of names of this project

import time
from collections.abc import Callable
from operator import attrgetter
from typing import Any, ClassVar

from django.db import OperationalError, transaction
from django.db.migrations.operations.base import Operation
from django.utils import timezone

from poolsite.history import partitions
from poolsite.history.partitions import MONTHS_AHEAD, attach, make_month, month_of
from poolsite.moments import moment_of

ATTEMPTS = 60  # to get a lock
_INDEXES = """
    SELECT pg_get_indexdef(indexrelid), index.relname, contype
    FROM pg_index JOIN pg_class index ON index.oid = indexrelid
    LEFT JOIN pg_constraint
        ON conindid = indexrelid AND conrelid = indrelid AND contype IN ('p', 'u')
    WHERE indrelid = %s::regclass
"""
_FOREIGN_KEYS = """
    SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE conrelid = %s::regclass AND contype = 'f'
"""


class PartitionByMonth(Operation):
    """Partition the table of a HistoryEntry by month (poolsite/history/partitions.py).

    This does nothing on SQLite. Its migration needs `atomic = False`. The table becomes `t_before`,
    which has all months before the one after next; only the swap at the end locks it, for a moment.
    If the operation fails halfway, for instance because a query reads the table for minutes,
    migrate again.

    The primary key and the unique constraint include `at_us`, as PostgreSQL requires. `insert_rows`
    ensures that an entry exists only once. Django's state of the model does not change.
    """

    reduces_to_sql = False
    atomic: ClassVar[bool] = False

    def __init__(self, model_name: str) -> None:
        self.model_name = model_name

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Return the arguments for a migration file."""
        return type(self).__name__, [self.model_name], {}

    def describe(self) -> str:
        """Return the text for `migrate --plan`."""
        return f"Partition {self.model_name} by month on PostgreSQL"

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Change nothing: to Django it is the same table."""

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        """Partition the table."""
        if schema_editor.connection.vendor == "postgresql":
            table = to_state.apps.get_model(app_label, self.model_name)._meta.db_table
            _Partitioning(schema_editor.connection, table).run()

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        """Restore a single table with all rows; it is locked until they are copied."""
        if schema_editor.connection.vendor == "postgresql":
            model = to_state.apps.get_model(app_label, self.model_name)
            _put_together(schema_editor, model)


class _Partitioning:
    """The steps for one table."""

    def __init__(self, connection: Any, table: str) -> None:
        self.connection = connection
        self.table = table
        self.before = f"{table}_before"
        self.check = f"{table}_month"
        self.this = month_of(timezone.now())
        latest_us = self._rows(f'SELECT max(at_us) FROM "{table}"')[0][0]
        self._has_rows = latest_us is not None
        self.first = self.this
        if self._has_rows:
            # This month may end before the swap: the table must accept events of the next one, and
            # keep those of a clock that was ahead.
            after = month_of(moment_of(latest_us)).later(1)
            self.first = max(self.this.later(MONTHS_AHEAD), after, key=attrgetter("first_us"))

    def run(self) -> None:
        if self._has_rows:
            self._prepare()
        self._briefly(self._swap)

    def _briefly(self, change: Callable[[], None]) -> None:
        """Make a change that locks the table, when no query reads it for long.

        A statement that waits for a lock blocks all that come after it, so it waits a short time,
        several times. Raise OperationalError after the last.
        """
        for attempts_left in reversed(range(ATTEMPTS)):
            try:
                with transaction.atomic(using=self.connection.alias):
                    self._do(partitions.wait_shortly())
                    self._do("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
                    change()
                return
            except OperationalError:
                if not attempts_left:
                    raise
            time.sleep(1.0)

    def _do(self, statement: str) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(statement.format(table=f'"{self.table}"', before=f'"{self.before}"'))

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with self.connection.cursor() as cursor:
            cursor.execute(query, values or None)
            return list(cursor.fetchall())

    def _prepare(self) -> None:
        """Create what the swap needs, so that it neither scans nor builds.

        Events are written meanwhile.
        """
        self._briefly(self._add_check)
        self._do(f'ALTER TABLE {{table}} VALIDATE CONSTRAINT "{self.check}"')
        for name, columns in self._keys():
            self._do(f'DROP INDEX CONCURRENTLY IF EXISTS "{name}_before"')
            self._do(f'CREATE UNIQUE INDEX CONCURRENTLY "{name}_before" ON {{table}} ({columns})')

    def _add_check(self) -> None:
        """Add a constraint on the table's content, so that PostgreSQL need not scan the table."""
        drop = f'DROP CONSTRAINT IF EXISTS "{self.check}"'
        add = f'ADD CONSTRAINT "{self.check}" CHECK (at_us < {self.first.first_us}) NOT VALID'
        self._do(f"ALTER TABLE {{table}} {drop}, {add}")

    def _keys(self) -> list[tuple[str, str]]:
        """Return the names of primary key and unique constraint, and their columns with time."""
        found = {kind: name for _, name, kind in self._rows(_INDEXES, self.table) if kind}
        return [(found["p"], "id, at_us"), (found["u"], "aggregate_id, generation, seq, at_us")]

    def _swap(self) -> None:
        """Replace the table by a partitioned one; the old table becomes its first partition."""
        keys, foreign_keys = self._keys(), self._rows(_FOREIGN_KEYS, self.table)
        indexes = [(row[0], row[1]) for row in self._rows(_INDEXES, self.table) if not row[2]]
        indexes = [index for index in indexes if not index[1].endswith("_before")]
        self._step_aside(keys, [name for _, name in indexes])
        self._make(keys)
        for name, definition in foreign_keys:
            self._do(f'ALTER TABLE {{table}} ADD CONSTRAINT "{name}" {definition}')
        for definition, _ in indexes:
            self._do(definition)
        with self.connection.cursor() as cursor:
            attach(cursor, self.table, self.before, "MINVALUE", self.first.first_us)
        self._do(f'ALTER TABLE {{before}} DROP CONSTRAINT IF EXISTS "{self.check}"')
        self._do(f'CREATE TABLE "{self.table}_rest" PARTITION OF {{table}} DEFAULT')
        with self.connection.cursor() as cursor:
            for month in map(self.this.later, range(MONTHS_AHEAD + 1)):
                if month.first_us >= self.first.first_us:
                    make_month(cursor, self.table, month)

    def _step_aside(self, keys: list[tuple[str, str]], indexes: list[str]) -> None:
        """Rename the old table and its indexes; it keeps its rows, and its indexes match."""
        self._do("ALTER TABLE {table} RENAME TO {before}")
        for (name, columns), kind in zip(keys, ("PRIMARY KEY", "UNIQUE"), strict=True):
            form = f'USING INDEX "{name}_before"' if self._has_rows else f"({columns})"
            self._do(f'ALTER TABLE {{before}} DROP CONSTRAINT "{name}"')
            self._do(f'ALTER TABLE {{before}} ADD CONSTRAINT "{name}_before" {kind} {form}')
        for name in indexes:
            self._do(f'ALTER INDEX "{name}" RENAME TO "{name}_before"')

    def _make(self, keys: list[tuple[str, str]]) -> None:
        """Create the partitioned table; IDs continue where they are."""
        sequence = self._rows("SELECT pg_get_serial_sequence(%s, 'id')", self.before)[0][0]
        last, is_called = self._rows(f"SELECT last_value, is_called FROM {sequence}")[0]
        # A partition can't have an identity of its own (PostgreSQL 17 refuses it).
        self._do("ALTER TABLE {before} ALTER id DROP IDENTITY")
        self._do(f"CREATE SEQUENCE {sequence} AS bigint")
        self._rows("SELECT setval(%s, %s, %s)", sequence, last, is_called)
        like = "LIKE {before} INCLUDING DEFAULTS INCLUDING CONSTRAINTS"
        self._do(f"CREATE TABLE {{table}} ({like}) PARTITION BY RANGE (at_us)")
        self._do(f'ALTER TABLE {{table}} DROP CONSTRAINT IF EXISTS "{self.check}"')
        self._do(f"ALTER TABLE {{table}} ALTER id SET DEFAULT nextval('{sequence}')")
        self._do(f"ALTER SEQUENCE {sequence} OWNED BY {{table}}.id")
        for (name, columns), kind in zip(keys, ("PRIMARY KEY", "UNIQUE"), strict=True):
            self._do(f'ALTER TABLE {{table}} ADD CONSTRAINT "{name}" {kind} ({columns})')


def _put_together(editor: Any, model: Any) -> None:
    table = model._meta.db_table
    columns = ", ".join(f'"{field.column}"' for field in model._meta.local_concrete_fields)
    editor.execute(f'CREATE TABLE "{table}_all" AS SELECT {columns} FROM "{table}"')
    editor.execute(f'DROP TABLE "{table}"')
    editor.create_model(model)
    editor.execute(f'INSERT INTO "{table}" ({columns}) SELECT {columns} FROM "{table}_all"')
    editor.execute(
        f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), coalesce(max(id), 1)) "
        f'FROM "{table}_all"'
    )
    editor.execute(f'DROP TABLE "{table}_all"')
