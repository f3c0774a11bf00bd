"""The gates' sweeps and jobs; each may run twice at once. Importing registers them."""

from collections.abc import Iterator

from poolsite import jobs
from poolsite.jobs import JobHandle, Progress
from queueing.admission import services
from queueing.admission.services import loading


@jobs.sweep("admission.windows", every_seconds=2)
def windows(shard: int, shards: int) -> dict[str, int]:
    """Batches whose window is near."""
    return services.open_windows()


@jobs.sweep("admission.watch", every_seconds=2, light=True)
def watch(shard: int, shards: int) -> dict[str, int]:
    """Finds what Redis lost and what SQL has not sent, and mends it."""
    return services.watch_gates(shard, shards)


@jobs.sweep("admission.settings", every_seconds=600)
def settings(shard: int, shards: int) -> dict[str, int]:
    """Brings settings to Redis."""
    return services.apply_all_settings()


@jobs.sweep("admission.samples", every_seconds=60)
def samples(shard: int, shards: int) -> dict[str, int]:
    """One row per gate and minute, for the charts."""
    return services.sample_take()


@jobs.sweep("admission.alarms", every_seconds=10)
def alarms(shard: int, shards: int) -> dict[str, int]:
    """Compares gates with their thresholds."""
    from queueing.admission.services.alarms import check_alarms

    return check_alarms()


@jobs.kind(loading.LOAD, prefix="load", stale_seconds=30)
def load(job: JobHandle) -> Iterator[Progress]:
    """Puts a batch's tasks before the devices."""
    yield from loading.run_load(job)
