"""What the tests of the dispatcher share: a group under a clock that the test moves, and peers.

A `Peer` is the other end of a socket: it numbers what it sends, stores what it received,
and knows what it has acknowledged.
"""

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import redis

from poolsite import hotpath
from queueing.dispatch import dispatcher
from tests.support.clock import ScriptClock

SLUG = "calls"
KEYS = dispatcher.GroupKeys(SLUG)
GENERATION = 1_600_000_000_000_000
_links = itertools.count(1)


@dataclass
class Peer:
    """A peer on a link: the group's commands with its key, its link and its numbers."""

    group: "GroupUnderTest"
    key: str
    link: str
    process: str
    seq: int = 0
    received: int = 0
    registered: dispatcher.Registered | None = None

    @property
    def id(self) -> str:
        return dispatcher.id_of(self.key)

    def number(self) -> int:
        self.seq += 1
        return self.seq

    def start(self, word: str = "1", **given: Any) -> dispatcher.Routed:
        return self._routed(dispatcher.start(*self._head(), word, **given))

    def message(self, session: str, body: str = '"m"') -> dispatcher.Routed:
        return self._routed(dispatcher.message(*self._head(), session, body))

    def end(
        self, session: str, reason: str = "", body: str = '"b"', *, failed: bool = False
    ) -> dispatcher.Routed:
        return self._routed(dispatcher.end(*self._head(), session, reason, body, failed))

    def deliver(self, to: str = "", body: str = '"d"') -> dispatcher.Routed:
        return self._routed(dispatcher.deliver(*self._head(), to, body))

    def clear(self, seq: int | None = None) -> dispatcher.Routed:
        self.seq = self.seq + 1 if seq is None else seq
        return self._routed(dispatcher.clear(SLUG, self.key, self.link, self.seq))

    def _head(self) -> tuple[str, str, str, int]:
        return SLUG, self.key, self.link, self.number()

    def _routed(self, command: hotpath.Command[dispatcher.Routed]) -> dispatcher.Routed:
        return self.group.path.run(command)

    def frames(self) -> list[tuple[int, dispatcher.OutboxEntry]]:
        """Return what its socket would receive now: everything that it has not acknowledged."""
        command = dispatcher.outbox(SLUG, self.key, self.link, 0, 500)
        return [(seq, dispatcher.read_entry(text)) for seq, text in self.group.path.run(command)]

    def take(self) -> list[dispatcher.OutboxEntry]:
        """Receive every waiting entry, in order and without a gap, and acknowledge it."""
        frames = self.frames()
        assert [seq for seq, _ in frames] == list(
            range(self.received + 1, self.received + 1 + len(frames))
        )
        if frames:
            self.received = frames[-1][0]
            acked = self.group.path.run(dispatcher.ack(SLUG, self.key, self.link, self.received))
            assert acked == len(frames)
        return [entry for _, entry in frames]

    def told(self) -> list[tuple[str, str, str]]:
        """Return kind, session and reason of what it takes."""
        return [(entry.kind, entry.session, entry.reason) for entry in self.take()]

    def heard(self) -> dispatcher.Heard:
        command = dispatcher.heard(SLUG, self.process, [(self.key, self.link, 0)])
        return self.group.path.run(command)[0]

    def lose(self, reason: str = "closed") -> bool:
        return self.group.path.run(dispatcher.lost(SLUG, self.key, self.link, reason))

    def resync(self, *sessions: tuple[str, str, int | None], last: bool = True) -> Any:
        command = dispatcher.resync(SLUG, self.key, self.link, sessions, last)
        return self.group.path.run(command)

    @property
    def row(self) -> dispatcher.PeerRow:
        return self.group.row(self.key)


