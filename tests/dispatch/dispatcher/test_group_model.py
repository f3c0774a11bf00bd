"""Random histories of a group: laws at every step, agreement of all peers in the end."""

import contextlib
import os
from typing import ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from poolsite.runtime.redis_server import RedisServer
from queueing.dispatch import dispatcher
from queueing.dispatch.dispatcher import DispatchRefusedError, GroupSettings
from tests.dispatch.dispatcher.group_laws import broken
from tests.dispatch.dispatcher.group_support import (
    GENERATION,
    KEYS,
    SLUG,
    GroupUnderTest,
    group_on,
)
from tests.dispatch.dispatcher.model import Believer
from tests.support.clock import ScriptClock

# GROUP_MODEL_EXAMPLES=2000 digs deeper than the suite does.
EXAMPLES = int(os.environ.get("GROUP_MODEL_EXAMPLES", "20"))
STEPS = int(os.environ.get("GROUP_MODEL_STEPS", "50"))
START_US = 1_700_000_000_000_000
PEERS = (("SIP", "s1"), ("BICC", "f1"), ("BICC", "f2"), ("back", "as-1"), ("back", "as-2"))
WHO = st.sampled_from([name for _, name in PEERS])
FRONTS = st.sampled_from(["s1", "f1", "f2"])
BACKS = st.sampled_from(["as-1", "as-2"])
PICK = st.integers(0, 30)
LIMIT_US = 15_000_000
AWAY_US = 3_000_000


