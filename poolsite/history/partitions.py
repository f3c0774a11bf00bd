"""Event tables by month on PostgreSQL (docs/decisions/0054); SQLite has none.

A table `t` of events has these partitions by `at_us`, with months in UTC:

- `t_before`: everything before its first month. It is the table from before the partitioning, so
  its rows are deleted one by one.
- `t_2026_11` and so on: one month each, created ahead, and dropped as a whole.
- `t_rest`: events of a month without a partition, if no worker ran for months or a clock was far
  ahead.
"""

# ruff: noqa: S608  the statements are built only of names of this project

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import structlog
from django.db import OperationalError, connection, models, transaction

from poolsite.moments import moment_of, us_of
from poolsite.sql_bulk import on_postgres

MONTHS_AHEAD = 2
LOCK_SECONDS = 2  # events wait at most this long for a month that is created or dropped
LOG = structlog.get_logger(__name__)
_BOUNDS = re.compile(r"FROM \('?(\w+)'?\) TO \('?(\w+)'?\)")
_PARTITIONS = """
    SELECT child.relname, pg_get_expr(child.relpartbound, child.oid)
    FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = %s::regclass
"""


@dataclass(frozen=True, slots=True)
class Month:
    """The first moments of a month and of the next month, in µs."""

    first_us: int
    until_us: int

    @property
    def suffix(self) -> str:
        """The suffix of the partition's name: 2026_11."""
        return f"{moment_of(self.first_us):%Y_%m}"

    def later(self, months: int) -> "Month":
        """Return the month that is this many months later."""
        return month_of(_months_after(moment_of(self.first_us), months))


def month_of(moment: datetime) -> Month:
    """Return the month of an aware moment."""
    first = moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return Month(us_of(first), us_of(_months_after(first, 1)))


def _months_after(first: datetime, months: int) -> datetime:
    """Return the first moment of the month that is `months` after the one beginning at `first`."""
    years, month = divmod(first.month - 1 + months, 12)
    return first.replace(year=first.year + years, month=month + 1)


@dataclass(frozen=True, slots=True)
class Partitions:
    """One table's partitions: where `t_before` ends, and the months by partition name, in order."""

    before_us: int
    months: dict[str, Month]


def partitions_of(model: type[models.Model]) -> Partitions | None:
    """Return the partitions; None if there are none: on SQLite, or before the migration."""
    if not on_postgres():
        return None
    with connection.cursor() as cursor:
        cursor.execute(_PARTITIONS, [model._meta.db_table])
        found = {name: _BOUNDS.search(text) for name, text in cursor.fetchall()}
    bounds = {name: (match[1], int(match[2])) for name, match in found.items() if match}
    before = [until for first, until in bounds.values() if first == "MINVALUE"]
    if not before:
        return None
    months = {
        name: Month(int(first), until)
        for name, (first, until) in bounds.items()
        if first != "MINVALUE"
    }
    return Partitions(before[0], dict(sorted(months.items(), key=lambda named: named[1].first_us)))


def make_months(model: type[models.Model], known: Partitions, now: datetime) -> int:
    """Create missing partitions for this month and the next two; return how many were created.

    Rows in `t_rest` of such a month move into its partition. Months that `t_before` covers are
    skipped.
    """
    wanted = map(month_of(now).later, range(MONTHS_AHEAD + 1))
    return sum(
        _locked(make_month, model._meta.db_table, month)
        for month in wanted
        if month.first_us >= known.before_us and month not in known.months.values()
    )


def drop_months(model: type[models.Model], known: Partitions, until_us: int) -> int:
    """Drop every month that has ended by `until_us`, with its rows; return how many."""
    over = [name for name, month in known.months.items() if month.until_us <= until_us]
    return sum(_locked(_drop, model._meta.db_table, name) for name in over)


def _locked(change: Any, table: str, which: Any) -> bool:
    """Make one change in a transaction. Return False if a lock was not available in time."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(wait_shortly())
            change(cursor, table, which)
    except OperationalError as error:
        LOG.warning("history.partition_waits", table=table, error=str(error))
        return False
    return True


def wait_shortly() -> str:
    """Return the statement that limits how long this transaction waits for a lock."""
    return f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"


def make_month(cursor: Any, table: str, month: Month) -> None:
    """Create one partition, inside the caller's transaction."""
    name, within = f"{table}_{month.suffix}", [month.first_us, month.until_us]
    cursor.execute(
        f'CREATE TABLE "{name}" (LIKE "{table}" INCLUDING DEFAULTS INCLUDING CONSTRAINTS)'
    )
    cursor.execute(
        f'WITH moved AS (DELETE FROM "{table}_rest" WHERE at_us >= %s AND at_us < %s RETURNING *)'
        f' INSERT INTO "{name}" SELECT * FROM moved',
        within,
    )
    # Attached, not created in place: events are written meanwhile.
    attach(cursor, table, name, *within)
    LOG.info("history.month_made", table=table, partition=name)


def attach(cursor: Any, table: str, name: str, first: int | str, until: int) -> None:
    """Attach a table as a partition of another. first: "MINVALUE" from the beginning."""
    cursor.execute(
        f'ALTER TABLE "{table}" ATTACH PARTITION "{name}" FOR VALUES FROM ({first}) TO ({until})'
    )


def _drop(cursor: Any, table: str, name: str) -> None:
    cursor.execute(f'DROP TABLE "{name}"')
    LOG.info("history.month_dropped", table=table, partition=name)
