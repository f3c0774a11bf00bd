"""Notifies switches that a call must end, with pub/sub to the process that has their socket."""

import json
import logging
from collections.abc import Iterable

from redis.exceptions import RedisError

from numbers.pool import Forced, PoolKeys
from poolsite import hotpath

logger = logging.getLogger(__name__)


def tell_switches(slug: str, forced: Iterable[Forced], reason: str) -> None:
    """Notify the switches of calls that ended here. The next live list repeats lost messages."""
    client = hotpath.client()
    for one in forced:
        if not one.switch:
            continue
        told = {
            "switch": one.switch,
            "number": one.number,
            "call_id": one.call_id,
            "reason": reason,
        }
        try:
            client.publish(PoolKeys(slug).hangups_channel, json.dumps(told))
        except (RedisError, OSError) as error:
            logger.warning("numbers: a hangup of %s was not told: %s", slug, error)
