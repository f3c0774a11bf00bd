"""Copies peers from Redis to SQL, so that pages can name them after they have gone."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models.functions import Coalesce
from django.utils import timezone

from poolsite import hotpath
from poolsite.jobs.shards import of_shard
from poolsite.moments import moment_of
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import FrontEnd, Group, Instance, LinkState
from queueing.dispatch.services.common import known_instance

logger = logging.getLogger(__name__)

KEPT = timedelta(days=7)  # for stopped front-ends; IDs that we assign are never used again
SEEN_EVERY = timedelta(seconds=10)  # how far `last seen` in SQL may lag behind Redis
_INSTANCE = ("back_id", "version", "capacity", "weight", "link_state", "last_seen_at")
_FRONT = ("profile", "link_state", "last_seen_at")


def note_peers(shard: int, shards: int) -> dict[str, int]:
    """Update the rows of instances and front-ends. Return how many were written."""
    done = {"groups": 0, "rows": 0, "failed": 0}
    groups = of_shard(Group.objects.order_by("pk"), shard, shards)
    found = hotpath.run_batch([commands.peers(group.slug) for group in groups])
    for group, rows in zip(groups, found, strict=True):
        if isinstance(rows, hotpath.HotPathError):
            done["failed"] += 1
            continue
        done["groups"] += 1
        done["rows"] += note(group, rows)
    old = timezone.now() - KEPT
    gone = FrontEnd.objects.annotate(seen_at=Coalesce("last_seen_at", "created_at"))
    gone.filter(link_state=LinkState.STOP, seen_at__lt=old).delete()
    return done


def note(group: Group, rows: Sequence[commands.PeerRow]) -> int:
    """Update the rows of a group from its peers in Redis. Peers that are missing have stopped."""
    backs = {row.name: row for row in rows if not row.is_front}
    fronts = {row.id: row for row in rows if row.is_front}
    with transaction.atomic():
        written = 0
        known = {row.name: row for row in Instance.objects.filter(group=group)}
        for name in backs.keys() - known.keys():
            known[name] = known_instance(group, name)
        for name, instance in known.items():
            written += _save(instance, _instance_values(backs.get(name)), _INSTANCE)
        linked = FrontEnd.objects.filter(group=group).exclude(link_state=LinkState.STOP)
        seen = {row.peer_id: row for row in linked}
        for peer_id in fronts.keys() - seen.keys():
            seen[peer_id] = FrontEnd.objects.get_or_create(group=group, peer_id=peer_id)[0]
        for peer_id, front in seen.items():
            written += _save(front, _front_values(fronts.get(peer_id)), _FRONT)
    return written


def _instance_values(row: commands.PeerRow | None) -> dict[str, object]:
    if row is None:
        return {"link_state": LinkState.STOP}
    return {
        "back_id": row.id,
        "version": row.version,
        "capacity": row.capacity,
        "weight": row.weight,
        "link_state": row.state,
        "last_seen_at": _seen(row),
    }


def _front_values(row: commands.PeerRow | None) -> dict[str, object]:
    if row is None:
        return {"link_state": LinkState.STOP}
    return {"profile": row.profile, "link_state": row.state, "last_seen_at": _seen(row)}


def _seen(row: commands.PeerRow) -> datetime | None:
    """Return when a peer was last heard, or None while it is pending: SQL then keeps its value."""
    return None if row.heard_us is None else moment_of(row.heard_us)


def _save(row: Instance | FrontEnd, values: dict[str, object], fields: Sequence[str]) -> bool:
    """Write what differs. A change of `last seen` alone is only written every SEEN_EVERY."""
    seen = values.pop("last_seen_at", None)
    changed = [name for name, value in values.items() if getattr(row, name) != value]
    if isinstance(seen, datetime) and (
        changed or row.last_seen_at is None or seen - row.last_seen_at > SEEN_EVERY
    ):
        changed.append("last_seen_at")
        values["last_seen_at"] = seen
    for name in changed:
        setattr(row, name, values[name])
    if changed:
        row.save(update_fields=[name for name in fields if name in changed])
    return bool(changed)
