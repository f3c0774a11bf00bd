"""Random histories of a gate: the Lua's answers and data must equal the plain model's."""

import os
from typing import ClassVar

import pytest
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
from queueing.admission import gate
from tests.admission.gate_support import FORMS, GENERATION, KEYS, SLUG, GateUnderTest, gate_on
from tests.admission.model import Batch, GateModel, Task
from tests.support.clock import ScriptClock

# GATE_MODEL_EXAMPLES=2000 searches deeper than the suite does. Each form plays half of them.
EXAMPLES = int(os.environ.get("GATE_MODEL_EXAMPLES", "25"))
STEPS = int(os.environ.get("GATE_MODEL_STEPS", "50"))
START_US = 1_700_000_000_000_000

HOLDERS = st.sampled_from(["a", "b", "c", "d", "e"])
DEVICES = st.sampled_from(["u", "v", "w", "x", "y"])
WEIGHTS = st.sampled_from([1, 1, 1, 2, 3])
BATCHES = st.sampled_from([1, 2])
PICK = st.integers(0, 30)
SETTINGS = st.builds(
    gate.GateSettings,
    cap=st.sampled_from([1, 2, 3, 5]),
    permit_seconds=st.sampled_from([30, 60]),
    longest_seconds=st.sampled_from([60, 100]),
    attempts=st.sampled_from([1, 2, 3]),
    period_seconds=st.sampled_from([10, 40]),
    fair=st.booleans(),
    look_ahead=st.sampled_from([1, 2]),
    rate_per_second=st.sampled_from([0, 0, 1, 2]),
)


