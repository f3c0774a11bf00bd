"""Each process takes permits in shares, so that a busy client needs no Redis call per request.

A share is at most a tenth of a second's worth of the client's smallest limit, so a small limit is
counted in Redis one by one. A share expires after SHARE_SECONDS.
"""

import asyncio
import logging
from collections.abc import Hashable
from dataclasses import dataclass

from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.limits.alone import Alone, seconds
from poolsite.limits.buckets import SECOND_US, LimitedClient, Taken, take
from poolsite.per_loop import PerLoop

log = logging.getLogger("poolsite.limits")

SHARE_SECONDS = 1.0  # permits of a share expire after it, so this much is the limit's overshoot
SHARES_IN_A_SECOND = 10
REDIS_SECONDS = 1.0  # a reply that takes longer is not waited for
AWAY_SECONDS = 1.0  # how long Redis is not called again after it did not reply
MOST_CLIENTS = 20_000

ALONE = Alone()


@dataclass(slots=True)
class _Share:
    left: int = 0
    until: float = 0.0  # what is left expires then
    size: int = 1  # how many permits the next one requests
    refused_until: float = 0.0
    waiting: int = 0
    filling: "asyncio.Task[None] | None" = None


class Shares:
    """The shares of one event loop, by client."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._shares: dict[Hashable, _Share] = {}
        self._away_until = 0.0
        self._away = False

    def spare(self, key: Hashable) -> bool:
        """Use one permit that is already here; return False if `take` must be called."""
        share = self._shares.get(key)
        if share is None or share.left < 1 or self._loop.time() >= share.until:
            return False
        share.left -= 1
        return True

    def refused_for(self, key: Hashable) -> float:
        """Return for how many more seconds this process knows that the client is refused."""
        share = self._shares.get(key)
        return 0.0 if share is None else max(0.0, share.refused_until - self._loop.time())

    async def take(self, key: Hashable, client: LimitedClient) -> float:
        """Use one permit of the client. Return 0.0, or the seconds after which to try again.

        `key` names the client here. Errors of Redis are not raised: without it this process counts
        alone.
        """
        share = self._shares.get(key)
        if share is None:
            self._make_room()
            share = self._shares[key] = _Share()
        share.waiting += 1
        try:
            while not self.spare(key):
                wait = share.refused_until - self._loop.time()
                if wait > 0:
                    return wait
                if share.filling is None:
                    share.filling = self._loop.create_task(self._fill(share, client))
                await asyncio.shield(share.filling)
        finally:
            share.waiting -= 1
        return 0.0

    async def _fill(self, share: _Share, client: LimitedClient) -> None:
        """Replace the rest of a share by a new one, or store until when there is none."""
        try:
            now = self._loop.time()
            largest = _largest(client)
            if share.left < 1:  # used up: double it if that took less than half its time
                quick = share.until - now > SHARE_SECONDS / 2
                share.size = share.size * 2 if quick else share.size
            else:
                share.size = max(1, share.size // 2)
            share.size = min(largest, share.size)
            wanted = min(largest, max(share.size, share.waiting))
            taken = await self._ask(client, wanted)
            now = self._loop.time()
            share.left, share.until = taken.permits, now + SHARE_SECONDS
            if not taken.permits:
                share.refused_until = now + seconds(taken)
        finally:
            share.filling = None

    async def _ask(self, client: LimitedClient, wanted: int) -> Taken:
        if self._loop.time() < self._away_until:
            return ALONE.take(client, wanted)
        try:
            async with asyncio.timeout(REDIS_SECONDS):
                taken = await hotpath.arun(take(client, wanted))
        except (RedisError, OSError, hotpath.HotPathError) as error:  # TimeoutError is an OSError
            if not self._away:
                log.warning("limits: Redis is away, each process counts alone: %s", error)
            self._away, self._away_until = True, self._loop.time() + AWAY_SECONDS
            return ALONE.take(client, wanted)
        if self._away:
            self._away = False
            ALONE.clear()
        return taken

    def _make_room(self) -> None:
        if len(self._shares) < MOST_CLIENTS:
            return
        now = self._loop.time()
        self._shares = {
            key: share
            for key, share in self._shares.items()
            if share.waiting or max(share.until, share.refused_until) > now
        }


def _largest(client: LimitedClient) -> int:
    """Return the most permits of a share: a tenth of a second's worth of the smallest limit."""
    tenth = SECOND_US // SHARES_IN_A_SECOND
    return max(1, min(limit.permits * tenth // limit.period_us for limit in client.limits))


shares = PerLoop(Shares)


def take_now(client: LimitedClient) -> float:
    """Use one permit in a thread. Return 0.0, or the seconds after which to try again. Blocks."""
    if not client.limits:
        return 0.0
    try:
        return seconds(hotpath.run(take(client, 1)))
    except (RedisError, OSError, hotpath.HotPathError) as error:
        log.warning("limits: Redis is away, each process counts alone: %s", error)
        return seconds(ALONE.take(client, 1))
