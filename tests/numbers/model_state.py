"""The data of the pool's Python model: numbers, calls, switches, waiters as plain objects."""

from dataclasses import dataclass, field

SECOND = 1_000_000
FOREVER = 9_999_999_999_999_999


@dataclass
class Doubt:
    """How far the clock may be ahead. Until it settles, ends wait for it."""

    lag: int = 0
    settles: int = 0

    def see(self, now: int, step: int, seconds: int) -> None:
        if step < 0:
            self.settles += step
        elif not self.lag or now >= self.settles:
            self.lag, self.settles = 0, now + seconds * SECOND
        self.lag += step
        if self.lag < 3 * SECOND:
            self.lag, self.settles = 0, 0

    def due(self, now: int) -> int:
        return now - (self.lag if now < self.settles else 0)


@dataclass
class Call:
    call_id: str
    switch: str
    incarnation: str
    agent: str
    callee: str
    direction: str
    life: tuple[str, int]  # the switch and its incarnation: what a restart releases
    deadline_ms: int
    suspect: bool = False
    ghost: int = 0


@dataclass
class Contact:
    until: int
    seq: int | None


@dataclass
class Number:
    since: int
    up: bool = False
    region: str = ""
    quarantine: str | None = None
    old_call: bool = False
    unconfirmed: bool = False
    offered: str = ""
    day: int = 0
    used: int = 0
    last_agent: str = ""
    last_until: int = 0
    call: Call | None = None
    contacts: dict[str, Contact] | None = None
    next_expiry: int = 0

    @property
    def held(self) -> bool:
        return (
            self.quarantine is not None or self.old_call or self.unconfirmed or bool(self.offered)
        )

    @property
    def pickable(self) -> bool:
        """Whether it is in the idle set (perhaps with a time in the future)."""
        return self.call is None and self.up and not self.held

    @property
    def state(self) -> str:
        return f"{'busy' if self.call else 'idle'}+{'up' if self.up else 'down'}"


@dataclass
class Switch:
    incarnation: str
    life: int
    heard_s: int
    superseded: list[str] = field(default_factory=list)
    list_mark_ms: int = 0
    list_as_of: int = 0
    list_count: int = 0
    sends_lists: bool = False  # also in an earlier incarnation


@dataclass
class Waiter:
    until: int
    ticket: int
    counted: bool
    number: str = ""
    offer_until_ms: int = 0
