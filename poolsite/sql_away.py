"""Whether an error says that the database could not be asked, rather than that we asked wrongly."""

import sqlite3
from typing import Final

from django.db import InterfaceError, InternalError, OperationalError

# SQLite raises one class for all of this and for a missing table; its code tells them apart.
_AWAY: Final = frozenset(
    {
        *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM),
        *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL),
        *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL),
    }
)


def sql_is_away(error: BaseException | None) -> bool:
    """True for a lock that was not had in time, a lost connection, a full disk or pool.

    The same statement may work a moment later; nothing of it was done.
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
    """True when the database answers and takes no writes: its disk is full, or it is read-only."""
    if not isinstance(error, OperationalError | InternalError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _TAKES_NOTHING
    return getattr(cause, "sqlstate", None) in _TAKES_NOTHING_STATES
