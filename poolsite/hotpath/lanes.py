"""One async lane per event loop, closed by the loop itself when it ends."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from weakref import WeakKeyDictionary

from poolsite.hotpath.async_lane import AsyncLane


class LoopLanes:
    """Connections belong to the loop that opened them; tests and threads have many loops."""

    def __init__(self, make: Callable[[], AsyncLane]) -> None:
        self._make = make
        self._lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncLane] = WeakKeyDictionary()

    def current(self) -> AsyncLane:
        """Return the running loop's lane; RuntimeError outside of a loop."""
        loop = asyncio.get_running_loop()
        lane = self._lanes.get(loop)
        if lane is None:
            lane = self._lanes[loop] = self._make()
            _close_with_loop(lane)
        return lane

    async def aclose(self) -> None:
        """Close the running loop's lane; the next use opens another."""
        lane = self._lanes.pop(asyncio.get_running_loop(), None)
        if lane is not None:
            await lane.aclose()


def _close_with_loop(lane: AsyncLane) -> None:
    """Have `lane` closed by loop.shutdown_asyncgens().

    A loop has no other hook at its end, but it knows the async generators that were started in
    it and closes them; asyncio.run, uvicorn and pytest-asyncio all do. No await is needed to
    reach the first yield, so one step by hand starts it from plain code.
    """
    generator = _keeper(lane)
    lane.keeper = generator  # a loop holds its generators weakly
    try:
        generator.__anext__().send(None)
    except StopIteration:
        return


async def _keeper(lane: AsyncLane) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        await lane.aclose()
