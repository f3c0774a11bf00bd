"""Is Redis' clock right? Only what a worker's own pace confirms may end somebody's permit."""

import logging

from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.operations import clock

logger = logging.getLogger(__name__)

LOOKS = 3  # a look that took too long on a busy machine proves nothing: look again


def confirmed_us() -> int | None:
    """Redis' time in µs if it agrees with this process' own pace; None = it is in doubt.

    A step is told by the monitor (poolsite/operations/clock.py), which also pauses the sweeps.
    """
    for _ in range(LOOKS):
        began = clock.pace()
        try:
            clocks = clock.redis_clocks()
            stepped = clock.MONITOR.check()
        except (RedisError, hotpath.HotPathError, OSError) as error:
            logger.info("admission: the clock was not read: %s", error)
            return None
        if stepped:
            return None
        if clock.pace() - began <= clock.SLOW_SECONDS:
            return round(min(clocks.values()) * 1_000_000)
    return None
