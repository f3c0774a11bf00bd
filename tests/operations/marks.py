"""The marks in Redis with which the other processes report that they are running."""

import time

from poolsite import hotpath, timers
from poolsite.jobs import lease, presence, sweeping
from poolsite.jobs.registry import QUEUES
from poolsite.timers import state

# A time in the future: on a slow machine, a mark must not get old during its test.
LASTING_SECONDS = 600.0


def set_timers(*, shards: int = timers.SHARDS, paused: str = "") -> None:
    """Set the marks of a timers process that holds this many shards."""
    for shard in range(shards):
        hotpath.run(lease.command("acquire", state.lease_tag(shard), "test", 60))
    mark = state.ProcessMark(
        "test", time.time() + LASTING_SECONDS, tuple(range(shards)), 0, 0, 12.0, paused
    )
    hotpath.client().hset(state.PROCESSES_KEY, "test", mark.text())


def set_running() -> None:
    """Set the marks of running timers, a beat, a worker and a web process."""
    set_timers()
    client = hotpath.client()
    client.set(sweeping.BEAT_KEY, str(time.time() + LASTING_SECONDS))
    client.set(timers.WEB_KEY, "1")
    set_worker(*QUEUES)


def set_worker(*queues: str, age_seconds: float = -LASTING_SECONDS) -> None:
    """Set the mark of a worker of these queues that last reported this long ago."""
    said = f"{time.time() - age_seconds} {','.join(queues)}"
    hotpath.client().hset(presence.KEY, "worker@test", said)
