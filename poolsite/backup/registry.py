"""What apps bring from Redis to SQL in ways of their own."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Books:
    """What an app brings from Redis to SQL in its own way, beside the histories.

    positions: (tag, generation, seq) of everything, as SQL has it. catch_up: write to SQL what
    stands in Redis now; raises what Redis and SQL raise.
    """

    kind: str
    positions: Callable[[], Iterable[tuple[str, int, int]]]
    catch_up: Callable[[], Any]


_BOOKS: dict[str, Books] = {}


def register(books: Books) -> None:
    """Called in AppConfig.ready()."""
    _BOOKS[books.kind] = books


def books_of_apps() -> list[Books]:
    """Everything that was registered."""
    return list(_BOOKS.values())
