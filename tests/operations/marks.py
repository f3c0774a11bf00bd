"""The marks in Redis by which the other processes say that they live."""

import time

from poolsite import hotpath, timers
from poolsite.jobs import lease, presence, sweeping
from poolsite.jobs.registry import QUEUES
from poolsite.operations import watch
from poolsite.timers import state


def set_timers(*, shards: int = timers.SHARDS, paused: str = "") -> None:
    """As if a process of the timers held so many shards."""
    for shard in range(shards):
        hotpath.run(lease.command("acquire", state.lease_tag(shard), "test", 60))
    mark = state.ProcessMark("test", time.time(), tuple(range(shards)), 0, 0, 12.0, paused)
    hotpath.client().hset(state.PROCESSES_KEY, "test", mark.text())


def set_running() -> None:
    """As if timers, beat, a worker and a web process were at work."""
    set_timers()
    client = hotpath.client()
    client.set(sweeping.BEAT_KEY, str(time.time()))
    client.set(watch.WEB_KEY, "1")
    set_worker(*QUEUES)


def set_worker(*queues: str, age_seconds: float = 0.0) -> None:
    """As if a worker of these queues were heard so long ago."""
    said = f"{time.time() - age_seconds} {','.join(queues)}"
    hotpath.client().hset(presence.KEY, "worker@test", said)
