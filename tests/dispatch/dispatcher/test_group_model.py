"""Random histories of a group: laws at every step, agreement of all peers in the end."""

import contextlib
import os
from dataclasses import replace
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

# GROUP_MODEL_EXAMPLES=2000 searches deeper than the suite does.
EXAMPLES = int(os.environ.get("GROUP_MODEL_EXAMPLES", "20"))
STEPS = int(os.environ.get("GROUP_MODEL_STEPS", "50"))
START_US = 1_700_000_000_000_000
NAMES = ("as-1", "as-2", "as-3")
PEERS = (
    *(("SIP", "s1"), ("BICC", "f1"), ("BICC", "f2")),
    *(("back", name) for name in NAMES),
)
WHO = st.sampled_from([name for _, name in PEERS])
FRONTS = st.sampled_from(["s1", "f1", "f2"])
BACKS = st.sampled_from(NAMES)
PICK = st.integers(0, 30)
LIMIT_US = 15_000_000
AWAY_US = 3_000_000


class GroupMachine(RuleBasedStateMachine):
    bench: ClassVar[GroupUnderTest]
    clock: ClassVar[ScriptClock]

    @initialize(
        sharing=st.sampled_from(["least", "turn", "key"]),
        room=st.sampled_from([4, 50]),
        threshold=st.sampled_from([0, 50]),
        slow=st.sampled_from([0, 0, 60]),
    )
    def open(self, sharing: str, room: int, threshold: int, slow: int) -> None:
        self.bench.client.flushdb()
        self.clock.set(START_US)
        self.generation = GENERATION
        self.settings = GroupSettings(
            sharing=sharing,
            out_limit=room,
            ends_limit=room,
            route_limit_seconds=400,
            start_retries=1,
            failure_threshold_percent=threshold,
            failure_minimum_sessions=2,
            ejection_seconds=20,
            max_ejection_percent=70,
            slow_start_seconds=slow,
        )
        self.bench.run(dispatcher.create(SLUG, GENERATION, self.settings))
        self.peers = {name: Believer(self.bench, kind, name) for kind, name in PEERS}
        self.homes: dict[str, str] = {}
        self.next_us = 0  # returned by the last visit that left nothing to be done; 0 for none
        self.manual = {name: dispatcher.NameState(name) for name in NAMES}
        for peer in self.peers.values():
            assert peer.connect() in ("new", "reconnect")

    # -- sessions ----------------------------------------------------------------------------

    @rule(who=FRONTS, key=st.sampled_from(["", "k1", "k2"]), confirm=st.booleans())
    def start(self, who: str, key: str, confirm: bool) -> None:
        front = self.peers[who]
        if not front.up:
            return
        rows = self.bench.rows()
        able = [
            row
            for row in rows.values()
            if not row.is_front and row.state == "active" and not row.resyncing
            if row.manual == "open" and not row.upgrading and self.is_heard(row)
            if row.ejected_until_us is None or self.is_due(row.ejected_until_us)
        ]
        free = {row.key: row for row in able if row.sessions < row.capacity}
        primaries = {key: row for key, row in free.items() if not row.backup}
        room = primaries or free
        routed = front.do("start", front.next_word(), confirm=confirm)
        session = f"{who}/{front.words}"
        if routed is None:
            return
        if routed.outcome == "routed":
            assert routed.peer in room
            if self.settings.sharing == "least" and not self.settings.slow_start_seconds:
                shares = {k: row.sessions / row.weight for k, row in room.items()}
                assert shares[routed.peer] == min(shares.values())
            front.sessions[session] = ""  # until `started` names it
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
        return row.heard_us is None or not self.is_due(row.heard_us + LIMIT_US)

    def is_due(self, at_us: int) -> bool:
        """Return whether a time has come, while the group listens."""
        if at_us > self.clock.now_us:
            return False
        clock, listens_at = self.bench.client.hmget(KEYS.tag, "clock", "listens_at")
        was_away = abs(self.clock.now_us - int(clock)) > AWAY_US
        return not was_away and int(listens_at or 0) <= self.clock.now_us

    @rule(who=WHO, pick=PICK)
    def message(self, who: str, pick: int) -> None:
        peer = self.peers[who]
        if not peer.up or not peer.sessions:
            return
        session = sorted(peer.sessions)[pick % len(peer.sessions)]
        routed = peer.do("message", session)
        if routed is None or routed.outcome != "routed" or not peer.is_front:
            return
        if routed.peer != self.homes[session]:
            route = self.bench.route(session)
            assert route is not None
            assert dispatcher.id_of(self.homes[session]) in route.offered
            self.homes[session] = routed.peer

    @rule(who=WHO, pick=PICK, failed=st.booleans())
    def end(self, who: str, pick: int, failed: bool) -> None:
        peer = self.peers[who]
        if peer.up and peer.sessions:
            peer.end(sorted(peer.sessions)[pick % len(peer.sessions)], failed)

    @rule(who=WHO)
    def read(self, who: str) -> None:
        self.peers[who].read()

    @rule(who=WHO, pick=PICK)
    def repeat(self, who: str, pick: int) -> None:
        """Send a frame again that was already processed: nothing changes."""
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
        names = ("", ":peers", ":seqs", ":out", ":routes", ":names", ":health")
        return [self.bench.client.hgetall(KEYS.tag + name) for name in names]

    # -- links and processes -----------------------------------------------------------------

    @rule(who=WHO, told=st.booleans())
    def lose(self, who: str, told: bool) -> None:
        """Drop the link. The web process notices it, or died with it."""
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
        self.manual[name] = replace(self.manual[name], manual=state)

    @rule(name=BACKS, on=st.booleans())
    def upgrade(self, name: str, on: bool) -> None:
        self.bench.run(dispatcher.upgrade_flag(SLUG, name, on))

    @rule(name=BACKS, on=st.booleans())
    def set_backup(self, name: str, on: bool) -> None:
        self.bench.run(dispatcher.backup(SLUG, name, on))
        self.manual[name] = replace(self.manual[name], backup=on)

    @rule(name=BACKS)
    def uneject(self, name: str) -> None:
        before = self.manual_of(name)
        self.bench.run(dispatcher.uneject(SLUG, name))
        assert self.manual_of(name) == before

    def manual_of(self, name: str) -> tuple[str, bool]:
        state = self.bench.run(dispatcher.names(SLUG))[name][0]
        return state.manual, state.backup

    @rule(pick=PICK)
    def end_session(self, pick: int) -> None:
        routes = sorted(self.bench.client.hkeys(KEYS.tag + ":routes"))
        if routes:
            command = dispatcher.end_session(SLUG, routes[pick % len(routes)], "stuck")
            with contextlib.suppress(DispatchRefusedError):  # no room for a notice of the end
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
        """Set the clock."""
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
        """Check that no deadline is between the last visit and the time that it returned."""
        if not hasattr(self, "peers") or not self.next_us:
            return
        listens_at = float(self.bench.client.hget(KEYS.tag, "listens_at") or 0)
        for key in ("beats", "gone", "timers", "answers"):
            first = self.bench.client.zrange(f"{KEYS.tag}:{key}", 0, 0, withscores=True)
            assert not first or max(first[0][1], listens_at) >= self.next_us, key

    def teardown(self) -> None:
        """Let every peer come back and read; then all agree on the owner of each session."""
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
        run_state_machine_as_test(
            GroupMachine,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                suppress_health_check=list(HealthCheck),
            ),
        )
