"""Bulk writes of rows: COPY and unnest on PostgreSQL, executemany on SQLite; bulk deletion.

For the few places that write all the time: the history and the books. Django's bulk_create and
bulk_update prepare every value of every row separately, which costs more than the rows do. Each
function works inside the caller's transaction. Table and column names come from models or
constants, never from callers' data. Values are sent as parameters, or escaped in COPY's text form.
"""

# ruff: noqa: S608 every statement consists of our own names

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection, models
from django.utils import timezone

from poolsite.sql_texts import Row, array_text, copy_line

Values = Mapping[str, Any]
DELETE_ROWS = 2_000  # in one transaction
DELETE_SECONDS = 60.0  # the next sweep continues
_TEXTS = (models.CharField, models.TextField)
_PLAIN = (
    *_TEXTS,
    *(models.IntegerField, models.BooleanField, models.DateTimeField, models.ForeignKey),
)


@dataclass(frozen=True)
class Table:
    """A table, and the columns that rows provide."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class _Column:
    """A field: its quoted column, PostgreSQL's type, and the function that reads its value."""

    name: str
    kind: str
    read: Callable[[Values], Any]


def on_postgres() -> bool:
    """Whether the SQL database is PostgreSQL."""
    return connection.vendor == "postgresql"


def adapted(value: Any) -> Any:
    """Return the value in the driver's form: SQLite's driver has no datetimes."""
    if isinstance(value, datetime) and not on_postgres():
        return connection.ops.adapt_datetimefield_value(value)
    return value


def insert(model: type[models.Model], rows: Sequence[Values]) -> None:
    """Insert new rows. Attributes that a row leaves out get their defaults.

    A row maps the model's attributes (a foreign key's ends in `_id`) to their values, or is `vars`
    of an instance. The rows do not get their keys, and no signal is sent. Raise IntegrityError if a
    row exists already, DataError if a value does not fit: nothing is written then. Raise TypeError
    for a field of an unsupported kind.
    """
    if not rows:
        return
    columns = _columns(model, tuple(f.attname for f in _fields(model) if not f.primary_key))
    table = Table(_quoted(model._meta.db_table), tuple(column.name for column in columns))
    add_rows(table, [[column.read(row) for column in columns] for row in rows])


def update(model: type[models.Model], rows: Sequence[Values], names: Sequence[str]) -> None:
    """Write these attributes of existing rows, which are found by their keys.

    A row that no longer exists is skipped. Raise the errors of `insert`, and KeyError if a row
    lacks one of these attributes, because it was not given or not loaded.
    """
    if not rows:
        return
    wanted = (model._meta.pk.attname, *names)
    if not all(row.keys() >= set(wanted) for row in rows):
        raise KeyError(f"each row needs {', '.join(wanted)}")
    key, *columns = _columns(model, wanted)
    given = [*columns, key]
    values = [[column.read(row) for column in given] for row in rows]
    table = _quoted(model._meta.db_table)
    if on_postgres():
        sets = ", ".join(f"{column.name} = g.{column.name}" for column in columns)
        where = f"{table}.{key.name} = g.{key.name}"
        _by_arrays(f"UPDATE {table} SET {sets} FROM {_unnested(given)} WHERE {where}", values)
    else:
        sets = ", ".join(f"{column.name} = %s" for column in columns)
        _one_by_one(f"UPDATE {table} SET {sets} WHERE {key.name} = %s", values)


def add_up(
    model: type[models.Model],
    names: Sequence[str],
    rows: Sequence[Row],
    *,
    unique: Sequence[str],
    added: Sequence[str],
    replaced: Sequence[str] = (),
) -> None:
    """Insert rows of these attributes. If a row exists already, add to its counts.

    unique: the attributes that identify a row; no two of `rows` may share their values. added: the
    counts. replaced: the attributes that get the new value.
    """
    if not rows:
        return
    table = _quoted(model._meta.db_table)
    columns = _columns(model, tuple(names))
    sets = [f"{name} = {table}.{name} + excluded.{name}" for name in map(_quoted, added)]
    sets += [f"{name} = excluded.{name}" for name in map(_quoted, replaced)]
    into = f"INSERT INTO {table} ({', '.join(column.name for column in columns)})"
    same = ", ".join(map(_quoted, unique))
    conflict = f"ON CONFLICT ({same}) DO UPDATE SET {', '.join(sets)}"
    if on_postgres():
        _by_arrays(f"{into} SELECT * FROM {_unnested(columns)} {conflict}", rows)
    else:
        _one_by_one(f"{into} VALUES ({_places(names)}) {conflict}", rows)


