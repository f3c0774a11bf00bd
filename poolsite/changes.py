"""Detects whether code may have changed something: by committed SQL or a script that writes."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from django.db import Error, connection, transaction

# How a statement begins that changes no row, or only begins or ends a transaction.
_HARMLESS: Final = ("SELECT", "SAVEPOINT", "RELEASE", "ROLLBACK", "PRAGMA", "SET", "SHOW", "BEGIN")


@dataclass
class Seen:
    """The detected changes.

    `changed` stays False only if it is certain that nothing was changed.
    """

    changed: bool = False
    _wrote: bool = False
    _failed: bool = False

    def _execute(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Any,
        many: bool,
        context: Mapping[str, Any],
    ) -> Any:
        try:
            result = execute(sql, params, many, context)
        except Error:
            self._failed = True
            raise
        if not sql.lstrip("( \n").upper().startswith(_HARMLESS):
            self._wrote = True
            transaction.on_commit(note)  # at once outside of a transaction; never after a rollback
        return result

    def _left_by(self, error: BaseException) -> None:
        """Handle an error that left the block.

        If no statement failed, the commit did, and its outcome is unknown.
        """
        if isinstance(error, Error) and self._wrote and not self._failed:
            self.changed = True


_watching: ContextVar[Seen | None] = ContextVar("poolsite_changes", default=None)


@contextmanager
def watching() -> Iterator[Seen]:
    """Detect this thread's changes in the default database, and those by commands of hotpath."""
    seen = Seen()
    before = _watching.set(seen)
    try:
        with connection.execute_wrapper(seen._execute):  # noqa: SLF001  its own
            yield seen
    except BaseException as error:
        seen._left_by(error)  # noqa: SLF001  its own
        raise
    finally:
        _watching.reset(before)


def is_watched() -> bool:
    """Whether the caller runs inside `watching`."""
    return _watching.get() is not None


def note() -> None:
    """Note that something may have been changed."""
    seen = _watching.get()
    if seen is not None:
        seen.changed = True


@contextmanager
def noted(*harmless: type[Exception]) -> Iterator[None]:
    """Note a change, whatever the outcome of the block, except after `harmless` errors.

    These errors mean that nothing was changed.
    """
    try:
        yield
    except harmless:
        raise
    except BaseException:
        note()
        raise
    note()