class GateMachine(RuleBasedStateMachine):
    bench: ClassVar[GateUnderTest]
    clock: ClassVar[ScriptClock]

    @initialize(settings=SETTINGS)
    def open(self, settings: gate.GateSettings) -> None:
        self.bench.client.flushdb()
        self.clock.set(START_US)
        self.bench.run(gate.create(SLUG, GENERATION, settings))
        self.model = GateModel(settings, START_US, settings.cap, last=START_US)
        self.tokens: list[tuple[str, int]] = [("a", GENERATION)]
        self.next_task = 1
        self.decided = False
        self.used_before = 0
        self.nothing_before = 0  # as the last sweep reported; a batch or a cap announces itself

    def new_token(self, who: str, token: int) -> int:
        assert token > self.tokens[-1][1], "tokens rise"
        self.tokens.append((who, token))
        return token

    def some_token(self, pick: int) -> int:
        return self.tokens[-1 - pick % len(self.tokens)][1]

    # -- permits -----------------------------------------------------------------------------

    @rule(who=HOLDERS, weight=WEIGHTS, waits=st.booleans())
    def acquire(self, who: str, weight: int, waits: bool) -> None:
        self.decided = True
        reason = self.model.acquire(who, weight, waits=waits)
        asked = gate.to_acquire(who, weight, waits=waits).command(SLUG)
        if reason in ("other weight", "weight over cap"):
            with pytest.raises(gate.GateRefusedError, match=reason):
                self.bench.run(asked)
            return
        got = self.bench.run(asked)
        assert (got.granted, got.reason) == (reason in ("", "repeat"), reason)
        if reason == "":
            self.model.give(who, self.new_token(who, got.token), weight=weight)
        if got.granted:
            held = self.model.permits[who]
            assert (got.token, got.deadline_us) == (held.token, held.deadline)
        else:
            assert got.place == self.model.place(who)

    @rule(pick=PICK, who=st.one_of(st.none(), HOLDERS))
    def release(self, pick: int, who: str | None) -> None:
        self.decided = True
        owner, token = self.tokens[-1 - pick % len(self.tokens)]
        name = who or owner.lstrip("@#")
        assert self.bench.release(name, token).reason == self.model.release(name, token)

    @rule(pick=PICK)
    def renew(self, pick: int) -> None:
        self.decided = True
        owner, token = self.tokens[-1 - pick % len(self.tokens)]
        name = owner.lstrip("@#")
        assert self.bench.renew(name, token).reason == self.model.renew(name, token)

    @rule()
    def incr(self) -> None:
        self.decided = True
        granted, count = self.bench.incr()
        assert granted == self.model.incr()
        if granted:
            anonymous = set(self.bench.client.zrange(f"{KEYS.tag}:anon", 0, -1))
            (who,) = anonymous - set(self.model.permits)
            self.model.give(who, self.new_token(who, int(who[1:])))
        assert count == self.model.used

    @rule()
    def decr(self) -> None:
        self.decided = True
        freed = self.model.decr()
        assert self.bench.decr() == (freed, self.model.used)

    @rule(pick=PICK)
    def free(self, pick: int) -> None:
        owner, token = self.tokens[-1 - pick % len(self.tokens)]
        held = self.model.permits.get(owner)
        done = held is not None and held.token == token
        if done:
            self.model.expire(owner, "freed")
        assert self.bench.run(gate.free(SLUG, owner, token, "why")).done == done

    @rule(cap=st.sampled_from([1, 2, 3, 5]))
    def resize(self, cap: int) -> None:
        self.bench.run(gate.resize(SLUG, cap))
        self.model.cap = cap

    @rule(on=st.booleans())
    def pause(self, on: bool) -> None:
        self.bench.run(gate.pause(SLUG, "why") if on else gate.resume(SLUG))
        self.model.status = "p" if on else "o"

    # -- tasks -------------------------------------------------------------------------------

    @rule(batch=BATCHES, devices=st.lists(DEVICES, unique=True, min_size=1), seconds=PICK)
    def load(self, batch: int, devices: list[str], seconds: int) -> None:
        if batch not in self.model.batches:
            ends = self.model.now + (50 + 10 * seconds) * 1_000_000
            self.bench.run(gate.batch_open(SLUG, batch, ends))
            self.nothing_before = 0
            self.model.batches[batch] = Batch("o", ends)
        tasks = self.model.tasks.values()
        room = [name for name in devices if sum(t.device == name for t in tasks) < 20]
        rows = [
            gate.StoredTask(self.next_task + place, name, "") for place, name in enumerate(room)
        ]
        if not rows:
            return
        self.next_task += len(rows)
        if self.model.batch_status(batch) in "ec":
            with pytest.raises(gate.GateRefusedError, match="over"):
                self.bench.run(gate.load(SLUG, batch, rows))
            return
        assert self.bench.run(gate.load(SLUG, batch, rows)) == (len(rows), 0)
        for row in rows:
            self.model.tasks[row.task] = Task(row.device, batch)

    @rule(batch=BATCHES, what=st.sampled_from(["pause", "resume", "resume", "cancel"]))
    def steer(self, batch: int, what: str) -> None:
        if batch not in self.model.batches or self.model.batch_status(batch) in "ec":
            return
        its = self.model.batches[batch]
        self.nothing_before = 0
        if what == "cancel":
            self.bench.run(gate.batch_cancel(SLUG, batch, "why"))
            its.status = "c"
        elif what == "pause":
            self.bench.run(gate.batch_pause(SLUG, batch, "why"))
            its.status = "p"
        else:
            self.bench.run(gate.batch_resume(SLUG, batch))
            its.status = "o"

    @rule(
        device=DEVICES,
        pick=PICK,
        task=PICK,
        what=st.sampled_from(["", "right", "any", "any"]),
        ok=st.booleans(),
        renew=st.booleans(),
    )
    def report(self, device: str, pick: int, task: int, what: str, ok: bool, renew: bool) -> None:
        self.decided = True
        held = self.model.permits.get("@" + device)
        results = []
        if what == "right" and held is not None and held.task is not None:
            results = [gate.Result(held.task, held.token, ok)]
        elif what == "any":
            results = [gate.Result(1 + task % max(1, self.next_task), self.some_token(pick), ok)]
        renewed = self.some_token(pick) if renew else None
        outcomes = tuple(
            (one.task, self.model.result(device, one.task, one.token, one.ok)) for one in results
        )
        word, number = self.model.fetch(device, renewed)
        told = self.bench.report(device, *results, renew=renewed)
        assert told.results == outcomes
        assert (told.word, told.task) == ("task" if word == "new" else word, number)
        if word == "new":
            assert number is not None
            assert told.token is not None
            self.model.issue(number, self.new_token("@" + device, told.token))
        if number is not None:
            permit = self.model.permits["@" + device]
            margin = self.model.settings.margin_seconds * 1_000_000
            assert (told.token, told.until_us) == (permit.token, permit.deadline - margin)
            assert told.attempt == self.model.tasks[number].attempt
        elif word == "wait":
            assert told.place == self.model.place("@" + device)

    # -- time --------------------------------------------------------------------------------

    @rule(seconds=st.sampled_from([0.3, 1, 5, 19, 20, 30, 61, 130]))
    def wait(self, seconds: float) -> None:
        self.model.advance(self.clock.advance(seconds))

    @rule(seconds=st.sampled_from([-0.7, -40, -500]))
    def step_back(self, seconds: float) -> None:
        self.model.advance(self.clock.advance(seconds))
        self.nothing_before = 0

    @rule()
    def sweep(self) -> None:
        swept = self.bench.run(gate.sweep(SLUG))
        self.model.sweep()
        self.decided = True
        assert swept.more or swept.now_us < swept.next_us
        if swept.now_us < self.nothing_before:
            assert (swept.expired, swept.silent, swept.closed) == (0, 0, 0)
        self.nothing_before = swept.next_us

    @invariant()
    def redis_is_as_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        model, figures = self.model, self.bench.show()
        clock, doubt = self.bench.client.hmget(KEYS.tag, "clock", "doubt")
        model.saw(int(clock), doubt or "", decided=self.decided)
        self.decided = False
        assert figures.used == model.used
        assert figures.used <= max(model.cap, self.used_before)
        self.used_before = figures.used
        assert figures.permits == len(model.permits)
        assert self.bench.client.zrange(f"{KEYS.tag}:line", 0, -1) == model.line
        for counter in ("granted", "refused", "expired", "renewed", "released", "freed"):
            assert getattr(figures, counter) == model.counts.get(counter, 0), counter
        records = self.bench.client.hgetall(f"{KEYS.tag}:tasks")
        assert {int(task): record[0] for task, record in records.items()} == {
            number: task.state for number, task in model.tasks.items()
        }
        self.bench.check_structure()


def test_random_histories_agree_with_the_model(
    form: str, test_clock: ScriptClock, clean_redis: RedisServer
) -> None:
    with gate_on(clean_redis.url, test_clock, form) as bench:
        GateMachine.bench, GateMachine.clock = bench, test_clock
        run_state_machine_as_test(
            GateMachine,
            settings=settings(
                max_examples=-(-EXAMPLES // len(FORMS)),
                stateful_step_count=STEPS,
                suppress_health_check=list(HealthCheck),
            ),
        )
