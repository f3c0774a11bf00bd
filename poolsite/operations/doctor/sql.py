"""The SQL database: version, encoding, time zone, whether it accepts writes and connections."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from poolsite import timers
from poolsite.jobs import presence
from poolsite.operations.doctor.lines import fail, ok, skip, warn
from poolsite.operations.registry import DoctorLine

OLDEST_POSTGRES = 15
CONNECTIONS_EACH = 8  # the most that a process's pool opens: settings.DATABASES
CONNECTIONS_WARN_SHARE = 0.8
CONNECT_SECONDS = 3
SAFE_ISOLATION = "read committed"
_SERVER = (
    "SELECT current_setting('server_version'), current_setting('server_encoding'), "
    "current_setting('TimeZone'), current_setting('default_transaction_isolation'), "
    "(SELECT reset_val FROM pg_settings WHERE name = 'TimeZone')"
)


def server() -> Iterator[DoctorLine]:
    """Check that PostgreSQL is new enough and stores every text and time correctly."""
    if connection.vendor != "postgresql":
        yield from _sqlite()
        return
    try:
        (row,) = _rows(_SERVER)
    except DatabaseError as error:
        yield fail(f"SQL did not answer: {error}", "Start the database, or correct DATABASE_URL.")
        return
    version, encoding, zone, isolation, default_zone = map(str, row)
    facts = f"PostgreSQL {version}, {encoding}, {isolation}, time zone of sessions {zone}"
    wrong = list(_postgres_faults(version, encoding, zone, isolation))
    yield from wrong
    if not wrong:
        yield ok(f"{facts} (server: {default_zone})")


def _postgres_faults(
    version: str, encoding: str, zone: str, isolation: str
) -> Iterator[DoctorLine]:
    if int(version.partition(".")[0]) < OLDEST_POSTGRES:
        yield fail(
            f"PostgreSQL {version} is too old", f"Upgrade to PostgreSQL {OLDEST_POSTGRES} or newer."
        )
    if encoding != "UTF8":
        yield fail(
            f"The database's encoding is {encoding}",
            "Create it again with ENCODING 'UTF8' and restore the data.",
        )
    if zone != "UTC":
        yield fail(
            f"Sessions use the time zone {zone} though Poolsite sets UTC",
            "A pooler drops what a session sets: run ALTER ROLE … SET timezone = 'UTC'.",
        )
    if isolation != SAFE_ISOLATION:
        yield fail(
            f"default_transaction_isolation is {isolation}",
            f"Run ALTER DATABASE … SET default_transaction_isolation = '{SAFE_ISOLATION}'.",
        )


def _sqlite() -> Iterator[DoctorLine]:
    text = f"SQLite {sqlite3.sqlite_version}"
    if settings.DEMO or settings.DEBUG:
        yield ok(f"{text} (demo or debugging)")
    else:
        yield warn(
            f"{text}: one writer at a time, on one machine",
            "Use PostgreSQL for a site that others depend on: set DATABASE_URL.",
        )


def writes() -> Iterator[DoctorLine]:
    """Check that a row can be written. The write is rolled back."""
    if connection.vendor == "postgresql":
        ((is_standby, is_read_only),) = _rows(
            "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'"
        )
        if is_standby:
            yield fail(
                "The server is in recovery: a standby, or a restore that isn't complete",
                "Set DATABASE_URL to the primary, or promote this server.",
            )
            return
        if is_read_only:
            yield fail(
                "Transactions are read-only", "Set default_transaction_read_only = off, and reload."
            )
            return
    if not MigrationRecorder(connection).has_table():
        yield skip("no tables yet (see migrations)")
        return
    migrations = MigrationRecorder.Migration
    began = time.monotonic()
    try:
        with transaction.atomic():
            migrations.objects.create(app="doctor", name="doctor")  # unaudited: taken back
            transaction.set_rollback(True)
    except DatabaseError as error:
        yield fail(
            f"A write was refused: {error}",
            "Free space for the database, and give its user the right to write.",
        )
    else:
        yield ok(f"a row was written and taken back in {1000 * (time.monotonic() - began):.0f} ms")


def connections_left() -> Iterator[DoctorLine]:
    """Check that there are enough connections for all running processes, and that some are free."""
    if connection.vendor != "postgresql":
        yield skip("SQLite has no limit of connections")
        return
    ((limit, used),) = _rows(
        "SELECT current_setting('max_connections')::int, "
        "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')"
    )
    if settings.SQL_POOLER:
        yield ok(f"{used} of {limit} connections used, by a pooler")
        return
    workers = sum(worker.alive for worker in presence.workers())
    processes = len(timers.read_state().processes) + workers + 1
    needed = CONNECTIONS_EACH * processes
    text = f"{used} of {limit} connections used; {processes} processes heard or more"
    if limit < needed or used > CONNECTIONS_WARN_SHARE * limit:
        yield warn(
            text,
            f"Set max_connections to at least {CONNECTIONS_EACH} for each process of web and "
            f"workers ({needed} for those heard), or put a pooler in between.",
        )
    else:
        yield ok(text)


def pooler() -> Iterator[DoctorLine]:
    """Check that POOLSITE_SQL_POOLER is set if a pooler lends connections by transaction."""
    if connection.vendor != "postgresql":
        yield skip("SQLite has no pooler")
        return
    is_pooled, is_told = _is_pooled_by_transaction(), settings.SQL_POOLER
    if is_pooled and not is_told:
        yield fail(
            "A pooler lends connections by transaction, and POOLSITE_SQL_POOLER is not set",
            "Set POOLSITE_SQL_POOLER=1: exports and audits read through cursors that it breaks.",
        )
    elif is_told and not is_pooled:
        yield warn(
            "POOLSITE_SQL_POOLER is set, but no pooler was found: exports take more memory",
            "Unset it, or have DATABASE_URL name the pooler.",
        )
    else:
        yield ok("a pooler lends connections by transaction" if is_pooled else "no pooler between")


def _is_pooled_by_transaction() -> bool:
    """Return whether a session changes its backend when a second session opens a transaction.

    If there is a pooler, it lends the second session the backend that the first one returned. On a
    busy pooler a third session may get it first, so this tries several times. Raise DatabaseError.
    """
    own, attempts = "SELECT pg_backend_pid()", 5
    with _session() as first:
        for _ in range(attempts):
            before = first.execute(own).fetchone()
            with _session() as second, second.transaction():
                second.execute(own)
                if first.execute(own).fetchone() != before:
                    return True
    return False


@contextmanager
def _session() -> Iterator[Any]:
    """Open a connection outside the process's own pool, in autocommit mode."""
    parameters = {**connection.get_connection_params(), "connect_timeout": CONNECT_SECONDS}
    with (
        connection.wrap_database_errors,
        connection.Database.connect(**parameters, autocommit=True) as session,  # type: ignore[attr-defined]  # psycopg
    ):
        yield session


def ahead_seconds() -> tuple[float, float]:
    """Return how far SQL's clock is ahead of ours, and the error (±). Raise DatabaseError."""
    began = time.time()
    ((seconds,),) = _rows("SELECT extract(epoch FROM clock_timestamp())::float8")
    ended = time.time()
    return float(seconds) - (began + ended) / 2, (ended - began) / 2


def require_answer() -> None:
    """Raise DatabaseError with the reason if SQL can't be reached. The pool would wait too long."""
    if connection.vendor == "postgresql":
        with _session():
            pass


def _rows(statement: str) -> list[tuple[Any, ...]]:
    require_answer()
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())
