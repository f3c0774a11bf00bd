"""Events of a number that SQL does not have yet, read from the pool's stream."""

from numbers import pool as commands
from numbers.models import Pool, PoolEvent
from numbers.pool.changes import may_name
from poolsite import hotpath

BACKLOG_LIMIT = 5_000


def late_events(pool: Pool, number: str) -> list[PoolEvent]:
    """Return unsaved events of a number that the drain has not read yet, newest first.

    One round trip for the drain's position and one for the entries. If more than 5 000 entries
    wait, the oldest are left out. Raise redis.RedisError if Redis is unavailable.
    """
    keys = commands.PoolKeys(pool.slug)
    client = hotpath.client()
    drained = int(client.hget(keys.tag, "drained") or 0)
    entries = client.xrevrange(keys.log, "+", f"{drained + 1}-0", count=BACKLOG_LIMIT)
    found = []
    for _id, fields in entries:
        if not may_name(fields.get("e", ""), number):
            continue
        change = commands.read_change(fields)
        if change.number == number:
            found.append(_event_of(pool, change))
    return found


def _event_of(pool: Pool, change: commands.PoolChange) -> PoolEvent:
    detail = {
        "picked": change.picked,
        "since_us": change.since_us,
        "ready_us": change.ready_us,
    }
    return PoolEvent(
        aggregate=pool,
        at_us=change.at_us,
        event=change.event,
        number=change.number,
        state_before=change.before,
        state_after=change.after,
        call_id=change.call_id,
        switch=change.switch,
        agent=change.agent,
        callee=change.callee,
        direction=change.direction,
        reason=change.reason,
        detail={name: value for name, value in detail.items() if value},
    )
