"""Random histories of a pool: the Lua's answers and data must equal the plain model's."""

import os
from typing import ClassVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from numbers import pool
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.model_compare import differing, expected, expired, stored
from tests.numbers.model_time import PoolModel
from tests.numbers.pool_support import KEYS, SLUG, PoolUnderTest, index_of, pool_on
from tests.support.clock import ScriptClock

# POOL_MODEL_EXAMPLES=2000 searches deeper than the suite does.
EXAMPLES = int(os.environ.get("POOL_MODEL_EXAMPLES", "60"))
STEPS = int(os.environ.get("POOL_MODEL_STEPS", "60"))
# POOL_MODEL_SHRINK=0 stops at the first failure without shrinking it.
PHASES = [p for p in Phase if p is not Phase.shrink or os.environ.get("POOL_MODEL_SHRINK") != "0"]
START_US = 1_700_000_000_000_000

NUMBERS = st.sampled_from(["1001", "1002", "1003", "+1004"])
MAYBE_NUMBER = st.one_of(st.just(""), NUMBERS)
CALL_IDS = st.sampled_from(["", "a", "b", 'c"\\', "d", "e"])
SWITCHES = st.sampled_from(["sw1", "sw2"])
INCARNATIONS = st.sampled_from(["boot-1", "boot-2", "boot-3"])
FROM = st.one_of(
    st.just(("", "")), st.tuples(SWITCHES, st.one_of(st.just(""), INCARNATIONS, INCARNATIONS))
)
REGIONS = st.sampled_from(["", "86", "44-london"])
CALLS = st.builds(
    pool.Event.of,
    event=st.just("call"),
    number=MAYBE_NUMBER,
    call_id=CALL_IDS,
    agent=st.sampled_from(["", "ann", "bob"]),
    callee=st.sampled_from(["", "139", "138"]),
    direction=st.sampled_from(["", "in"]),
    force=st.booleans(),
    sticky=st.sampled_from([None, True, False]),
    near=REGIONS,
    wait_ms=st.sampled_from([0, 2_000]),
)
SETTINGS = st.builds(
    pool.PoolSettings,
    lease_seconds=st.sampled_from([60, 600]),
    suspect_seconds=st.just(120),
    switch_interval_seconds=st.sampled_from([5, 30]),
    cooldown_seconds=st.sampled_from([0, 5]),
    restart_rest_seconds=st.sampled_from([0, 30]),
    daily_cap=st.sampled_from([0, 2]),
    sticky_seconds=st.sampled_from([0, 100]),
    near=st.booleans(),
    callback_window_seconds=st.sampled_from([0, 100]),
    waiters_limit=st.sampled_from([1, 3]),
    added_by_script=st.sampled_from(["lend", "confirm", "refuse"]),
    media=st.sampled_from([(), ("sw1",), ("sw1", "sw2")]),
)


TOLD = st.sampled_from([("", None, None), ("16", True, 7), ("486", False, None), ('"é\\', True, 0)])


