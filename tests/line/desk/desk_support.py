"""What the tests of a desk share: a desk under a clock that the test moves."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import redis

from poolsite import hotpath
from queueing.line import desk
from tests.support.clock import ScriptClock

SLUG = "support"
KEYS = desk.DeskKeys(SLUG)


@dataclass
class DeskUnderTest:
    """A desk on a Redis. Every method runs one command and returns its result."""

    path: hotpath.HotPath
    client: Any  # a redis.Redis whose replies are text
    clock: ScriptClock | None = None

    def run(self, command: hotpath.Command[Any]) -> Any:
        return self.path.run(command)

    def _run_all(self, commands: list[hotpath.Command[Any]]) -> list[Any]:
        """Return the results of commands that are sent in one round trip."""
        answers = self.path.run_batch(commands)
        assert [each for each in answers if isinstance(each, hotpath.HotPathError)] == []
        return answers

    def create(self) -> "DeskUnderTest":
        assert self.run(desk.create(SLUG, 1)).answer == "ok"
        return self

    def begin_anew(self, now_seconds: int) -> "DeskUnderTest":
        """Empty Redis, set its clock to this time, and create a desk without people."""
        assert self.clock is not None
        self.client.flushdb()
        self.clock.set(now_seconds * 1_000_000)
        return self.create()

    def queue(self, queue: int, **settings: Any) -> None:
        """Configure a queue. By default rooms are not held for people who stop responding."""
        settings = {"room_grace_seconds": 0, "agent_grace_seconds": 0, **settings}
        assert self.run(desk.queue_write(SLUG, queue, desk.QueueSettings(**settings))).ok

    def agent(self, agent: int, *queues: int, online: bool = False, **settings: Any) -> None:
        written = desk.AgentSettings(queues=queues, **settings)
        assert self.run(desk.agent_write(SLUG, agent, written)).ok
        if online:
            self.login(agent)

    def join(self, visit: str, queue: int = 1, **given: Any) -> desk.Standing:
        standing = self.run(desk.join(SLUG, visit, queue, **given))
        assert isinstance(standing, desk.Standing)
        return standing

    def beat(self, visit: str) -> desk.Standing:
        standing = self.run(desk.beat(SLUG, visit))
        assert isinstance(standing, desk.Standing)
        return standing

    def beats(self, *alive: str | int) -> list[Any]:
        """Send heartbeats of visitors (names) and agents (IDs), in one round trip."""
        return self._run_all(
            [
                desk.agent_beat(SLUG, each) if isinstance(each, int) else desk.beat(SLUG, each)
                for each in alive
            ]
        )

    def login(self, agent: int) -> desk.AgentState:
        state = self.run(desk.login(SLUG, agent))
        assert isinstance(state, desk.AgentState)
        assert state.answer == "ok"
        return state

    def agent_beat(self, agent: int) -> desk.AgentState:
        state = self.run(desk.agent_beat(SLUG, agent))
        assert isinstance(state, desk.AgentState)
        return state

    def finish(self, agent: int, visit: str) -> desk.DeskReply:
        answer = self.run(desk.finish(SLUG, agent, visit))
        assert isinstance(answer, desk.DeskReply)
        return answer

    def sweep(self, heard_since_ms: int | None = 0) -> None:
        while self.run(desk.sweep(SLUG, heard_since_ms=heard_since_ms)).more:
            pass

    def visit(self, visit: str) -> desk.VisitRecord:
        found = self.run(desk.visits(SLUG, [visit]))[visit]
        assert isinstance(found, desk.VisitRecord)
        return found

    def agent_record(self, agent: int) -> desk.AgentRecord:
        _, found = self.run(desk.agents(SLUG))
        return next(record for record in found if record.agent == agent)

    def figures(self) -> desk.DeskFigures:
        figures = self.run(desk.show(SLUG))
        assert isinstance(figures, desk.DeskFigures)
        return figures

    def wrong(self) -> list[tuple[str, str]]:
        """Return whatever contradicts the laws."""
        found: list[tuple[str, str]] = []
        parts = ("visits", "agents", "waiting", "ready", "free", "idle")
        cursors = dict.fromkeys(parts, "0")
        while cursors:
            pages = self._run_all([desk.check(SLUG, *each) for each in cursors.items()])
            found += [problem for _, some in pages for problem in some]
            went_on = zip(cursors, pages, strict=True)
            cursors = {what: cursor for what, (cursor, _) in went_on if cursor != "0"}
        return found

    def log(self) -> list[dict[str, str]]:
        """Return every entry of the history, oldest first."""
        return [fields for _, fields in self.client.xrange(KEYS.log)]

    def advance(self, seconds: float, *alive: str | int) -> None:
        """Let time pass with sweeps and heartbeats of visitors (names) and agents (IDs)."""
        assert self.clock is not None
        left = seconds
        while left > 0:
            step = min(left, 5.0)
            self.clock.advance(step)
            left -= step
            self.beats(*alive)
            self.sweep()


@contextmanager
def desk_on(url: str, clock: ScriptClock | None = None) -> Iterator[DeskUnderTest]:
    """Yield a desk's test bench on the Redis of `url`."""
    with (
        contextlib.closing(hotpath.HotPath(url)) as path,
        redis.Redis.from_url(url, decode_responses=True) as client,
    ):
        yield DeskUnderTest(path, client, clock)
