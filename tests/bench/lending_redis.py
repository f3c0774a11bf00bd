"""Numbers lent by Redis: by Poolsite, by the seed's own Lua, and by a list with a lock."""

from collections.abc import Sequence

import redis

from numbers.pool import SCRIPTS, event, events
from poolsite.hotpath import Command
from poolsite.hotpath.library import library_of
from poolsite.hotpath.planner import read_reply
from tests.bench import seed_pool
from tests.bench.lending import Lent, Step
from tests.bench.pools import SLUG, call_event, call_id, fill, hangup_event
from tests.bench.redis_cpu import send_pipelined, used_cpu_seconds


class InRedis:
    """What the ways in Redis share: one client, whose server's cost is measured."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client

    def prepare(self) -> None:
        """Nothing is left to do; see `Way.prepare`."""

    def cpu_seconds(self) -> float:
        """See `Way.cpu_seconds`."""
        return used_cpu_seconds(self.client)


class Ours(InRedis):
    """A pool with everything on, by FCALL: one event, or `size` events, in each call."""

    def __init__(self, client: redis.Redis, numbers: int, size: int) -> None:
        super().__init__(client)
        self.size = size
        fill(client, numbers)
        library = library_of(SCRIPTS["event"])
        assert library is not None
        client.function_load(library.text, replace=True)
        self.library = library

    def take(self, steps: Sequence[Step]) -> list[Lent]:
        """See `Way.take`. A hangup names only its call."""
        asked = [
            hangup_event(step.call)
            if isinstance(step, Lent)
            else call_event(step, policy="longest")
            for step in steps
        ]
        parts = [asked[start : start + self.size] for start in range(0, len(asked), self.size)]
        commands: list[Command] = [
            event(SLUG, part[0]) if self.size == 1 else events(SLUG, part) for part in parts
        ]
        sent = [each.fcall(self.library.function(each.script), whole=False) for each in commands]
        replies = map(read_reply, commands, send_pipelined(self.client, sent))
        outcomes = list(replies) if self.size == 1 else [one for many in replies for one in many]
        # We accept a hangup that is repeated or early as ok: only the reason differs.
        assert all(outcome.ok and not outcome.reason for outcome in outcomes)
        return _lent(steps, [outcome.number for outcome in outcomes])

    def free(self) -> list[str]:
        """See `Way.free`: numbers in the idle set whose state has no call."""
        states = self.client.hgetall("{" + SLUG + "}:numstate")
        ready = map(str, self.client.zrange("{" + SLUG + "}:idle:up", 0, -1))
        return [number for number in ready if '"callstate":1' not in states[number]]


class Seed(InRedis):
    """The seed's script: a hangup names the number, whichever call has it."""

    def __init__(self, client: redis.Redis, numbers: Sequence[str]) -> None:
        super().__init__(client)
        self.sha = seed_pool.fill(client, numbers)

    def take(self, steps: Sequence[Step]) -> list[Lent]:
        """See `Way.take`."""
        sent = [
            seed_pool.words(self.sha, "hangup", step.number)
            if isinstance(step, Lent)
            else seed_pool.words(self.sha, "call")
            for step in steps
        ]
        replies = send_pipelined(self.client, sent)
        assert "0" not in replies
        return _lent(steps, replies)

    def free(self) -> list[str]:
        """See `Way.free`."""
        return [*map(str, self.client.lrange(seed_pool.IDLE, 0, -1))]


class ListAndLock(InRedis):
    """LPOP, then SET NX PX with the call's ID; unlocked by compare-and-delete, then RPUSH.

    The second command needs the first one's answer, so a call and a hangup take two round trips
    each.
    """

    IDLE, LOCK, HELD_MS = "idle", "lock:", 3_600_000
    UNLOCK = """
    if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
    return 0
    """

    def __init__(self, client: redis.Redis, numbers: Sequence[str]) -> None:
        super().__init__(client)
        client.rpush(self.IDLE, *numbers)
        self.sha = client.script_load(self.UNLOCK)

    def take(self, steps: Sequence[Step]) -> list[Lent]:
        """See `Way.take`."""
        first: list[tuple[object, ...]] = [
            ("EVALSHA", self.sha, 1, self.LOCK + step.number, call_id(step.call))
            if isinstance(step, Lent)
            else ("LPOP", self.IDLE)
            for step in steps
        ]
        replies = send_pipelined(self.client, first)
        second: list[tuple[object, ...]] = [
            ("RPUSH", self.IDLE, step.number)
            if isinstance(step, Lent)
            else ("SET", f"{self.LOCK}{reply}", call_id(step), "NX", "PX", self.HELD_MS)
            for step, reply in zip(steps, replies, strict=True)
        ]
        assert all(replies)
        assert all(send_pipelined(self.client, second))
        return _lent(steps, replies)

    def free(self) -> list[str]:
        """See `Way.free`. Locks that are left are returned as well."""
        locks = self.client.scan_iter(self.LOCK + "*")
        return [*map(str, self.client.lrange(self.IDLE, 0, -1)), *map(str, locks)]


def _lent(steps: Sequence[Step], replies: Sequence[object]) -> list[Lent]:
    return [
        Lent(step, str(reply))
        for step, reply in zip(steps, replies, strict=True)
        if not isinstance(step, Lent)
    ]
