"""Front-ends and instances as plain Python: each believes only what it was told.

Whatever happens to links, processes and Redis: in the end every peer has exactly the sessions
that the group has for it. On the way, whatever a peer is told must make sense to it: a session
begins once, ends once, frames come without a gap.
"""

from dataclasses import dataclass, field

from queueing.dispatch import dispatcher
from queueing.dispatch.dispatcher import DispatchRefusedError
from tests.dispatch.dispatcher.group_support import SLUG, GroupUnderTest, Peer

DEAD = ("replaced", "no such peer")


@dataclass
class Believer:
    """A peer's process.

    `sessions`: those that it has, with the ID or name of the other end ("" if it was not told).
    `own_ends`: sessions that it ended itself and may still be notified about.
    """

    group: GroupUnderTest
    kind: str  # SIP, BICC, or back
    name: str
    life: int = 1
    peer: Peer | None = None
    received: int = 0
    words: int = 0
    sessions: dict[str, str] = field(default_factory=dict)
    own_ends: set[str] = field(default_factory=set)
    must_clear: bool = False

    @property
    def is_front(self) -> bool:
        return self.kind != "back"

    @property
    def up(self) -> bool:
        return self.peer is not None

    # -- links -------------------------------------------------------------------------------

    def connect(self) -> str:
        """Register. Return the arrival, or the reason of a refusal."""
        try:
            self.peer = self._register()
        except DispatchRefusedError as error:
            return error.reason
        got = self.peer.registered
        assert got is not None
        if got.arrival in ("new", "restart"):
            self.forget()
        self.peer.received = self.received = max(self.received, got.acked)
        if self.must_clear:
            self.must_clear = False
            first = 1 if got.held else None
            assert self.peer.clear(first).outcome == "routed"
            if first:
                self.received = self.peer.received = 0
        if got.resync:
            self.tell_sessions()
        return got.arrival

    def _register(self) -> Peer:
        incarnation = f"life{self.life}"
        if self.kind == "SIP":
            return self.group.front(self.name, "SIP", "", self.received)
        if self.is_front:
            return self.group.front(self.name, "BICC", incarnation, self.received)
        capacity, weight = (3, 2) if self.name == "as-1" else (2, 1)
        return self.group.back(
            *(f"id-{self.name}", self.name, incarnation),
            capacity=capacity,
            weight=weight,
            received=self.received,
        )

    def tell_sessions(self) -> None:
        assert self.peer is not None
        told = [(session, other, None) for session, other in self.sessions.items()]
        half = len(told) // 2
        self.peer.resync(*told[:half], last=False)
        self.peer.resync(*told[half:])

    def forget(self) -> None:
        self.sessions.clear()
        self.own_ends.clear()
        self.received = 0
        self.words = 0

    def die(self) -> None:
        """End the process and start it again without any knowledge."""
        self.peer = None
        self.life += 1
        self.forget()
        self.must_clear = self.kind == "SIP"

    def dead(self, error: DispatchRefusedError) -> None:
        """Handle that the group no longer knows the link."""
        assert error.reason in DEAD, error.reason
        self.peer = None

    # -- what it does ------------------------------------------------------------------------

    def do(self, what: str, *words: str, **given: bool) -> dispatcher.Routed | None:
        """Send one frame.

        Return None if the link was dead, or if it must first take what it has.
        """
        assert self.peer is not None
        try:
            routed = getattr(self.peer, what)(*words, **given)
        except DispatchRefusedError as error:
            self.peer.seq -= 1
            if error.reason != "behind":
                self.dead(error)
            return None
        assert isinstance(routed, dispatcher.Routed)
        return routed

    def next_word(self) -> str:
        self.words += 1
        return str(self.words)

    def end(self, session: str, failed: bool = False) -> None:
        routed = self.do("end", session, failed=failed)
        if routed is not None and routed.outcome == "routed":
            del self.sessions[session]
            self.own_ends.add(session)

    # -- what it is told ---------------------------------------------------------------------

    def read(self) -> None:
        """Take everything, in order."""
        if self.peer is None:
            return
        try:
            entries = self.peer.take()
        except DispatchRefusedError as error:
            self.dead(error)
            return
        self.received = self.peer.received
        for entry in entries:
            self.hear(entry)

    def hear(self, entry: dispatcher.OutboxEntry) -> None:
        session = entry.session
        if entry.kind == "start":
            assert session not in self.sessions, f"{self.name}: {session} began twice"
            assert session.startswith(f"{entry.peer}/")
            self.sessions[session] = entry.peer
            self.own_ends.discard(session)
        elif entry.kind in ("end", "free"):
            known = session in self.sessions or session in self.own_ends
            withdrawn = entry.kind == "free" and entry.reason == "elsewhere" and not self.is_front
            known = known or withdrawn  # its start went to another instance, unreceived
            assert known, f"{self.name} was told twice that {session} ended: {entry}"
            self.sessions.pop(session, None)
            self.own_ends.discard(session)
        elif entry.kind == "message":
            known = session in self.sessions or session in self.own_ends
            assert known, f"{self.name}: a message of {session}"
        elif entry.kind == "started":
            if session in self.sessions:
                self.sessions[session] = entry.peer
        elif entry.kind == "peer-lost":
            for each in [s for s in self.sessions if s.startswith(f"{entry.peer}/")]:
                del self.sessions[each]
        else:
            assert entry.kind == "refused", entry

    def agrees(self) -> None:
        """Check that its sessions are those that the group has for it."""
        key = dispatcher.front(self.name) if self.is_front else f"b:id-{self.name}"
        page = self.group.run(dispatcher.sessions_of(SLUG, key))
        theirs = {route.session for route in page.rows}
        assert set(self.sessions) == theirs, self.name
