"""Data that apps write from Redis to SQL without the history."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Books:
    """Data that an app writes from Redis to SQL in its own way, apart from the histories.

    positions: (tag, generation, seq) of all of it in SQL. catch_up: writes to SQL what is in Redis
    now; raises the errors of Redis and SQL.
    """

    kind: str
    positions: Callable[[], Iterable[tuple[str, int, int]]]
    catch_up: Callable[[], Any]


_BOOKS: dict[str, Books] = {}


def register(books: Books) -> None:
    """Register books. Call this in AppConfig.ready()."""
    _BOOKS[books.kind] = books


def books_of_apps() -> list[Books]:
    """Return everything that was registered."""
    return list(_BOOKS.values())
