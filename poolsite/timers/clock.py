"""Prevents visits by a clock that has just jumped: a step would end every lease at once."""

import logging
from collections.abc import Callable

from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.hotpath import HotPath
from poolsite.hotpath.clock import pace
from poolsite.jobs import sweeping

logger = logging.getLogger(__name__)
AWAY = (hotpath.HotPathError, RedisError, OSError)
FRESH_SECONDS = 0.1  # for how long a reading of the clock is valid


class ClockGuard:
    """Compares the clock of every master of one Redis with this process's own clock before visits.

    doubt: why there are no visits now, or "" if there are. away: whether Redis does not answer.
    """

    def __init__(self, path: Callable[[], HotPath]) -> None:
        self.doubt = ""
        self.away = False
        self._path = path
        self._memory = hotpath.ClockMonitor()
        self._looked_at = 0.0
        self._paused = ""
        self._confirmed: str | None = None

    async def in_order(self) -> bool:
        """Return whether visits may rely on Redis' clock."""
        if pace() - self._looked_at > FRESH_SECONDS:
            try:
                self.doubt, self.away = await self._look(), False
            except AWAY as error:
                self.doubt, self.away = "Redis does not answer", True
                logger.info("timers: the clock was not read: %s", error)
        return not self.doubt

    def heed(self, paused: str, confirmed: str) -> None:
        """Take over what operators and other processes report about the clock: why it is doubted,
        and how often a new time was confirmed.
        """
        self._paused = paused
        if self._confirmed is not None and confirmed != self._confirmed:
            self._memory.accept()
        self._confirmed = confirmed

    async def _look(self) -> str:
        began = pace()
        times = await self._path().atimes()
        self._looked_at = pace()
        step = self._memory.judge(times, began, self._looked_at, doubted=bool(self._paused))
        return f"Redis' clock jumped by {step:+.1f} s" if step else self._paused


async def what_is_said() -> tuple[str, str]:
    """Return why the clock is doubted ("" if it is not) and the last confirmation of a new time, as
    operators and other processes have stored them on the common server. Raise AWAY.
    """
    client = hotpath.aclient()
    paused = str(await client.get(sweeping.PAUSED_KEY) or "")
    return paused, str(await client.get(sweeping.CLOCK_CONFIRMED_KEY) or "")
