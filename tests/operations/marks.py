"""The marks in Redis by which the other processes say that they live."""

import time

from poolsite import hotpath, timers
from poolsite.jobs import lease, presence, sweeping
from poolsite.jobs.registry import QUEUES
from poolsite.timers import state

# Heard in the future: a mark that must stay good does not age while a slow machine runs its test.
LASTING_SECONDS = 600.0


def set_timers(*, shards: int = timers.SHARDS, paused: str = "") -> None:
    """As if a process of the timers held so many shards."""
    for shard in range(shards):
        hotpath.run(lease.command("acquire", state.lease_tag(shard), "test", 60))
    mark = state.ProcessMark(
        "test", time.time() + LASTING_SECONDS, tuple(range(shards)), 0, 0, 12.0, paused
    )
    hotpath.client().hset(state.PROCESSES_KEY, "test", mark.text())


def set_running() -> None:
    """As if timers, beat, a worker and a web process were at work."""
    set_timers()
    client = hotpath.client()
    client.set(sweeping.BEAT_KEY, str(time.time() + LASTING_SECONDS))
    client.set(timers.WEB_KEY, "1")
    set_worker(*QUEUES)


def set_worker(*queues: str, age_seconds: float = -LASTING_SECONDS) -> None:
    """As if a worker of these queues were heard so long ago."""
    said = f"{time.time() - age_seconds} {','.join(queues)}"
    hotpath.client().hset(presence.KEY, "worker@test", said)
