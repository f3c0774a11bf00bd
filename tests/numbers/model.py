"""The number pool in plain Python: slow, obvious, and what the Lua must agree with.

Times are µs. Nothing here is copied from the scripts: numbers are objects, sets are computed. This
file decides events; model_time.py adds time, lists and operators' actions.
"""

from numbers import pool
from tests.numbers.model_base import Reply
from tests.numbers.model_numbers import Numbers
from tests.numbers.model_state import SECOND, Call, Number, Switch, Waiter


class Model(Numbers):
    """A pool that decides events."""

    def event(self, event: pool.Event) -> Reply:
        """Decide one event. Return (code, number, state, reason)."""
        self.keep_up()
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
            if abs(self.now - known.heard_s * SECOND) >= SECOND:  # else heard in this second
                known.heard_s = seconds
        elif not known.incarnation:
            known.incarnation, known.heard_s = incarnation, seconds
        elif incarnation in known.superseded:
            return False
        else:
            media = switch in self.settings.media
            if media and any(call.life == (switch, known.life) for call in self.running()):
                self.restarted.add((switch, known.life))
            superseded = [known.incarnation, *known.superseded][:16]
            self.switches[switch] = Switch(
                incarnation,
                known.life + media,  # a proxy's calls continue
                seconds,
                superseded,
                list_count=known.list_count + known.sends_lists,
                sends_lists=known.sends_lists,
            )
            self.seq += 1
        return True

    def call(self, event: pool.Event) -> Reply:
        known, counted, offered = self.known(event.call_id), False, False
        wanted = event.number
        if known == "live":
            number = self.live[event.call_id]
            self.overdue(number)
            if event.call_id not in self.live:
                return -1, wanted, "", "ended"
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
        self.look_again(wanted, number, inbound=inbound)
        reason = self.refusal(number, inbound=inbound, force=event.force, offered=offered)
        if reason:
            return -1, wanted, number.state, reason
        if number.offered and not offered:  # an inbound call takes it from the waiting call
            self.waiters[number.offered].number = ""
        number.offered = ""
        return self.begin(event, wanted, counted=counted)

    def look_again(self, wanted: str, number: Number, *, inbound: bool) -> None:
        call = number.call or self.old_calls.get(wanted)
        if call and (self.special or call.deadline_ms <= self.now_ms):
            self.overdue(wanted)
        elif number.since > self.now and not number.call and not inbound:
            self.catch_up()
        else:
            return
        if self.special:
            self.serve()

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
            return "unconfirmed" if number.unconfirmed else ""
        if number.quarantine is not None:
            return "quarantined"
        if number.offered:
            return "offered"
        if number.unconfirmed:
            return "unconfirmed"
        if number.since > self.now:
            cap = self.settings.daily_cap
            if cap and self.day_used(number) >= cap:
                return "capped"
            if not force:
                return "resting"
        return ""

    def pick(self, event: pool.Event, *, counted: bool) -> Reply:
        until, stuck = self.sticky.get(event.callee, (0, "")) if event.callee else (0, "")
        ready = self.ready()
        near = self.ready(event.near) if event.near and self.settings.near else []
        if event.sticky is not False and until > self.now and stuck in ready:
            return self.begin(event, stuck, counted=counted)
        if near or ready:
            return self.begin(event, (near or ready)[0], counted=counted)
        if self.catch_up():
            if self.special:
                self.serve()
            if self.ready():
                return self.pick(event, counted=counted)
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
        """End the number's call now. It rests at least `rest_ms`, or the cooldown."""
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
        """End the call of a deleted number."""
        call, number = self.old_calls.pop(name), self.numbers.get(name)
        self.remember(call.call_id, "ended", name)
        if number:
            rest_ms = max(rest_ms, self.settings.cooldown_seconds * 1000)
            number.old_call = False
            number.since = max(number.since, self.now + rest_ms * 1000)
        self.seq += 1
