"""No visit by a clock that has just jumped: a step would end every lease at once."""

import logging

from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.hotpath.clock import pace
from poolsite.jobs import sweeping

logger = logging.getLogger(__name__)
AWAY = (hotpath.HotPathError, RedisError, OSError)
FRESH_SECONDS = 0.1  # how long a look at the clock counts


class ClockGuard:
    """Holds every master's clock against this process' own pace before visits.

    doubt: why there are no visits now; "" = there are.
    """

    def __init__(self) -> None:
        self.doubt = ""
        self._memory = hotpath.ClockMonitor()
        self._looked_at = 0.0
        self._paused = ""
        self._confirmed: str | None = None

    async def in_order(self) -> bool:
        """Whether visits may go by Redis' clock."""
        if pace() - self._looked_at > FRESH_SECONDS:
            try:
                self.doubt = await self._look()
            except AWAY as error:
                self.doubt = "Redis does not answer"
                logger.info("timers: the clock was not read: %s", error)
        return not self.doubt

    async def heed(self) -> None:
        """Read what operators and other processes say of the clock; raises redis-py's errors."""
        client = hotpath.aclient()
        self._paused = str(await client.get(sweeping.PAUSED_KEY) or "")
        confirmed = str(await client.get(sweeping.CLOCK_CONFIRMED_KEY) or "")
        if self._confirmed is not None and confirmed != self._confirmed:
            self._memory.accept()
        self._confirmed = confirmed

    async def _look(self) -> str:
        began = pace()
        times = await hotpath.default().atimes()
        self._looked_at = pace()
        step = self._memory.judge(times, began, self._looked_at)
        return f"Redis' clock jumped by {step:+.1f} s" if step else self._paused
