"""One object of a kind for each event loop: what belongs to a loop may not be used in another."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Call it for the running loop's object; it is made at the first call, and ends with the loop.

    `make` is called without arguments, inside the loop.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: WeakKeyDictionary[asyncio.AbstractEventLoop, T] = WeakKeyDictionary()

    def __call__(self) -> T:
        loop = asyncio.get_running_loop()
        found = self._made.get(loop)
        if found is None:
            found = self._made[loop] = self._make()
        return found

    def all(self) -> list[T]:
        """The objects of every loop that lives, in any thread."""
        return list(self._made.values())
