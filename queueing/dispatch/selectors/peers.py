"""Instances and front-ends: their links in Redis, combined with their rows in SQL."""

from collections.abc import Iterable
from typing import Any

from poolsite import hotpath
from poolsite.moments import us_of
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import FrontEnd, Group, Instance

SHOWN = 1_000


def peers_of(
    rows: Iterable[commands.PeerRow],
    instances: Iterable[Instance],
    counts: dict[str, tuple[int | None, int | None]],
) -> dict[str, dict[str, Any]]:
    """Return peers by key as pages and the API show them. The key of an instance is "b:<name>".

    rows: the peers in Redis. instances: every name in SQL, so that a stopped instance is included
    with its manual state. counts: front-end's ID → sessions started and lost by its own count.
    """
    names = {instance.name: instance for instance in instances}
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if not row.is_front:
            found[f"b:{row.name}"] = {**_link(row), **_manual(row, names.pop(row.name, None))}
        else:
            started, lost = counts.get(row.id, (None, None))
            found[f"f:{row.id}"] = {
                **_link(row),
                "profile": row.profile,
                "told_started": started,
                "told_lost": lost,
            }
    for name, instance in names.items():
        found[f"b:{name}"] = {**_stopped(instance), **_manual(None, instance)}
    return found


def peer_of(group: Group, key: str, rows: Iterable[commands.PeerRow]) -> dict[str, Any] | None:
    """Return a peer by "f:<id>" or "b:<id>", in the form of `peers_of`, or None.

    rows: the group's peers in Redis. An instance that is no longer in Redis is read from SQL.
    """
    instances = Instance.objects.filter(group=group)
    row = next((each for each in rows if each.key == key), None)
    if row is not None:
        found = peers_of([row], instances.filter(name=row.name), front_counts(group))
    else:
        kind, _, its_id = key.partition(":")
        found = peers_of([], instances.filter(back_id=its_id) if kind == "b" else [], {})
    return next(iter(found.values()), None)


def first_snapshots(group: Group) -> dict[str, Any]:
    """Return the first state of the group's live topic of peers, or {} if Redis doesn't answer.

    Rates need two readings, so they are 0 here.
    """
    try:
        rows = hotpath.run(commands.peers(group.slug))
    except hotpath.HotPathError:
        return {}
    found = peers_of(rows, Instance.objects.filter(group=group), front_counts(group))
    return {
        f"dispatch.peers:{group.slug}": {"rows": {k: {**v, "rate": 0.0} for k, v in found.items()}}
    }


def front_counts(group: Group) -> dict[str, tuple[int | None, int | None]]:
    """Return each front-end's own count: ID → sessions started, sessions lost."""
    rows = FrontEnd.objects.filter(group=group).exclude(told_at=None)
    return {
        peer_id: (started, lost)
        for peer_id, started, lost in rows.values_list("peer_id", "told_started", "told_lost")
    }


def _link(row: commands.PeerRow) -> dict[str, Any]:
    return {
        "kind": "front" if row.is_front else "back",
        "id": row.id,
        "name": row.name or row.id,
        "state": row.state,
        "version": row.version,
        "capacity": row.capacity,
        "weight": row.weight,
        "sessions": row.sessions,
        "since_us": row.since_us,
        "heard_us": row.heard_us,
        "pending_until_us": row.pending_until_us,
        "unacked": row.unacked,
        "buffered_ends": row.buffered_ends,
        "messages": row.received + row.sent,
        "incarnation": row.incarnation,
    }


def _stopped(instance: Instance) -> dict[str, Any]:
    heard = us_of(instance.last_seen_at) if instance.last_seen_at else None
    return {
        "kind": "back",
        "id": instance.back_id,
        "name": instance.name,
        "state": "stop",
        "version": instance.version,
        "capacity": instance.capacity,
        "weight": instance.weight,
        "sessions": 0,
        "since_us": None,
        "heard_us": heard,
        "pending_until_us": None,
        "unacked": 0,
        "buffered_ends": 0,
        "messages": 0,
        "incarnation": "",
    }


def _manual(row: commands.PeerRow | None, instance: Instance | None) -> dict[str, Any]:
    """Return the manual state of a name. Redis has the current state, SQL who set it and why."""
    known = instance or Instance()
    return {
        "manual": row.manual if row else known.manual_state,
        "upgrading": row.upgrading if row else known.upgrading,
        "backup": row.backup if row else known.backup,
        **_health(row),
        "manual_by": known.manual_by,
        "manual_reason": known.manual_reason,
        "manual_since_us": us_of(known.manual_at) if known.manual_at else None,
        "manual_until_us": us_of(known.manual_until) if known.manual_until else None,
    }


def _health(row: commands.PeerRow | None) -> dict[str, Any]:
    """Return an instance's ejection and failure counts. None means that it has stopped."""
    return {
        "ejected_until_us": row.ejected_until_us if row else None,
        "ejections": row.ejections if row else 0,
        "judged": row.judged if row else 0,
        "failed": row.failed if row else 0,
        "share_percent": row.share_percent if row else 100,
    }
