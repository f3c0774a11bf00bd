"""The desks' sweeps; each may run twice at once, on any worker. Importing registers them."""

from poolsite import jobs
from queueing.line.services import (
    attachments,
    calling,
    erasing,
    healing,
    message_calls,
    service_levels,
    sweeping,
    visitor_mails,
)


@jobs.sweep("line.watch", every_seconds=2, light=True)
def watch(shard: int, shards: int) -> dict[str, int]:
    """Finds what Redis lost, and mends it."""
    return healing.watch_desks(shard, shards)


@jobs.sweep("line.calls", every_seconds=2, pausable=True, light=True)
def calls(shard: int, shards: int) -> dict[str, int]:
    """Calls back: keeps their numbers, finishes or undoes what was left half done."""
    of_rooms = calling.sweep_calls(shard, shards)
    of_messages = message_calls.sweep_message_calls(shard, shards)
    return {name: of_rooms[name] + of_messages[name] for name in of_rooms}


@jobs.sweep("line.hours", every_seconds=20)
def hours(shard: int, shards: int) -> dict[str, int]:
    """Opens and closes queues by their hours; brings settings to Redis."""
    return sweeping.apply_hours()


@jobs.sweep("line.samples", every_seconds=60)
def samples(shard: int, shards: int) -> dict[str, int]:
    """One row per queue and minute, for the charts."""
    return sweeping.sample_take()


@jobs.sweep("line.laws", every_seconds=30)
def laws(shard: int, shards: int) -> dict[str, int]:
    """Holds every desk against the four laws; a drift is an incident."""
    return sweeping.check_laws()


@jobs.sweep("line.levels", every_seconds=60)
def levels(shard: int, shards: int) -> dict[str, int]:
    """Tells of queues whose service level of the last hour is too low."""
    return service_levels.check_levels()


@jobs.sweep("line.retention", every_seconds=600)
def retention(shard: int, shards: int) -> dict[str, int]:
    """Erases transcripts and names that are older than their desk keeps them."""
    attachments.forget_erased()
    return erasing.erase_expired()


@jobs.sweep("line.attachments", every_seconds=60)
def files(shard: int, shards: int) -> dict[str, int]:
    """Removes files that were never sent, or that a dead process left half removed."""
    return attachments.sweep_attachments()


@jobs.sweep("line.turns", every_seconds=2, light=True)
def turns(shard: int, shards: int) -> dict[str, int]:
    """Whose turn is near, of the visitors who asked to be told by mail; keeps their places."""
    return visitor_mails.look_for_turns(shard, shards)


@jobs.sweep("line.mails", every_seconds=5, queue=jobs.JOBS)
def mails(shard: int, shards: int) -> dict[str, int]:
    """Sends visitors the mails that they asked for."""
    return visitor_mails.send_due()