@dataclass
class GroupUnderTest:
    """A group on a Redis. Every method runs one command and returns its result."""

    path: hotpath.HotPath
    client: Any  # a redis.Redis whose replies are text
    clock: ScriptClock | None = None
    settings: dispatcher.GroupSettings = field(default_factory=dispatcher.GroupSettings)

    def run(self, command: hotpath.Command[Any]) -> Any:
        return self.path.run(command)

    def create(self, **settings: Any) -> "GroupUnderTest":
        self.settings = dispatcher.GroupSettings(**settings)
        assert self.run(dispatcher.create(SLUG, GENERATION, self.settings)) == ""
        return self

    def raw(self, script: str, *words: str | int) -> list[str]:
        """Run a script with only KEYS[1]."""
        return list(self.client.eval(dispatcher.SCRIPTS[script].text, 1, KEYS.tag, *words))

    def front(
        self,
        front_id: str = "f1",
        profile: str = "BICC",
        incarnation: str = "",
        received: int = 0,
        process: str = "web1",
    ) -> Peer:
        link = f"link{next(_links)}"
        command = dispatcher.register_front(
            SLUG, front_id, profile, incarnation, link, process, received
        )
        return self._registered(command, link, process, received)

    def back(
        self,
        back_id: str = "",
        name: str = "as-1",
        incarnation: str = "",
        *,
        version: str = "1.0",
        capacity: int = 100,
        weight: int = 1,
        received: int = 0,
        process: str = "web1",
    ) -> Peer:
        link = f"link{next(_links)}"
        offered = self.run(dispatcher.offer(SLUG))
        command = dispatcher.register_back(
            *(SLUG, offered, back_id, incarnation, name, version, capacity, weight, link, process),
            received,
        )
        return self._registered(command, link, process, received)

    def _registered(
        self,
        command: hotpath.Command[dispatcher.Registered],
        link: str,
        process: str,
        received: int,
    ) -> Peer:
        got = self.path.run(command)
        peer = Peer(self, got.peer, link, process, registered=got)
        peer.received = max(received, got.acked)
        peer.seq = got.received
        return peer

    def again(self, peer: Peer, incarnation: str = "", **given: Any) -> Peer:
        """Return the same peer on a new link."""
        row = peer.row
        if row.is_front:
            return self.front(peer.id, row.profile, incarnation, peer.received, **given)
        return self.back(peer.id, row.name, incarnation, received=peer.received, **given)

    def sweep(self, batch: int = 500) -> list[dispatcher.GroupSwept]:
        """Sweep until nothing more can be done now."""
        done = []
        while True:
            swept = self.run(dispatcher.sweep(SLUG, batch))
            assert isinstance(swept, dispatcher.GroupSwept)
            done.append(swept)
            if not swept.more:
                return done

    def advance(self, seconds: float, *alive: Peer) -> None:
        """Let time pass in steps, with heartbeats of some peers; sweep."""
        assert self.clock is not None
        left = seconds
        while left > 0:
            step = min(left, 2.0)  # as often as the timers
            self.clock.advance(step)
            left -= step
            for peer in alive:
                assert peer.heard().ok
            self.sweep()

    def listen(self) -> None:
        """Mark a web process as listening, so that silence counts."""
        self.run(dispatcher.heard(SLUG, "web1", []))

    def wait(self, seconds: float, *alive: Peer) -> None:
        """Let time pass with heartbeats of some peers and without sweeps."""
        assert self.clock is not None
        end_us = self.clock.now_us + round(seconds * 1_000_000)
        while self.clock.now_us < end_us:
            self.clock.advance(min(2.0, (end_us - self.clock.now_us) / 1_000_000))
            self.listen()
            for peer in alive:
                assert peer.heard().ok

    def show(self) -> dispatcher.GroupFigures:
        figures = self.run(dispatcher.show(SLUG))
        assert isinstance(figures, dispatcher.GroupFigures)
        return figures

    def rows(self) -> dict[str, dispatcher.PeerRow]:
        return {row.key: row for row in self.run(dispatcher.peers(SLUG))}

    def row(self, key: str) -> dispatcher.PeerRow:
        return self.rows()[key]

    def route(self, session: str) -> dispatcher.Route | None:
        found = self.run(dispatcher.route(SLUG, session))
        assert found is None or isinstance(found, dispatcher.Route)
        return found

    def back_of(self, session: str) -> str:
        found = self.route(session)
        assert found is not None
        return found.back

    def changes(self) -> list[dispatcher.GroupChange]:
        """Return the whole history, oldest first."""
        entries = self.client.xrange(f"{KEYS.tag}:log")
        return [dispatcher.read_change(fields) for _, fields in entries]

    def events(self) -> list[str]:
        return [change.event for change in self.changes()]

    def check_structure(self) -> None:
        """Check that all keys agree with each other and nothing is left over."""
        from tests.dispatch.dispatcher.group_laws import broken

        assert broken(self.client, KEYS.tag) == []


@contextlib.contextmanager
def group_on(url: str, clock: ScriptClock | None = None) -> Iterator[GroupUnderTest]:
    """Yield a group on the Redis at `url` that is not created yet."""
    path = hotpath.HotPath(url)
    client = redis.Redis.from_url(url, decode_responses=True)
    try:
        yield GroupUnderTest(path, client, clock)
    finally:
        client.close()
        path.close()
