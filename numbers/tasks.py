"""The pools' sweeps; each may run twice at once, on any worker. Importing registers them."""

import time

from numbers import services
from poolsite import jobs

COUNT_SECONDS = 20


@jobs.sweep("numbers.charges", every_seconds=2, shards=2, pausable=True, queue=jobs.BOOKS)
def charges(shard: int, shards: int) -> dict[str, int]:
    """Next intervals of charged calls, and what a process that died left half done."""
    return services.sweep_charges(shard, shards)


@jobs.sweep("numbers.watch", every_seconds=2, light=True)
def watch(shard: int, shards: int) -> dict[str, int]:
    """Finds what Redis lost and what SQL has not sent, and mends it."""
    counting = int(time.time()) % COUNT_SECONDS < 2
    return services.watch_pools(shard, shards, counting=counting)


@jobs.sweep("numbers.settings", every_seconds=600)
def settings(shard: int, shards: int) -> dict[str, int]:
    """Brings settings and the coming midnights to Redis."""
    return services.apply_all_settings()


@jobs.sweep("numbers.health", every_seconds=30, pausable=True)
def health(shard: int, shards: int) -> dict[str, int]:
    """Windows of number health move on, rests end, rules act."""
    from numbers.services.health_acting import health_tick

    return health_tick()


@jobs.sweep("numbers.samples", every_seconds=60)
def samples(shard: int, shards: int) -> dict[str, int]:
    """One row per pool and minute, for the charts."""
    return services.sample_take()


@jobs.sweep("numbers.alarms", every_seconds=10)
def alarms(shard: int, shards: int) -> dict[str, int]:
    """Compares pools with their thresholds."""
    from numbers.services.alarms import check_alarms

    return check_alarms()


@jobs.sweep("numbers.twins", every_seconds=20, light=True)
def twins(shard: int, shards: int) -> dict[str, int]:
    """Keeps every number's canonical form, and the incident about duplicates."""
    from numbers.services.twins import watch_twins

    return watch_twins()
