"""Topics for the tests: a counter, a log with a tail, a table, and a tenant's object."""

from typing import Any

from poolsite import access, hotpath, live
from poolsite.live.hub import hubs
from poolsite.live.outbox import BEHIND_CODE
from poolsite.live.tail import tail_of


class _Open(live.Topic):
    async def allowed(self, principal: access.Principal) -> access.Decision:
        return access.Decision.ALLOW if principal.is_authenticated else access.Decision.LOGIN


@live.register
class NoteTopic(_Open, live.SnapshotTopic):
    """A text in Redis. live.touch wakes it."""

    name = "test.note"

    async def read(self) -> Any:
        return {"text": await hotpath.aclient().get(f"note:{self.key}") or ""}


@live.register
class PresenceTopic(NoteTopic):
    """Counts the heartbeats that it gets, in Redis."""

    name = "test.presence"
    beats = True

    async def beat(self, principal: access.Principal) -> bool:
        await hotpath.aclient().hincrby(f"beats:{self.key}", principal.id, 1)
        return False


@live.register
class WhileItLastsTopic(NoteTopic):
    """May be watched only while Redis has its note."""

    name = "test.while_it_lasts"

    async def allowed(self, principal: access.Principal) -> access.Decision:
        is_there = await hotpath.aclient().exists(f"note:{self.key}")
        return access.Decision.ALLOW if is_there else access.Decision.FORBIDDEN

    def asks_again(self, principal: access.Principal) -> bool:
        return True


@live.register
class ClosedBehindTopic(_Open, live.SnapshotTopic):
    """The number of sockets that this process closed, or is closing, for being behind."""

    name = "test.closed_behind"

    async def read(self) -> Any:
        codes = [outbox.close_code for hub in hubs() for outbox in hub.outboxes]
        return {"count": sum(hub.closed_behind for hub in hubs()) + codes.count(BEHIND_CODE)}


@live.register
class TableTopic(_Open, live.RowsTopic):
    """A hash in Redis, with a row for each field."""

    name = "test.table"

    async def read(self) -> Any:
        rows = await hotpath.aclient().hgetall(f"table:{self.key}")
        return {key: {"value": value} for key, value in rows.items()}


@live.register
class LogTopic(_Open):
    """The last value of each name in an aggregate's stream, with catching up."""

    name = "test.log"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        if not key.isalnum():
            raise ValueError("a tag is letters and digits")
        self.tag = "{" + key + "}"
        self.tail = tail_of(self.tag)

    def wake_channels(self) -> list[str]:
        return [f"{self.tag}:wake"]

    async def snapshot(self) -> live.Snapshot:
        await self.tail.read()
        values = await hotpath.aclient().hgetall(f"{self.tag}:values")
        return live.Snapshot(self.tail.version, values)

    async def changes(self, since: int) -> live.Changes | None:
        await self.tail.read()
        return await self.between(since, self.tail.version)

    async def between(self, since: int, until: int) -> live.Changes | None:
        entries = self.tail.since(since, until)
        if entries is None:
            return None
        shown = {entry.value("name"): entry.value("value") for entry in entries}
        return live.Changes(until, shown or None)

    @staticmethod
    def apply(data: Any, change: Any) -> Any:
        return {**data, **change}


@live.register
class BrokenTopic(_Open):
    """A topic that always fails."""

    name = "test.broken"

    async def snapshot(self) -> live.Snapshot:
        raise ZeroDivisionError("a fault in a topic")

    async def changes(self, since: int) -> live.Changes | None:
        raise ZeroDivisionError("a fault in a topic")


access.register_action("test.view", roles=("owner",), operators=True)


@live.register
class TenantTopic(live.SnapshotTopic):
    """Belongs to the account whose primary key is the topic's key."""

    name = "test.tenant"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        int(key)

    async def allowed(self, principal: access.Principal) -> access.Decision:
        thing = access.Thing("test", self.key, account_id=int(self.key))
        return access.decide(principal, "test.view", thing)

    async def read(self) -> Any:
        return {"account": int(self.key)}


# One step of an aggregate, as its script would do it: number, entry, value, and a wake message not
# more often than every 100 ms.
WRITE = """
local seq = redis.call('HINCRBY', KEYS[1], 'seq', 1)
redis.call('HSETNX', KEYS[1], 'generation', '1')
local id = string.format('%.0f-0', seq)
redis.call('XADD', KEYS[1] .. ':log', id, 'name', ARGV[1], 'value', ARGV[2])
redis.call('HSET', KEYS[1] .. ':values', ARGV[1], ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local woken = tonumber(redis.call('HGET', KEYS[1], 'woken') or 0)
if now - woken >= 100000 then
  redis.call('HSET', KEYS[1], 'woken', string.format('%.0f', now))
  redis.call('PUBLISH', KEYS[1] .. ':wake', '')
end
return seq
"""
