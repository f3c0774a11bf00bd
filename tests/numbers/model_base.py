"""The model's base: its data, its knowledge of call IDs, and the line of waiting calls."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

from numbers import pool
from tests.numbers.model_state import SECOND, Call, Doubt, Number, Switch, Waiter

KEPT = 600 * SECOND

Reply = tuple[int, str | None, str, str]


@dataclass
class Base(ABC):
    settings: pool.PoolSettings
    now: int
    day_end_s: int
    status: str = "open"
    numbers: dict[str, Number] = field(default_factory=dict)
    old_calls: dict[str, Call] = field(default_factory=dict)
    live: dict[str, str] = field(default_factory=dict)  # call id → number
    ended: dict[str, tuple[int, str]] = field(default_factory=dict)
    counted_blocked: dict[str, int] = field(default_factory=dict)
    waiters: dict[str, Waiter] = field(default_factory=dict)
    sticky: dict[str, tuple[int, str]] = field(default_factory=dict)
    switches: dict[str, Switch] = field(default_factory=dict)
    unleased: dict[str, tuple[int, tuple[str, int]]] = field(default_factory=dict)
    restarted: set[tuple[str, int]] = field(default_factory=set)
    clock: int = 0  # the last time that the pool saw
    calls_doubt: Doubt = field(default_factory=Doubt)
    contacts_doubt: Doubt = field(default_factory=Doubt)
    was_ahead: bool = False  # the clock was ahead; what it planned is not put back yet
    seen: int = 0  # the sequence at that time
    seq: int = 1
    tickets: int = 0
    carried: int = 0
    carried_in: int = 0
    blocked: int = 0
    retried: int = 0

    def see(self) -> None:
        """Compare the clock with the last time seen, as every command does."""
        step = self.now - self.clock
        if self.clock and (step > 3 * SECOND or step < 0):
            longest = max(self.settings.lease_seconds, self.settings.suspect_seconds)
            self.calls_doubt.see(self.now, step, longest)
            self.contacts_doubt.see(self.now, step, 600)
            self.was_ahead = self.was_ahead or step < 0
        if self.seq != self.seen or abs(step) > SECOND:
            self.clock, self.seen = self.now, self.seq

    @property
    def due_ms(self) -> int:
        return self.calls_doubt.due(self.now) // 1000

    @property
    def contacts_due(self) -> int:
        return self.contacts_doubt.due(self.now)

    @property
    def special(self) -> bool:
        """Return whether a call waits, an old call is running, or calls are to be released."""
        return bool(self.waiters or self.old_calls or self.restarted)

    @abstractmethod
    def keep_up(self) -> None:
        """Do what no event may skip."""

    @abstractmethod
    def catch_up(self) -> bool:
        """Do what is due before a request is refused."""

    @abstractmethod
    def overdue(self, name: str) -> None:
        """Do what is due for one number."""

    @property
    def now_ms(self) -> int:
        return self.now // 1000

    def state_of(self, number: str) -> str:
        return self.numbers[number].state if number in self.numbers else "nodata"

    def offset(self, seconds: float) -> int:
        return self.now + round(seconds * SECOND)

    def known(self, call_id: str) -> str:
        """Return what is known of a call ID: live, ended, waits, blocked, or ""."""
        if not call_id:
            return ""
        if call_id in self.live:
            return "live"
        if call_id in self.waiters:
            return "waits"
        if call_id in self.ended:
            return "ended" if self.contacts_due - self.ended[call_id][0] < KEPT else ""
        if call_id in self.counted_blocked:
            return "blocked" if self.contacts_due - self.counted_blocked[call_id] < KEPT else ""
        return ""

    def remember(self, call_id: str, what: str, number: str = "") -> None:
        """Remember the only state of a call ID."""
        if not call_id:
            return
        for book in (self.live, self.ended, self.counted_blocked, self.waiters):
            book.pop(call_id, None)
        if what == "live":
            self.live[call_id] = number
        elif what == "ended":
            self.ended[call_id] = (self.now, number)
        elif what == "blocked":
            self.counted_blocked[call_id] = self.now

    def day_used(self, number: Number) -> int:
        return number.used if number.day == self.day_end_s else 0

    def running(self) -> Iterable[Call]:
        yield from (number.call for number in self.numbers.values() if number.call)
        yield from self.old_calls.values()

    def ready(self, near: str = "") -> list[str]:
        """Return the numbers to pick from now, rested longest first; near: to the millisecond."""
        found = [(n.since, name, n) for name, n in self.numbers.items() if n.pickable]
        if near:
            return [
                name
                for ms, name in sorted(
                    (-(-since // 1000), name) for since, name, n in found if n.region == near
                )
                if ms <= self.now_ms
            ]
        return [name for since, name, _ in sorted(found, key=lambda f: f[:2]) if since <= self.now]

    def count_blocked(self, call_id: str) -> None:
        self.blocked += 1
        self.seq += 1
        self.remember(call_id, "blocked")

    def unsuspect(self, call: Call) -> None:
        self.seq += call.suspect
        call.suspect = False

    def serve(self) -> None:
        """Serve waiting calls: offers of dead ones pass on, then first come, first served."""
        self.keep_up()
        for call_id, waiter in sorted(
            self.waiters.items(), key=lambda item: (item[1].offer_until_ms, item[1].number)
        ):
            if waiter.number and waiter.offer_until_ms <= self.now_ms:
                self.numbers[waiter.number].offered = ""
                waiter.number = ""
                self.stop_waiting(call_id)
        for call_id, waiter in sorted(self.waiters.items(), key=lambda item: item[1].ticket):
            if waiter.number:
                continue
            if waiter.until < self.now:
                self.stop_waiting(call_id)
            elif self.status == "open" and (
                ready := self.ready() or (self.catch_up() and self.ready())
            ):
                waiter.number = ready[0]
                waiter.offer_until_ms = self.now_ms + 1000
                self.numbers[ready[0]].offered = call_id
            else:
                break

    def stop_waiting(self, call_id: str) -> None:
        waiter = self.waiters.pop(call_id)
        if waiter.counted:
            self.remember(call_id, "blocked")
        else:
            self.count_blocked(call_id)

    def leave(self, call_id: str) -> None:
        waiter = self.waiters.pop(call_id)
        if waiter.number:
            self.numbers[waiter.number].offered = ""
        if not waiter.counted:
            self.count_blocked(call_id)
        self.remember(call_id, "ended")
        self.serve()
