"""How far the history of each object reaches: in SQL, and in Redis.

A position is (generation, sequence number), by the object's Redis tag. An operator compares
positions with the records of a switch or a payment provider.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from poolsite.backup.registry import books_of_apps
from poolsite.history import tasks
from poolsite.history.models import Cursor
from poolsite.timers import kind_of

TAGS_AT_ONCE = 500
Position = tuple[int, int]
Positions = dict[str, dict[str, Position]]  # kind → tag → position


def catch_up() -> None:
    """Write to SQL what is in Redis, as the workers do. Safe while they run."""
    tasks.drain_all(0, 1)
    for books in books_of_apps():
        books.catch_up()


def in_sql() -> Positions:
    """Return SQL's positions of all objects, as the current transaction sees them."""
    found: Positions = {books.kind: {} for books in books_of_apps()}
    for kind, tag, generation, seq in Cursor.objects.values_list(
        "kind", "tag", "generation", "seq"
    ):
        found.setdefault(kind, {})[tag] = (generation, seq)
    for books in books_of_apps():
        found[books.kind] |= {tag: (generation, seq) for tag, generation, seq in books.positions()}
    return found


def in_redis(client: Any) -> Positions:
    """Return this Redis' positions of all objects; a later read finds at least as much.

    client: redis-py's, which decodes replies, of one server or of a Cluster.
    """
    found: Positions = {}
    rest = iter(tags_in(client))
    while tags := list(islice(rest, TAGS_AT_ONCE)):
        with client.pipeline(transaction=False) as pipeline:
            for tag in tags:
                pipeline.hmget(tag, "generation", "seq")
            for tag, (generation, seq) in zip(tags, pipeline.execute(), strict=True):
                kind = kind_of(tag)
                if kind is not None and generation:
                    found.setdefault(kind.name, {})[tag] = (int(generation), int(seq or 0))
    return found


def tags_in(client: Any) -> Iterable[str]:
    """Yield the tag of every object in this Redis, some of them twice."""
    return (tag for tag in client.scan_iter(match="{*}", count=1_000, _type="HASH") if kind_of(tag))


def not_in_sql(redis: Mapping[str, Positions], sql: Positions) -> list[str]:
    """Return the tags of which Redis had entries that SQL lacks. redis: positions by server."""
    known = {tag: position for by_tag in sql.values() for tag, position in by_tag.items()}
    return sorted(
        tag
        for positions in redis.values()
        for by_tag in positions.values()
        for tag, position in by_tag.items()
        if position[1] and position > known.get(tag, (0, 0))
    )
