"""One async lane per event loop. The loop closes it when it ends."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from weakref import WeakKeyDictionary

from poolsite.hotpath.async_lane import AsyncLane


class LoopLanes:
    """The lanes by loop. Connections belong to the loop that opened them; tests and threads have
    many.
    """

    def __init__(self, make: Callable[[], AsyncLane]) -> None:
        self._make = make
        self._lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncLane] = WeakKeyDictionary()

    def current(self) -> AsyncLane:
        """Return the running loop's lane. Raise RuntimeError outside a loop."""
        loop = asyncio.get_running_loop()
        lane = self._lanes.get(loop)
        if lane is None:
            lane = self._lanes[loop] = self._make()
            _close_with_loop(lane)
        return lane

    async def aclose(self) -> None:
        """Close the running loop's lane. The next use opens another one."""
        lane = self._lanes.pop(asyncio.get_running_loop(), None)
        if lane is not None:
            await lane.aclose()


def _close_with_loop(lane: AsyncLane) -> None:
    """Have `lane` closed by loop.shutdown_asyncgens().

    A loop has no other hook at its end, but it knows the async generators that were started in it
    and closes them. asyncio.run, uvicorn and pytest-asyncio all do that. No await is needed to
    reach the first yield, so a single step starts the generator from plain code.
    """
    generator = _keeper(lane)
    lane.keeper = generator  # a loop has only weak references to its generators
    try:
        generator.__anext__().send(None)
    except StopIteration:
        return


async def _keeper(lane: AsyncLane) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        await lane.aclose()