class PoolMachine(RuleBasedStateMachine):
    bench: ClassVar[PoolUnderTest]
    clock: ClassVar[ScriptClock]

    @initialize(settings=SETTINGS, numbers=st.lists(NUMBERS, unique=True))
    def open(self, settings: pool.PoolSettings, numbers: list[str]) -> None:
        self.bench.client.flushdb()
        self.clock.set(START_US)
        self.bench.run(pool.create(SLUG, 1, settings, now=self.bench.now))
        day_end = settings.midnights(self.bench.now)[0]
        self.model = PoolModel(settings, self.clock.now_us, day_end)
        self.model.clock = self.clock.now_us
        self.nothing_before = 0  # as the last sweep reported
        for number in numbers:
            row = pool.StoredNumber(number, up=True, region="86")
            assert self.bench.run(pool.load(SLUG, [row])) == 1
            self.model.load(number, "86")

    def send(self, event: pool.Event, alias: str = "") -> pool.EventOutcome:
        """Send an event, its number in another spelling if given; the model knows no spellings."""
        sent = event.but(number=alias or event.number)
        outcome: pool.EventOutcome = self.bench.run(pool.event(SLUG, sent))
        reply = (outcome.code, outcome.number, outcome.state, outcome.reason)
        assert reply == self.model.event(event), sent
        if event.event == "reg" and self.bench.client.zcard(KEYS.registrations) == 1:
            self.nothing_before = 0  # it has announced itself
        return outcome

    @rule(event=CALLS, source=FROM)
    def call(self, event: pool.Event, source: tuple[str, str]) -> None:
        switch, incarnation = source
        self.send(
            event.but(
                switch=switch,
                incarnation=incarnation,
                direction=event.direction if event.number else "",
                wait_ms=event.wait_ms if event.call_id else 0,
            )
        )

    @rule(call_id=CALL_IDS, source=FROM)
    def pick(self, call_id: str, source: tuple[str, str]) -> None:
        self.send(pool.Event.of("call", "", call_id, *source, agent="ann", callee="139", near="86"))

    @rule(number=MAYBE_NUMBER, call_id=CALL_IDS, source=FROM)
    def hangup(self, number: str, call_id: str, source: tuple[str, str]) -> None:
        if number or call_id:
            self.send(pool.Event.of("hangup", number, call_id, *source))

    @rule(data=st.data(), source=FROM, told=TOLD)
    def hang_up_a_live_call(
        self,
        data: st.DataObject,
        source: tuple[str, str],
        told: tuple[str, bool | None, int | None],
    ) -> None:
        calls = sorted((name, call.call_id) for name, call in self.model.calls())
        if calls:
            number, call_id = data.draw(st.sampled_from(calls))
            cause, answered, talk = told
            event = pool.Event.of(
                "hangup", number, call_id, *source, cause=cause, answered=answered
            )
            outcome = self.send(event.but(talk_seconds=talk))
            if outcome.ok and outcome.reason in ("", "old call"):
                self.compare_told(told)

    def compare_told(self, told: tuple[str, bool | None, int | None]) -> None:
        """Check that the entry of the call's end has what its hangup reported."""
        log = self.bench.client.xrevrange(KEYS.log, count=20)
        change = next(
            found for _, fields in log if (found := pool.read_change(fields)).event == "hangup"
        )
        answered = {"1": True, "0": False}.get(change.answered)
        talk = int(change.talk_seconds) if change.talk_seconds else None
        assert (change.cause, answered, talk) == told

    @rule(number=MAYBE_NUMBER, call_id=CALL_IDS)
    def renew(self, number: str, call_id: str) -> None:
        if number or call_id:
            self.send(pool.Event.of("renew", number, call_id))

    @rule(event=st.sampled_from(["add", "del"]), number=NUMBERS, near=REGIONS, source=FROM)
    def add_or_delete(self, event: str, number: str, near: str, source: tuple[str, str]) -> None:
        self.send(pool.Event.of(event, number, "", *source, near=near))

    @rule(event=st.sampled_from(["reg", "unreg"]), number=NUMBERS,
          contact=st.sampled_from(["", "c1", "c2"]), expires=st.sampled_from([None, 0, 20, 90]),
          seq=st.sampled_from([None, None, 1, 2, 3]))  # fmt: skip
    def register(
        self, event: str, number: str, contact: str, expires: int | None, seq: int | None
    ) -> None:
        self.send(pool.Event.of(event, number, contact=contact, expires=expires, seq=seq))

    @rule(event=st.sampled_from(["reg", "unreg"]), number=NUMBERS, source=FROM)
    def register_plainly(self, event: str, number: str, source: tuple[str, str]) -> None:
        self.send(pool.Event.of(event, number, "", *source))

    @rule(event=st.sampled_from(["add", "call", "call", "del", "hangup", "reg", "renew", "unreg"]),
          number=NUMBERS, call_id=CALL_IDS, contact=st.sampled_from(["", "c1"]),
          source=FROM)  # fmt: skip
    def by_another_name(
        self, event: str, number: str, call_id: str, contact: str, source: tuple[str, str]
    ) -> None:
        if number in self.model.numbers:
            alias = "9" + number.removeprefix("+")
            self.bench.run(pool.alias(SLUG, {alias: number}))
            call_id = call_id if event in ("call", "hangup", "renew") else ""
            contact = contact if event in ("reg", "unreg") else ""
            self.send(pool.Event.of(event, number, call_id, *source, contact=contact), alias)

    @rule(number=NUMBERS, on=st.booleans())
    def quarantine(self, *, number: str, on: bool) -> None:
        command = pool.quarantine if on else pool.unquarantine
        (outcome,) = self.bench.run(command(SLUG, [number], "spam"))
        assert outcome.reason == self.model.quarantine(number, on=on, reason="spam")

    @rule(number=NUMBERS, late=st.sampled_from([0, 0, 0, 1]))
    def confirm(self, number: str, late: int) -> None:
        its = self.model.numbers.get(number)
        added_at = its.since - late if its else self.clock.now_us
        confirmed = self.bench.run(pool.confirm(SLUG, {number: added_at}))
        assert confirmed == self.model.confirm(number, added_at)

    @rule(number=NUMBERS)
    def force_hangup(self, number: str) -> None:
        forced = self.bench.run(pool.force_hangup(SLUG, number, "stuck"))
        assert forced.reason == self.model.force_hangup(number)

    @rule(on=st.booleans())
    def pause(self, *, on: bool) -> None:
        command = pool.pause(SLUG, "now") if on else pool.resume(SLUG)
        assert self.bench.run(command).reason == self.model.pause(on=on)

    @rule(
        switch=SWITCHES, incarnation=INCARNATIONS, age=st.sampled_from([0, 0, 15]), data=st.data()
    )
    def live_list(self, switch: str, incarnation: str, age: int, data: st.DataObject) -> None:
        own = sorted(
            (call.call_id, name)
            for name, call in self.model.calls()
            if call.switch == switch and call.call_id
        )
        strange = st.tuples(CALL_IDS.filter(bool), MAYBE_NUMBER)
        source = st.one_of(st.sampled_from(own), strange) if own else strange
        calls = data.draw(st.lists(source, max_size=4, unique_by=lambda call: call[0]))
        as_of = self.clock.now_us - age * 1_000_000
        part = self.bench.live_list(calls, switch=switch, incarnation=incarnation, as_of_us=as_of)
        found = {
            (kind, listed.call_id, listed.number)
            for kind in (
                "adopted",
                "lease_without_call",
                "call_without_lease",
                "released",
                "conflict",
            )
            for listed in getattr(part, kind)
        }
        said = self.model.live_list(switch, incarnation, as_of, calls)
        assert (part.reason, part.renewed, found) == said

    @rule(seconds=st.sampled_from([0.000_3, 0.5, 1, 3, 6, 31, 61, 121, 301, 601]))
    def time_passes(self, seconds: float) -> None:
        self.model.now = self.model.clock = self.bench.advance(seconds)

    @rule(seconds=st.sampled_from([0.5, 2, 4, 31, 121, 601, 3_600]))
    def the_clock_jumps_or_nobody_asks(self, seconds: float) -> None:
        self.model.now = self.bench.step(seconds)
        self.nothing_before = 0

    @rule(seconds=st.sampled_from([2, 31, 121, 601, 3_600]))
    def the_clock_is_put_back(self, seconds: float) -> None:
        for key, value in index_of(self.bench.client).items():
            if expired(
                key, value, self.clock.now_us, self.model.contacts_due
            ):  # otherwise it might count again
                self.bench.client.hdel(KEYS.tag, key)
        self.model.forget()
        self.model.now = self.bench.step(-seconds)
        self.nothing_before = 0

    @rule(days=st.integers(1, 2))
    def days_pass(self, days: int) -> None:
        self.model.now = self.model.clock = self.bench.advance(days * 86_400)
        self.sweep()

    @rule()
    def sweep(self) -> None:
        swept = self.bench.sweep()
        assert swept.more is False
        assert swept.now_us < swept.next_us
        if swept.now_us < self.nothing_before:
            done = (swept.opened, swept.renewed, swept.suspected, swept.lapsed)
            assert (*done, swept.expired, swept.day) == (0,) * 6
        self.nothing_before = swept.next_us
        self.model.sweep()

    @rule()
    def release(self) -> None:
        assert self.bench.run(pool.release(SLUG)) is False
        self.model.release()

    @invariant()
    def redis_holds_what_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        ours, theirs = stored(self.bench, self.clock.now_us), expected(self.model)
        for part in theirs:
            assert ours[part] == theirs[part], f"{part}: {differing(ours[part], theirs[part])}"

    @invariant()
    def no_key_contradicts_a_state_and_no_call_stands_twice(self) -> None:
        if not hasattr(self, "model"):
            return
        assert self.bench.problems() == []
        self.model.see()  # as the read of the keys just did
        ids = [call.call_id for _, call in self.model.calls() if call.call_id]
        assert len(ids) == len(set(ids))


def test_random_histories_equal_the_model(
    test_clock: ScriptClock, redis_server: RedisServer
) -> None:
    with pool_on(redis_server.url, test_clock) as bench:
        PoolMachine.bench, PoolMachine.clock = bench, test_clock
        run_state_machine_as_test(
            PoolMachine,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                print_blob=True,
                suppress_health_check=list(HealthCheck),
                phases=PHASES,
            ),
        )
