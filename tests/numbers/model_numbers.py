"""Numbers that are added and removed, in the model: add, del, reg, unreg, renew."""

from numbers import pool
from tests.numbers.model_base import Base, Reply
from tests.numbers.model_state import FOREVER, Call, Contact, Number


class Numbers(Base):
    """Decides events other than call and hangup."""

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
        if event.event == "renew" and (
            call := self.old_calls.get(name) or (number and number.call)
        ):
            return self.renew(name, call, event.call_id)
        if number is None:
            return 0, name, "nodata", "unknown number"
        if event.event == "renew":
            return -1, name, number.state, "not in a call"
        return self.register(name, number, event)

    def add(self, name: str, region: str) -> Reply:
        if name not in self.numbers:
            rule = self.settings.added_by_script
            if rule == "refuse":
                return -1, name, "nodata", "add refused"
            old, asks = name in self.old_calls, rule == "confirm"
            self.numbers[name] = Number(self.now, region=region, old_call=old, unconfirmed=asks)
            self.seq += 1
            return 1, name, "idle+down", ""
        return 1, name, self.numbers[name].state, ""

    def load(self, name: str, region: str) -> None:
        """Load a number as the platform does: SQL has it, and it is up."""
        self.numbers[name] = Number(self.now, up=True, region=region)
        self.seq += 1

    def delete(self, name: str) -> None:
        number = self.numbers.pop(name, None)
        if number is None:
            return
        if number.offered:
            self.waiters[number.offered].number = ""
        if number.call:
            self.old_calls[name] = number.call
        self.seq += 1

    def renew(self, name: str, call: Call, call_id: str) -> Reply:
        state, is_old = self.state_of(name), name in self.old_calls
        if call.call_id != call_id:
            return -1, name, state, "other call" if call_id else "call id needed"
        call.deadline_ms = self.now_ms + self.settings.lease_seconds * 1000
        if not is_old:
            self.unsuspect(call)
        return 1, name, state, "old call" if is_old else ""

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
            # A plain registration is a contact without an expiry.
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
        alive = any(contact.until > self.contacts_due for contact in contacts.values())
        self.keep(number, contacts)
        return alive, ""

    def keep(self, number: Number, contacts: dict[str, Contact]) -> None:
        """Keep the live contacts, and of gone contacts those with a seq."""
        kept = {
            name: contact
            for name, contact in contacts.items()
            if contact.until > self.contacts_due or contact.seq is not None
        }
        only_plain = list(kept) == [""] and kept[""] == Contact(FOREVER, None)
        number.contacts = None if only_plain or not kept else kept
        ends = [c.until for c in kept.values() if self.contacts_due < c.until < FOREVER]
        number.next_expiry = min(ends, default=0)
