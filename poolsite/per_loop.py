"""One object per event loop, for objects that must not be used in another loop."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Call it to get the running loop's object. The first call creates it; it ends with the loop.

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
        """Return the objects of all living loops, in any thread."""
        return list(self._made.values())