def add_rows(table: Table, rows: Sequence[Row]) -> None:
    """Insert rows. Raise IntegrityError if one exists already, whatever its content."""
    if not rows:
        return
    if on_postgres():
        add_lines(table, [copy_line(row) for row in rows])
    else:
        columns = ", ".join(table.columns)
        _one_by_one(f"INSERT INTO {table.name} ({columns}) VALUES ({_places(table.columns)})", rows)


def add_lines(table: Table, lines: Sequence[str]) -> None:
    """Insert rows that are already in COPY's text form, on PostgreSQL. Raise as `add_rows` does."""
    if not lines:
        return
    statement = f"COPY {table.name} ({', '.join(table.columns)}) FROM STDIN"
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(statement) as copy,
    ):
        copy.write("".join(lines))


def delete_oldest(rows: "models.QuerySet[Any]") -> int:
    """Delete rows that have expired, in their order, in short transactions, for up to a minute.

    Return how many there were, without those that were deleted with them.
    """
    deleted, deadline = 0, time.monotonic() + DELETE_SECONDS
    while time.monotonic() < deadline:
        keys = list(rows.values_list("pk", flat=True)[:DELETE_ROWS])
        expired = rows.model._base_manager.filter(pk__in=keys)
        expired.delete()  # unaudited: only age decides
        deleted += len(keys)
        if len(keys) < DELETE_ROWS:
            break
    return deleted


def _unnested(columns: Sequence[_Column]) -> str:
    """Return the SQL of a table g whose columns are sent as one array each."""
    arrays = ", ".join(f"%s::{column.kind}[]" for column in columns)
    return f"unnest({arrays}) AS g({', '.join(column.name for column in columns)})"


def _by_arrays(statement: str, rows: Sequence[Row]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [array_text(values) for values in zip(*rows, strict=True)])


def _one_by_one(statement: str, rows: Sequence[Row]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(statement, [[adapted(value) for value in row] for row in rows])


def _places(columns: Sequence[str]) -> str:
    return ", ".join(["%s"] * len(columns))


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


# -- fields -----------------------------------------------------------------------------------


def _fields(model: type[models.Model]) -> "list[models.Field[Any, Any]]":
    return list(model._meta.concrete_fields)


@cache
def _columns(model: type[models.Model], names: tuple[str, ...]) -> tuple[_Column, ...]:
    known = {field.attname: field for field in _fields(model)}
    return tuple(
        _Column(_quoted(str(field.column)), _kind(field), _reader(field))
        for field in (known[name] for name in names)
    )


def _kind(field: "models.Field[Any, Any]") -> str:
    # Not varchar(n): a cast to it silently cuts off text that an assignment rejects.
    return "text" if isinstance(field, _TEXTS) else str(field.db_type(connection))


def _reader(field: "models.Field[Any, Any]") -> Callable[[Values], Any]:
    name = field.attname
    if isinstance(field, models.JSONField):
        return lambda row: _json(row[name] if name in row else field.get_default(), field.encoder)
    if isinstance(field, models.DateTimeField) and (field.auto_now or field.auto_now_add):
        return lambda _row: timezone.now()
    if isinstance(field, _PLAIN):
        default = field.get_default()
        return lambda row: row.get(name, default)
    raise TypeError(f"{field} is of a kind that sql_bulk does not know")


def _json(value: Any, encoder: type[json.JSONEncoder] | None) -> str | None:
    return None if value is None else json.dumps(value, cls=encoder)
