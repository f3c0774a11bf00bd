"""Distinguishes errors of an unavailable database from errors of a wrong statement."""

import sqlite3
from typing import Final

from django.db import InterfaceError, InternalError, OperationalError

# SQLite raises one class for all of these errors and for a missing table; the code differs.
_AWAY: Final = frozenset(
    {
        *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM),
        *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL),
        *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL),
    }
)


def sql_is_away(error: BaseException | None) -> bool:
    """Whether the database was unavailable: a lock timeout, a lost connection, a full disk or pool.

    The same statement may work a moment later. Nothing of it was carried out.
    """
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    cause = error.__cause__
    if not isinstance(cause, sqlite3.Error):
        return True
    code = getattr(cause, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _AWAY  # the low byte: extended codes have more


_TAKES_NOTHING: Final = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY})
# PostgreSQL's codes: disk_full, read_only_sql_transaction.
_TAKES_NOTHING_STATES: Final = frozenset({"53100", "25006"})


def sql_takes_nothing(error: BaseException | None) -> bool:
    """Whether the database answers but accepts no writes: its disk is full, or it is read-only."""
    if not isinstance(error, OperationalError | InternalError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _TAKES_NOTHING
    return getattr(cause, "sqlstate", None) in _TAKES_NOTHING_STATES
