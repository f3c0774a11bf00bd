"""The number pool in plain Python: slow, obvious, and what the Lua must agree with.

Times are µs. Nothing here is copied from the scripts: numbers are objects, sets are computed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from numbers import pool
from tests.numbers.model_state import FOREVER, SECOND, Call, Contact, Number, Switch, Waiter

KEPT = 600 * SECOND

Reply = tuple[int, str, str, str]


@dataclass
class Model:
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
    seq: int = 1
    tickets: int = 0
    carried: int = 0
    carried_in: int = 0
    blocked: int = 0
    retried: int = 0

    # -- helpers -------------------------------------------------------------------------------

    @property
    def now_ms(self) -> int:
        return self.now // 1000

    def state_of(self, number: str) -> str:
        return self.numbers[number].state if number in self.numbers else "nodata"

    def offset(self, seconds: float) -> int:
        return self.now + round(seconds * SECOND)

    def known(self, call_id: str) -> str:
        """What is known of a call id: live, ended, waits, blocked, or nothing."""
        if not call_id:
            return ""
        if call_id in self.live:
            return "live"
        if call_id in self.waiters:
            return "waits"
        if call_id in self.ended:
            return "ended" if self.now - self.ended[call_id][0] < KEPT else ""
        if call_id in self.counted_blocked:
            return "blocked" if self.now - self.counted_blocked[call_id] < KEPT else ""
        return ""

    def remember(self, call_id: str, what: str, number: str = "") -> None:
        """A call id is one thing at a time."""
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

    # -- events --------------------------------------------------------------------------------

    def event(self, event: pool.Event) -> Reply:
        """Decide one event; returns (code, number, state, reason)."""
        if event.switch and not self.meet(event.switch, event.incarnation):
            return -1, event.number, "", "stale incarnation"
        if event.event == "call":
            return self.call(event)
        if event.event == "hangup":
            return self.hangup(event)
        return self.other(event)

    def meet(self, switch: str, incarnation: str) -> bool:
        known = self.switches.get(switch)
        seconds = self.now // SECOND
        if known is None:
            self.switches[switch] = Switch(incarnation, 1, seconds)
            self.seq += 1
        elif incarnation in ("", known.incarnation):
            known.heard_s = seconds
        elif not known.incarnation:
            known.incarnation, known.heard_s = incarnation, seconds
        elif incarnation in known.superseded:
            return False
        else:
            if any(call.life == (switch, known.life) for call in self.running()):
                self.restarted.add((switch, known.life))
            superseded = [known.incarnation, *known.superseded][:16]
            self.switches[switch] = Switch(incarnation, known.life + 1, seconds, superseded)
            self.seq += 1
        return True

    def running(self) -> Iterable[Call]:
        yield from (number.call for number in self.numbers.values() if number.call)
        yield from self.old_calls.values()

    def call(self, event: pool.Event) -> Reply:
        known, counted, offered = self.known(event.call_id), False, False
        wanted = event.number
        if known == "live":
            number = self.live[event.call_id]
            if wanted and wanted != number:
                return -1, wanted, "", "conflict"
            return 1, number, self.state_of(number), "repeat"
        if known == "ended":
            return -1, wanted, "", "ended"
        counted = known == "blocked"
        if known == "waits":
            waiter = self.waiters[event.call_id]
            if not waiter.number:
                self.serve()
            if event.call_id in self.waiters and self.waiters[event.call_id].number:
                waiter = self.waiters[event.call_id]
                wanted, counted, offered = waiter.number, waiter.counted, True
            elif event.call_id in self.waiters and self.may_wait_on(waiter, event.wait_ms):
                return 0, "", "", "waiting"
            else:
                if event.call_id in self.waiters:
                    self.stop_waiting(event.call_id)
                return 0, wanted, "", "exhausted"
        if not offered and self.status != "open":
            return -1, wanted, "", self.status
        if not offered:
            self.serve()
        if wanted:
            return self.call_number(event, wanted, counted=counted, offered=offered)
        return self.pick(event, counted=counted)

    def may_wait_on(self, waiter: Waiter, wait_ms: int) -> bool:
        return wait_ms > 0 and waiter.until > self.now + SECOND

    def call_number(self, event: pool.Event, wanted: str, *, counted: bool, offered: bool) -> Reply:
        number = self.numbers.get(wanted)
        if number is None:
            return 0, wanted, "nodata", "unknown number"
        inbound = event.direction == "in"
        reason = self.refusal(number, inbound=inbound, force=event.force, offered=offered)
        if reason:
            return -1, wanted, number.state, reason
        if number.offered and not offered:  # an inbound call takes it from the waiter
            self.waiters[number.offered].number = ""
        number.offered = ""
        return self.begin(event, wanted, counted=counted)

    def refusal(self, number: Number, *, inbound: bool, force: bool, offered: bool) -> str:
        if number.call:
            return "suspect" if number.call.suspect else "busy"
        if not number.up:
            return "offline"
        if offered:
            return ""
        if number.old_call:
            return "old call"
        if inbound:
            return ""
        if number.quarantine is not None:
            return "quarantined"
        if number.offered:
            return "offered"
        if number.since > self.now:
            cap = self.settings.daily_cap
            if cap and self.day_used(number) >= cap:
                return "capped"
            if not force:
                return "resting"
        return ""

    def ready(self, near: str = "") -> list[str]:
        """Numbers that may be picked now, rested longest first; near: to the millisecond."""
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

    def pick(self, event: pool.Event, *, counted: bool) -> Reply:
        until, stuck = self.sticky.get(event.callee, (0, "")) if event.callee else (0, "")
        ready = self.ready()
        near = self.ready(event.near) if event.near and self.settings.near else []
        if event.sticky is not False and until > self.now and stuck in ready:
            return self.begin(event, stuck, counted=counted)
        if near or ready:
            return self.begin(event, (near or ready)[0], counted=counted)
        if event.wait_ms:
            standing = sum(not waiter.number for waiter in self.waiters.values())
            if standing < self.settings.waiters_limit:
                self.tickets += 1
                until = self.now + (event.wait_ms + 1000) * 1000
                self.remember(event.call_id, "waits")
                self.waiters[event.call_id] = Waiter(until, self.tickets, counted)
                return 0, "", "", "waiting"
        if not counted:
            self.count_blocked(event.call_id)
        return 0, "", "", "exhausted"

    def count_blocked(self, call_id: str) -> None:
        self.blocked += 1
        self.seq += 1
        self.remember(call_id, "blocked")

    def begin(self, event: pool.Event, name: str, *, counted: bool) -> Reply:
        number, outbound = self.numbers[name], event.direction != "in"
        if outbound:
            if self.settings.daily_cap:
                number.used = self.day_used(number) + 1
                number.day = self.day_end_s
            if event.agent:
                number.last_agent, number.last_until = "", 0
            if event.callee and self.settings.sticky_seconds:
                self.sticky[event.callee] = (self.offset(self.settings.sticky_seconds), name)
            self.carried += 1
        else:
            self.carried_in += 1
        self.retried += counted
        self.take(number, name, event)
        return 1, name, number.state, ""

    def take(self, number: Number, name: str, event: pool.Event) -> None:
        switch = self.switches.get(event.switch)
        number.call = Call(
            call_id=event.call_id,
            switch=event.switch,
            incarnation=event.incarnation,
            agent=event.agent,
            callee=event.callee,
            direction=event.direction or "out",
            life=(event.switch, switch.life) if switch else ("", 0),
            deadline_ms=self.now_ms + self.settings.lease_seconds * 1000,
        )
        number.since = self.now
        self.remember(event.call_id, "live", name)
        self.seq += 1

    def hangup(self, event: pool.Event) -> Reply:
        known, name = self.known(event.call_id), event.number
        if known == "live":
            its = self.live[event.call_id]
            if name and name != its:
                return -1, name, self.state_of(name), "other call"
            name = its
        elif known == "ended":
            its = self.ended[event.call_id][1]
            if name in ("", its) or not its:
                return 1, its, self.state_of(its) if its else "", "repeat"
        elif known == "waits":
            self.leave(event.call_id)
            return 1, name, "", "left"
        if not name:
            self.remember(event.call_id, "ended")
            return 1, "", "", "early"
        number = self.numbers.get(name)
        if number and number.call:
            if number.call.call_id != event.call_id:
                reason = "other call" if event.call_id else "call id needed"
                return -1, name, number.state, reason
            self.end(name, 0)
            self.serve()
            return 1, name, number.state, ""
        old = self.old_calls.get(name)
        if old and old.call_id == event.call_id:
            self.bury(name, 0)
            code = 1 if event.call_id else (-1 if number else 0)
            return code, name, self.state_of(name), "old call"
        if number is None:
            return 0, name, "nodata", "unknown number"
        if not event.call_id:
            return -1, name, number.state, "not in a call"
        self.remember(event.call_id, "ended", name)
        return 1, name, number.state, "early"

    def end(self, name: str, rest_ms: int) -> None:
        """The number's call ends now; it rests at least `rest_ms`, or the cooldown."""
        number, call = self.numbers[name], self.numbers[name].call
        assert call is not None
        rest_ms = max(rest_ms, self.settings.cooldown_seconds * 1000)
        number.since = self.now + rest_ms * 1000
        cap = self.settings.daily_cap
        if cap and self.day_used(number) >= cap:
            number.since = max(number.since, self.day_end_s * SECOND)
        if call.agent and self.settings.callback_window_seconds:
            number.last_agent = call.agent
            number.last_until = self.offset(self.settings.callback_window_seconds)
        number.call = None
        self.remember(call.call_id, "ended", name)
        self.seq += 1

    def bury(self, name: str, rest_ms: int) -> None:
        """The call of a deleted number ends."""
        call, number = self.old_calls.pop(name), self.numbers.get(name)
        self.remember(call.call_id, "ended", name)
        if number:
            rest_ms = max(rest_ms, self.settings.cooldown_seconds * 1000)
            number.old_call = False
            number.since = max(number.since, self.now + rest_ms * 1000)
        self.seq += 1

    def other(self, event: pool.Event) -> Reply:
        name = event.number
        if not name:
            if self.known(event.call_id) != "live":
                return 0, "", "", "unknown call"
            name = self.live[event.call_id]
        number = self.numbers.get(name)
        if event.event == "add":
            return self.add(name, event.near)
        if event.event == "del":
            self.delete(name)
            return 1, name, "nodata", ""
        if number is None:
            return 0, name, "nodata", "unknown number"
        if event.event == "renew":
            return self.renew(name, number, event.call_id)
        return self.register(name, number, event)

    def add(self, name: str, region: str) -> Reply:
        if name not in self.numbers:
            old = name in self.old_calls
            self.numbers[name] = Number(self.now, region=region, old_call=old)
            self.seq += 1
            return 1, name, "idle+down", ""
        return 1, name, self.numbers[name].state, ""

    def delete(self, name: str) -> None:
        number = self.numbers.pop(name, None)
        if number is None:
            return
        if number.offered:
            self.waiters[number.offered].number = ""
        if number.call:
            self.old_calls[name] = number.call
        self.seq += 1

    def renew(self, name: str, number: Number, call_id: str) -> Reply:
        if not number.call:
            return -1, name, number.state, "not in a call"
        if number.call.call_id != call_id:
            return -1, name, number.state, "other call" if call_id else "call id needed"
        number.call.deadline_ms = self.now_ms + self.settings.lease_seconds * 1000
        self.unsuspect(number.call)
        return 1, name, number.state, ""

    def unsuspect(self, call: Call) -> None:
        self.seq += call.suspect
        call.suspect = False

    def register(self, name: str, number: Number, event: pool.Event) -> Reply:
        up, reason = event.event == "reg", ""
        plain = not event.contact and event.expires is None and event.seq is None
        if number.contacts is not None or (up and not plain):
            up, reason = self.contact(number, event)
        if up != number.up:
            number.up = up
            if up and number.pickable:
                number.since = max(number.since, self.now)
            if not up and number.offered:
                self.waiters[number.offered].number = ""
                number.offered = ""
            self.seq += 1
            if up and not number.call:
                self.serve()
        return 1, name, number.state, reason

    def contact(self, number: Number, event: pool.Event) -> tuple[bool, str]:
        up = event.event == "reg"
        contacts = number.contacts
        if contacts is None:
            # A plain registration is a contact that does not expire.
            replaces = up and not event.contact
            contacts = {"": Contact(FOREVER, None)} if number.up and not replaces else {}
        mine = contacts.get(event.contact)
        if mine and mine.seq is not None and event.seq is not None and event.seq < mine.seq:
            return number.up, "stale"
        until = 0
        if up and event.expires != 0:
            until = FOREVER if event.expires is None else self.offset(event.expires)
        if not up and not event.contact and event.seq is None:
            contacts = {}
        elif mine:
            mine.until = until
            mine.seq = event.seq if event.seq is not None else mine.seq
        else:
            contacts = {**contacts, event.contact: Contact(until, event.seq)}
        alive = any(contact.until > self.now for contact in contacts.values())
        self.keep(number, contacts)
        return alive, ""

    def keep(self, number: Number, contacts: dict[str, Contact]) -> None:
        """Keep the contacts that live, and of those that are gone the ones with a seq."""
        kept = {
            name: contact
            for name, contact in contacts.items()
            if contact.until > self.now or contact.seq is not None
        }
        only_plain = list(kept) == [""] and kept[""] == Contact(FOREVER, None)
        number.contacts = None if only_plain or not kept else kept
        ends = [c.until for c in kept.values() if self.now < c.until < FOREVER]
        number.next_expiry = min(ends, default=0)

    # -- waiting -------------------------------------------------------------------------------

    def serve(self) -> None:
        """Dead waiters' offers pass on; then first come, first served."""
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
            elif self.status == "open" and (ready := self.ready()):
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