class GroupMachine(RuleBasedStateMachine):
    bench: ClassVar[GroupUnderTest]
    clock: ClassVar[ScriptClock]

    @initialize(sharing=st.sampled_from(["least", "turn", "key"]), room=st.sampled_from([4, 50]))
    def open(self, sharing: str, room: int) -> None:
        self.bench.client.flushdb()
        self.clock.set(START_US)
        self.generation = GENERATION
        self.settings = GroupSettings(
            sharing=sharing, out_limit=room, ends_limit=room, route_limit_seconds=400
        )
        self.bench.run(dispatcher.create(SLUG, GENERATION, self.settings))
        self.peers = {name: Believer(self.bench, kind, name) for kind, name in PEERS}
        self.homes: dict[str, str] = {}
        self.next_us = 0  # told by the last visit that left nothing to be done; 0 = none
        self.manual = {name: dispatcher.NameState(name) for name in ("as-1", "as-2")}
        for peer in self.peers.values():
            assert peer.connect() in ("new", "reconnect")

    # -- sessions ----------------------------------------------------------------------------

    @rule(who=FRONTS, key=st.sampled_from(["", "k1", "k2"]))
    def start(self, who: str, key: str) -> None:
        front = self.peers[who]
        if not front.up:
            return
        rows = self.bench.rows()
        able = [
            row
            for row in rows.values()
            if not row.is_front and row.state == "active" and not row.resyncing
            if row.manual == "open" and not row.upgrading and self.is_heard(row)
        ]
        room = {row.key: row for row in able if row.sessions < row.capacity}
        routed = front.do("start", front.next_word())
        session = f"{who}/{front.words}"
        if routed is None:
            return
        if routed.outcome == "routed":
            assert routed.peer in room
            if self.settings.sharing == "least":
                shares = {k: row.sessions / row.weight for k, row in room.items()}
                assert shares[routed.peer] == min(shares.values())
            front.sessions[session] = dispatcher.id_of(routed.peer)
            self.homes[session] = routed.peer
        elif routed.reason == "all full":
            assert able
            assert not room
        elif routed.reason in ("none open", "recovering"):
            assert not able
        else:
            assert routed.reason in ("peer full", "session exists"), routed.reason
            assert routed.reason == "peer full" or session in self.homes

    def is_heard(self, row: dispatcher.PeerRow) -> bool:
        if row.heard_us is None or row.heard_us + LIMIT_US > self.clock.now_us:
            return True
        clock, listens_at = self.bench.client.hmget(KEYS.tag, "clock", "listens_at")
        was_away = abs(self.clock.now_us - int(clock)) > AWAY_US
        return was_away or int(listens_at or 0) > self.clock.now_us

    @rule(who=WHO, pick=PICK)
    def message(self, who: str, pick: int) -> None:
        peer = self.peers[who]
        if not peer.up or not peer.sessions:
            return
        session = sorted(peer.sessions)[pick % len(peer.sessions)]
        routed = peer.do("message", session)
        if routed is not None and routed.outcome == "routed" and peer.is_front:
            assert routed.peer == self.homes[session], "a session's route never changes"

    @rule(who=WHO, pick=PICK)
    def end(self, who: str, pick: int) -> None:
        peer = self.peers[who]
        if peer.up and peer.sessions:
            peer.end(sorted(peer.sessions)[pick % len(peer.sessions)])

    @rule(who=WHO)
    def read(self, who: str) -> None:
        self.peers[who].read()

    @rule(who=WHO, pick=PICK)
    def repeat(self, who: str, pick: int) -> None:
        """A frame that was done is sent again: nothing changes."""
        peer = self.peers[who].peer
        if peer is None or not peer.seq:
            return
        row = self.bench.rows().get(peer.key)
        if row is None or row.link != peer.link:
            return
        before = self.everything()
        number = 1 + pick % peer.seq
        command = dispatcher.end(SLUG, peer.key, peer.link, number, f"{who}/{1 + pick % 5}")
        assert self.bench.run(command).outcome == "repeat"
        assert self.everything() == before

    def everything(self) -> list[dict[str, str]]:
        names = ("", ":peers", ":seqs", ":out", ":routes", ":names")
        return [self.bench.client.hgetall(KEYS.tag + name) for name in names]

    # -- links and processes -----------------------------------------------------------------

    @rule(who=WHO, told=st.booleans())
    def lose(self, who: str, told: bool) -> None:
        """The link is gone; the web process notices, or died with it."""
        peer = self.peers[who]
        if peer.peer is not None:
            if told:
                peer.peer.lose()
            peer.peer = None

    @rule(who=WHO)
    def reconnect(self, who: str) -> None:
        peer = self.peers[who]
        arrival = peer.connect()
        if arrival == "taken":
            assert not peer.up

    @rule(who=WHO)
    def die(self, who: str) -> None:
        peer = self.peers[who]
        if peer.peer is not None:
            peer.peer.lose()
        peer.die()

    # -- operators ---------------------------------------------------------------------------

    @rule(name=BACKS, state=st.sampled_from(["open", "open", "drain", "blocked"]))
    def set_manual(self, name: str, state: str) -> None:
        self.bench.run(dispatcher.manual(SLUG, name, state))
        self.manual[name] = dispatcher.NameState(name, state)

    @rule(name=BACKS, on=st.booleans())
    def upgrade(self, name: str, on: bool) -> None:
        self.bench.run(dispatcher.upgrade_flag(SLUG, name, on))

    @rule(pick=PICK)
    def end_session(self, pick: int) -> None:
        routes = sorted(self.bench.client.hkeys(KEYS.tag + ":routes"))
        if routes:
            command = dispatcher.end_session(SLUG, routes[pick % len(routes)], "stuck")
            with contextlib.suppress(DispatchRefusedError):  # an end has no room to be told
                assert self.bench.run(command)

    @rule()
    def lose_redis(self) -> None:
        self.bench.client.delete(*self.bench.client.keys(KEYS.tag + "*"))
        self.generation += 1
        names = list(self.manual.values())
        self.bench.run(dispatcher.recover(SLUG, self.generation, self.settings, names))
        for peer in self.peers.values():
            peer.peer = None

    # -- time --------------------------------------------------------------------------------

    @rule(
        seconds=st.sampled_from([0.3, 2, 14, 16, 30, 61]),
        batch=st.sampled_from([1, 3, 500]),
        listening=st.booleans(),
    )
    def wait(self, seconds: float, batch: int, listening: bool) -> None:
        if listening:
            self.bench.wait(seconds)
        else:
            self.clock.advance(seconds)
        self.hear_all()
        self.next_us = 0
        self.bench.run(dispatcher.sweep(SLUG, batch))

    @rule(seconds=st.sampled_from([-3600, -300, -40, 40, 300]))
    def step(self, seconds: int) -> None:
        """The clock is set."""
        self.clock.advance(seconds)
        self.next_us = 0

    @rule(batch=st.sampled_from([1, 500]))
    def sweep(self, batch: int) -> None:
        self.next_us = self.bench.sweep(batch)[-1].next_us
        assert self.next_us >= self.clock.now_us

    def hear_all(self) -> None:
        for peer in self.peers.values():
            if peer.peer is not None and not peer.peer.heard().ok:
                peer.peer = None

    # -- laws --------------------------------------------------------------------------------

    @invariant()
    def the_data_keeps_its_laws(self) -> None:
        if hasattr(self, "peers"):
            assert broken(self.bench.client, KEYS.tag) == []

    @invariant()
    def nothing_is_due_before_the_next_visit(self) -> None:
        """A deadline of after the last visit is not before the time that this has told."""
        if not hasattr(self, "peers") or not self.next_us:
            return
        listens_at = float(self.bench.client.hget(KEYS.tag, "listens_at") or 0)
        for key in ("beats", "gone", "timers"):
            first = self.bench.client.zrange(f"{KEYS.tag}:{key}", 0, 0, withscores=True)
            assert not first or max(first[0][1], listens_at) >= self.next_us, key

    def teardown(self) -> None:
        """Everybody comes back and reads; then all agree on who has which session."""
        if not hasattr(self, "peers"):
            return
        for _ in range(30):
            self.clock.advance(5)
            self.hear_all()
            self.bench.sweep()
            for peer in self.peers.values():
                if not peer.up:
                    peer.connect()
                peer.read()
        for peer in self.peers.values():
            assert peer.up, peer.name
            peer.agrees()
        assert broken(self.bench.client, KEYS.tag) == []
        assert self.bench.show().clearing == 0
        self.bench.advance(60, *[each.peer for each in self.peers.values() if each.peer])
        begun = [int(text.split("\t")[3]) for text in self.bench.client.hvals(KEYS.tag + ":routes")]
        assert max(begun, default=0) <= self.clock.now_us


def test_random_histories_keep_the_laws_and_all_peers_agree(
    test_clock: ScriptClock, clean_redis: RedisServer
) -> None:
    with group_on(clean_redis.url, test_clock) as bench:
        GroupMachine.bench, GroupMachine.clock = bench, test_clock
        run_state_machine_as_test(  # type: ignore[no-untyped-call]
            GroupMachine,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                suppress_health_check=list(HealthCheck),
            ),
        )
