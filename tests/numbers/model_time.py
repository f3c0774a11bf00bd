"""The model's second half: time, switches' lists and operators' actions."""

from collections.abc import Iterable, Sequence

from numbers import pool
from tests.numbers.model import Model
from tests.numbers.model_base import KEPT
from tests.numbers.model_state import SECOND, Call, Number, Switch

DAY_S = 86_400
Kind = tuple[str, str, str]  # what was found, call id, number


class PoolModel(Model):
    """The whole pool."""

    # -- time ----------------------------------------------------------------------------------

    def sweep(self) -> None:
        self.roll_day()
        self.put_back()
        self.shorten()
        self.release()
        self.lapse()
        self.expire()
        if self.special:
            self.serve()

    def roll_day(self) -> None:
        while self.day_end_s * SECOND <= self.now:
            self.day_end_s += DAY_S
        if self.day_end_s - self.now // SECOND > 90_000:  # from a clock that was ahead
            while (self.day_end_s - DAY_S) * SECOND > self.now:
                self.day_end_s -= DAY_S

    def put_back(self) -> None:
        """After a step back, once: let nothing end later than if it began now."""
        if not self.was_ahead:
            return
        self.was_ahead = False
        for _, call in self.calls():
            length = self.settings.suspect_seconds if call.suspect else self.settings.lease_seconds
            call.deadline_ms = min(call.deadline_ms, self.now_ms + length * 1000)
        for waiter in self.waiters.values():
            if waiter.number:
                waiter.offer_until_ms = min(waiter.offer_until_ms, self.now_ms + 1000)
            else:
                waiter.until = min(waiter.until, self.offset(61))

    def shorten(self) -> int:
        """Shorten rests that cannot last this long, by the settings or the end of a capped day."""
        cooldown, cap = self.settings.cooldown_seconds, self.settings.daily_cap
        latest = self.offset(max(cooldown, self.settings.restart_rest_seconds))
        end = self.day_end_s * SECOND
        late = [n for n in self.numbers.values() if n.pickable and n.since > latest]
        if cap and end > latest:
            before = [n for n in late if n.since < end]
            late = before or [n for n in late if n.since > end]
        for number in late:
            number.since = self.offset(cooldown)
            self.seq += 1
        return len(late)

    def keep_up(self) -> None:
        self.roll_day()
        self.expire()

    def catch_up(self) -> bool:
        self.put_back()
        return self.shorten() + self.release() + self.lapse() > 0

    def overdue(self, name: str) -> None:
        number = self.numbers.get(name)
        call = (number and number.call) or self.old_calls.get(name)
        if call and call.life in self.restarted:
            self.end_any(name, self.settings.restart_rest_seconds * 1000)
        elif call and call.deadline_ms <= self.due_ms:
            self.lapse_one(name, call)

    def release(self) -> int:
        rest_ms, released = self.settings.restart_rest_seconds * 1000, 0
        for name, call in list(self.calls()):
            if call.life in self.restarted:
                self.end_any(name, rest_ms)
                released += 1
        self.restarted.clear()
        return released

    def calls(self) -> Iterable[tuple[str, Call]]:
        for name, number in self.numbers.items():
            if number.call:
                yield name, number.call
        yield from self.old_calls.items()

    def end_any(self, name: str, rest_ms: int) -> None:
        if name in self.old_calls:
            self.bury(name, rest_ms)
        else:
            self.end(name, rest_ms)

    def lapse(self) -> int:
        """End leases at their deadline. Return how many calls were released."""
        due_ms = self.due_ms
        over = [(name, call) for name, call in self.calls() if call.deadline_ms <= due_ms]
        return sum(self.lapse_one(name, call) for name, call in over)

    def lapse_one(self, name: str, call: Call) -> bool:
        lease_ms = self.settings.lease_seconds * 1000
        switch = self.switches.get(call.switch)
        silence_ms = 3 * self.settings.switch_interval_seconds * 1000
        alive = switch is not None and abs(self.now_ms - switch.heard_s * 1000) <= silence_ms
        if name in self.old_calls:
            self.bury(name, 0)
        elif switch and alive and call.deadline_ms == switch.list_mark_ms + lease_ms:
            call.deadline_ms = self.now_ms + lease_ms
            return False
        elif switch and not (alive and self.may_know(switch, name)) and not call.suspect:
            call.suspect = True
            call.deadline_ms = self.now_ms + self.settings.suspect_seconds * 1000
            self.seq += 1
            return False
        else:
            self.end(name, 0)
        return True

    def may_know(self, switch: Switch, name: str) -> bool:
        """Return whether its last list could have named the call; True without lists."""
        begun = self.numbers[name].since
        return not switch.sends_lists or begun <= switch.list_as_of - 10_000_000

    def forget(self) -> None:
        """Forget what has expired, as a sweep does."""
        self.ended = {k: v for k, v in self.ended.items() if self.contacts_due - v[0] < KEPT}
        self.counted_blocked = {
            k: at for k, at in self.counted_blocked.items() if self.contacts_due - at < KEPT
        }
        self.unleased = {k: v for k, v in self.unleased.items() if self.contacts_due - v[0] < KEPT}
        self.sticky = {k: v for k, v in self.sticky.items() if v[0] > self.now}

    def expire(self) -> None:
        for number in self.numbers.values():
            if not number.next_expiry or number.next_expiry > self.contacts_due:
                continue
            contacts = number.contacts or {}
            alive = any(contact.until > self.contacts_due for contact in contacts.values())
            self.keep(number, contacts)
            if number.up and not alive:
                number.up = False
                if number.offered:
                    self.waiters[number.offered].number = ""
                    number.offered = ""
                self.seq += 1

    def serve_if_special(self) -> None:
        if self.special:
            self.serve()

    # -- operators -----------------------------------------------------------------------------

    def quarantine(self, name: str, *, on: bool, reason: str) -> str:
        number = self.numbers.get(name)
        if number is None:
            self.serve_if_special()
            return "unknown number"
        if number.offered:
            self.waiters[number.offered].number = ""
            number.offered = ""
        said = "repeat"
        if (number.quarantine is not None) != on:
            said = ""
            number.quarantine = reason if on else None
            if number.pickable:
                number.since = max(number.since, self.now)
            self.seq += 1
        self.serve_if_special()
        return said

    def confirm(self, name: str, added_at: int) -> int:
        """Confirm that SQL has the number by its add at that time.

        Return how many may be picked.
        """
        number = self.numbers.get(name)
        found = number is not None and number.unconfirmed and number.since == added_at
        if number and found:
            number.unconfirmed = False
            if number.pickable:
                number.since = self.now
            self.seq += 1
        self.serve_if_special()
        return int(found)

    def force_hangup(self, name: str) -> str:
        number = self.numbers.get(name)
        reason = ""
        if number and number.call:
            self.end(name, 0)
        elif name in self.old_calls:
            self.bury(name, 0)
            reason = "old call"
        else:
            reason = "not in a call" if number else "unknown number"
        self.serve_if_special()
        return reason

    def pause(self, *, on: bool) -> str:
        if (self.status == "paused") == on:
            return "repeat"
        self.status = "paused" if on else "open"
        self.seq += 1
        if not on:
            self.serve()
        return ""

    # -- live lists ----------------------------------------------------------------------------

    def live_list(
        self, name: str, incarnation: str, as_of: int, calls: Sequence[tuple[str, str]]
    ) -> tuple[str, int, set[Kind]]:
        """Judge a whole list. Return the refusal, the number of renewals, and what was found."""
        switch = self.switches.get(name)
        if switch and switch.incarnation == incarnation:
            if switch.list_as_of - self.now > SECOND:  # from a clock that was ahead
                switch.list_count = 0
            elif switch.list_as_of > as_of:
                return "stale list", 0, set()
            switch.heard_s = self.now // 1_000_000
        elif self.meet(name, incarnation):
            switch = self.switches[name]
        else:
            return "stale incarnation", 0, set()
        switch.list_mark_ms, switch.list_as_of, switch.sends_lists = self.now_ms, as_of, True
        switch.list_count += 1
        found: set[Kind] = set()
        renewed = sum(
            self.listed(name, switch, as_of, call_id, number, found) for call_id, number in calls
        )
        self.judge(name, switch, as_of, found)
        self.serve_if_special()
        return "", renewed, found

    def listed(
        self,
        name: str,
        switch: Switch,
        as_of: int,
        call_id: str,
        wanted: str,
        found: set[Kind],
    ) -> int:
        if call_id in self.live:
            its = self.live[call_id]
            number = self.numbers.get(its)
            call = number.call if number and number.call else self.old_calls[its]
            call.deadline_ms = self.now_ms + self.settings.lease_seconds * 1000
            self.unsuspect(call)
            if wanted not in ("", its):
                found.add(("conflict", call_id, wanted))
            return 1
        if call_id in self.waiters:
            return 0
        if call_id in self.ended and self.ended[call_id][0] > as_of - 10_000_000:
            return 0
        number = self.numbers.get(wanted)
        at, before = self.unleased.get(call_id, (0, None))
        twice = before == (name, switch.list_count - 1) and self.now - at < KEPT
        kept_out = number is not None and (number.old_call or number.unconfirmed)
        if number and not number.call and twice and not kept_out:
            self.adopt(name, switch, call_id, wanted, number)
            found.add(("adopted", call_id, wanted))
        else:
            self.unleased[call_id] = (self.now, (name, switch.list_count))
            busy = number is not None and number.call is not None
            found.add(("conflict" if busy else "call_without_lease", call_id, wanted))
        return 0

    def adopt(self, name: str, switch: Switch, call_id: str, wanted: str, number: Number) -> None:
        if number.offered:
            self.waiters[number.offered].number = ""
            number.offered = ""
        self.unleased.pop(call_id, None)
        event = pool.Event.of(
            "call", wanted, call_id=call_id, switch=name, incarnation=switch.incarnation
        )
        self.take(number, wanted, event)

    def judge(self, name: str, switch: Switch, as_of: int, found: set[Kind]) -> None:
        """Find calls of this switch's present incarnation that its list does not name."""
        named_ms = self.now_ms + self.settings.lease_seconds * 1000
        for number_name, number in self.numbers.items():
            call = number.call
            if not call or call.life != (name, switch.life):
                continue
            if named_ms <= call.deadline_ms < named_ms + 1000:
                continue
            if number.since - self.now > SECOND:  # by a clock that was ahead
                number.since = self.now
            if number.since > as_of - 10_000_000:
                continue
            if call.ghost and call.ghost == switch.list_count - 1:
                found.add(("released", call.call_id, number_name))
                self.end(number_name, 0)
            else:
                call.ghost = switch.list_count
                found.add(("lease_without_call", call.call_id, number_name))
