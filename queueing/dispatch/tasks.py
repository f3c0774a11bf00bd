"""The groups' sweeps; each may run twice at once. Importing registers them."""

from poolsite import jobs
from queueing.dispatch import services


@jobs.sweep("dispatch.upgrades", every_seconds=1, light=True)
def upgrades(shard: int, shards: int) -> dict[str, int]:
    """One step of every running upgrade."""
    return services.tick_upgrades()


@jobs.sweep("dispatch.untils", every_seconds=2, light=True)
def untils(shard: int, shards: int) -> dict[str, int]:
    """Drains and blocks that Redis has opened: SQL says so too."""
    return services.end_untils()


@jobs.sweep("dispatch.watch", every_seconds=2, light=True)
def watch(shard: int, shards: int) -> dict[str, int]:
    """Finds what Redis lost and what SQL has not sent, and mends it."""
    return services.watch_groups(shard, shards)


@jobs.sweep("dispatch.peers", every_seconds=2, light=True)
def peers(shard: int, shards: int) -> dict[str, int]:
    """Notes in SQL who is linked."""
    return services.note_peers(shard, shards)


@jobs.sweep("dispatch.samples", every_seconds=60)
def samples(shard: int, shards: int) -> dict[str, int]:
    """One row per group and minute, for the charts."""
    return services.sample_take()


@jobs.sweep("dispatch.alarms", every_seconds=10)
def alarms(shard: int, shards: int) -> dict[str, int]:
    """Groups that need a person."""
    return services.check_alarms()
