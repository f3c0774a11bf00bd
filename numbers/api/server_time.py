"""Redis' time in µs without a query per request: `as_of` of each answer to a switch.

`as_of` means that the switch may have heard of everything decided before this moment. Live lists
are judged with a margin of 10 s, so reading the clock once a second is enough. The value is never
ahead of Redis, unless Redis' clock was just set back.
"""

import asyncio
import time

from poolsite import hotpath
from poolsite.per_loop import PerLoop

LOOK_SECONDS = 1.0


class ServerTime:
    """One event loop's estimate of Redis' clock."""

    def __init__(self) -> None:
        self._us = 0
        self._looked_at = float("-inf")
        self._looking: asyncio.Task[None] | None = None

    async def now_us(self) -> int:
        """Return Redis' time. Raise redis-py's errors if it was never read and Redis is down."""
        if time.monotonic() - self._looked_at > LOOK_SECONDS:
            if self._looking is None:
                self._looking = asyncio.get_running_loop().create_task(self._look())
                self._looking.add_done_callback(self._looked)
            if not self._us:
                await asyncio.shield(self._looking)
        return self._us + int((time.monotonic() - self._looked_at) * 1_000_000)

    async def _look(self) -> None:
        client = await hotpath.aclient()
        seconds, micros = await client.time()
        self._looked_at = time.monotonic()  # after the answer, so never ahead of Redis
        self._us = int(seconds) * 1_000_000 + int(micros)

    def _looked(self, task: asyncio.Task[None]) -> None:
        self._looking = None
        if not task.cancelled():
            task.exception()


server_time = PerLoop(ServerTime)
