"""Redis' time in µs without asking at every request: `as_of` of each answer to a switch.

It says: whatever was decided before this moment, the switch may have heard of. A live list is
judged with 10 s to spare, so a second between two looks at the clock does no harm, and the
value is never ahead of Redis unless Redis' clock was just put back.
"""

import asyncio
import time

from poolsite import hotpath
from poolsite.per_loop import PerLoop

LOOK_SECONDS = 1.0


class ServerTime:
    """One event loop's idea of Redis' clock."""

    def __init__(self) -> None:
        self._us = 0
        self._looked_at = float("-inf")
        self._looking: asyncio.Task[None] | None = None

    async def now_us(self) -> int:
        """Redis' time. Raises redis-py's errors when it was never seen and Redis is away."""
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
