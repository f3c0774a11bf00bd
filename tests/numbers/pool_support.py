"""What the tests of the number pool share: a pool under a clock that the test moves."""

import contextlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import redis

from numbers import pool
from poolsite import hotpath
from tests.support.clock import ScriptClock

SLUG = "numpool"
KEYS = pool.PoolKeys(SLUG)


def index_of(client: Any) -> dict[str, str]:
    """Return the pool's index of calls, callees, switches …: the hash's fields with a colon."""
    fields = client.hgetall(KEYS.tag).items()
    return {name: value for name, value in fields if name[1:2] == ":"}


@dataclass
class PoolUnderTest:
    """A pool on a Redis. Every method runs one command and returns its result."""

    path: hotpath.HotPath
    client: Any  # a redis.Redis whose replies are text
    clock: ScriptClock | None = None
    settings: pool.PoolSettings = field(default_factory=pool.PoolSettings)

    @property
    def now(self) -> datetime | None:
        """Return the test clock's time, for the midnights, or None for the real time."""
        if self.clock is None:
            return None
        return datetime.fromtimestamp(self.clock.now_us / 1e6, UTC)

    def run(self, command: hotpath.Command[Any]) -> Any:
        return self.path.run(command)

    def create(self, **settings: Any) -> "PoolUnderTest":
        self.settings = pool.PoolSettings(**settings)
        assert self.run(pool.create(SLUG, 1, self.settings, now=self.now)).ok
        return self

    def create_again(self, **settings: Any) -> None:
        """Empty Redis and create the pool again with other settings."""
        for key in KEYS.all:
            self.client.delete(key)
        self.create(**settings)

    def event(self, event: str, number: str = "", **options: Any) -> pool.EventOutcome:
        outcome = self.run(pool.event(SLUG, pool.Event.of(event, number, **options)))
        assert isinstance(outcome, pool.EventOutcome)
        return outcome

    def raw(self, *words: str | int) -> list[str]:
        """Run numbers/event as the seed's command line does: with only KEYS[1]."""
        script = pool.SCRIPTS["event"]
        return list(self.client.eval(script.text, 1, KEYS.tag, *words))

    def add(self, *numbers: str, up: bool = True, near: str = "") -> None:
        for number in numbers:
            assert self.event("add", number, near=near).ok
            if up:
                assert self.event("reg", number).ok

    def sweep(self) -> pool.PoolSwept:
        swept = self.run(pool.sweep(SLUG))
        assert isinstance(swept, pool.PoolSwept)
        return swept

    def figures(self) -> pool.PoolFigures:
        figures = self.run(pool.show(SLUG))
        assert isinstance(figures, pool.PoolFigures)
        return figures

    def state(self, number: str) -> pool.NumberState | None:
        states = self.run(pool.states(SLUG, [number]))
        found: pool.NumberState | None = states.by_number.get(number)
        return found

    def why_not(self, number: str) -> str:
        """Return why the number cannot be picked now, or "" if it can."""
        states = self.run(pool.states(SLUG, [number]))
        why: str = states.by_number[number].why_not(states.as_of_us)
        return why

    def idle(self) -> list[str]:
        """Return the pickable numbers, rested longest first."""
        return list(self.client.zrange(KEYS.idle, 0, -1))

    def changes(self) -> list[pool.PoolChange]:
        return [pool.read_change(fields) for _, fields in self.client.xrange(KEYS.log)]

    def live_list(
        self,
        calls: Sequence[tuple[str, str]],
        *,
        switch: str = "sw",
        incarnation: str = "boot-1",
        as_of_us: int | None = None,
    ) -> pool.ListPart:
        as_of = self.figures().as_of_us if as_of_us is None else as_of_us
        part = self.run(
            pool.live_list(
                SLUG,
                switch,
                incarnation,
                as_of,
                [pool.Listed(*call) for call in calls],
                first=True,
                last=True,
            )
        )
        assert isinstance(part, pool.ListPart)
        return part

    def advance(self, seconds: float) -> int:
        """Let time pass at a pool that gets requests, so it believes it. Backwards is a step.

        Return the time of the scripts' clock then, in µs.
        """
        now = self.step(seconds)
        if seconds > 0:
            self.client.hset(KEYS.tag, "clock", now)
        return now

    def step(self, seconds: float) -> int:
        """Step the clock, or let no request come for a while: a script cannot tell them apart."""
        assert self.clock is not None
        return self.clock.advance(seconds)

    def problems(self) -> list[tuple[str, str]]:
        """Return what a full scan finds wrong; [] if the keys agree with the states."""
        found = []
        cursors = dict.fromkeys(("numstate", "idle", "near", "timers"), 0)
        while cursors:
            pages = self.path.run_batch([pool.scan(SLUG, *each) for each in cursors.items()])
            assert [page for page in pages if isinstance(page, hotpath.HotPathError)] == []
            parts = dict(zip(cursors, pages, strict=True))
            for part in parts.values():
                found += [(number, problem) for number, _, problem in part.numbers if problem]
            cursors = {what: part.cursor for what, part in parts.items() if part.cursor}
        return found

    def everything(self) -> dict[str, Any]:
        """Return every key of the pool with its whole content."""
        client = self.client
        return {key: client.dump(key) if client.exists(key) else None for key in KEYS.all}


@contextmanager
def pool_on(url: str, clock: ScriptClock | None = None) -> Iterator[PoolUnderTest]:
    """Yield a pool's test bench on the Redis of `url`."""
    with (
        contextlib.closing(hotpath.HotPath(url)) as path,
        redis.Redis.from_url(url, decode_responses=True) as client,
    ):
        yield PoolUnderTest(path, client, clock)
