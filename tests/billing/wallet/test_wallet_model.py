"""Random histories of a wallet: the Lua's answers and data must equal the plain model's."""

import os
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from billing import wallet
from billing.wallet import HoldRequest, Quote, WalletSettings
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.model import as_list
from tests.billing.wallet.model_whole import WholeModel
from tests.billing.wallet.wallet_support import (
    KEYS,
    QUOTE,
    SLUG,
    WalletUnderTest,
    report_of,
    wallet_on,
)
from tests.support.clock import ScriptClock

# WALLET_MODEL_EXAMPLES=2000 searches deeper than the suite does.
EXAMPLES = int(os.environ.get("WALLET_MODEL_EXAMPLES", "60"))
STEPS = int(os.environ.get("WALLET_MODEL_STEPS", "60"))
# WALLET_MODEL_SHRINK=0 stops at the first failure without shrinking it.
PHASES = [
    phase
    for phase in Phase
    if phase is not Phase.shrink or os.environ.get("WALLET_MODEL_SHRINK") != "0"
]

IDS = st.sampled_from(["a", "b", "c", "d", "e", "m-6", "~!=|,;"])
QUOTES = st.sampled_from(
    [
        QUOTE,
        Quote({"native_text": 30}, 8, {"video": 20}),
        Quote({"native_card": 10_000}, None),
        Quote({"native_text": 0, "yuexin_text": 0}, 9, {"native_card": 500}),
        Quote({"video": 2**53 - 1}, 9),
    ]
)
HOLDS = st.builds(
    HoldRequest,
    message_id=IDS,
    body_hash=st.sampled_from(["body", "body", "other"]),
    quote=QUOTES,
    kind=st.sampled_from(["message", "message", "call"]),
    chatbot=st.sampled_from(["", "shop-bot"]),
    sent=st.booleans(),
)
SESSIONS = st.builds(
    HoldRequest,
    message_id=st.sampled_from(["s1", "s2", "s3", "a"]),
    body_hash=st.sampled_from(["body", "body", "other"]),
    quote=st.sampled_from([Quote({"native_session": price}, 8) for price in (0, 40, 700, 5_000)]),
    kind=st.just("session"),
)
WORDS = st.sampled_from(
    ["interim", "unreadable", "failed", "native_card", "native_text", "yuexin_text", "video", "odd"]
)
OPERATIONS = st.sampled_from(["o1", "o2", "o3", "o4", "o5"])
AMOUNTS = st.sampled_from([1, 250, 1_000, 20_000, 2**53 - 1])
ENDS = st.sampled_from([0, 0.000001, 60, 600, 3_600, 86_400, 10**6])  # of promotions
CREDITS = st.sampled_from([0, 0, 700, 20_000, 2**52])
LIMITS = st.sampled_from([1, 2, 500])
SETTINGS = st.builds(
    WalletSettings,
    daily_limit=st.sampled_from([0, 0, 1_500]),
    log_limit=st.sampled_from([25, 1_000, 1_000]),
    parked_limit=st.sampled_from([2, 10_000]),
)
# Around every limit: 60 s, 10 min, 72 h, 7 days, each with ms and µs more or less.
JUMPS = st.sampled_from(
    [0.000001, 0.001, 1, 60, 60.001, 600, 600.001, 3_600, 86_400, 259_200, 259_200.001, 604_801]
)


class Wallets(RuleBasedStateMachine):
    """Runs some commands twice, as if a reply was lost and the runner sent the command again."""

    bench: ClassVar[WalletUnderTest]
    clock: ClassVar[ScriptClock]
    model: WholeModel

    @initialize(settings=SETTINGS, balance=st.sampled_from([0, 1_200, 50_000]))
    def begin(self, settings: WalletSettings, balance: int) -> None:
        self.bench.empty()
        self.clock.set(1_700_000_000_000_000)
        self.bench.settings, self.bench.opening = settings, balance
        command = wallet.create(SLUG, 1, settings, balance=balance, now=self.bench.now)
        assert self.bench.run(command) == "created"
        self.model = WholeModel(settings, self.clock.now_us, balance)
        self.operation = 0
        self.nothing_before = 0  # as the last sweep reported
        self.cold: tuple[Any, ...] = ()
        self.last_own = balance
        self.promotion = 0

    def run(self, command: Any) -> Any:
        return self.bench.run(command)

    @rule(request=HOLDS)
    def hold(self, request: HoldRequest) -> None:
        assert self.run(wallet.hold(SLUG, request)) == self.model.hold(request)

    @rule(requests=st.lists(HOLDS, min_size=2, max_size=6))
    def hold_many(self, requests: list[HoldRequest]) -> None:
        answers = self.run(wallet.hold_many(SLUG, requests))
        charges = [self.model.hold(request) for request in requests]
        assert answers == as_list(charges, self.model.bal, self.model.seq)

    @rule(ids=st.lists(IDS, min_size=1, max_size=4))
    def sent(self, ids: list[str]) -> None:
        answers = self.run(wallet.sent(SLUG, ids))
        charges = [self.model.sent(name) for name in ids]
        assert answers == as_list(charges, self.model.bal, self.model.seq)

    @rule(name=st.one_of(IDS, st.just("s1")), word=WORDS)
    def report(self, name: str, word: str) -> None:
        answer = self.run(wallet.report(SLUG, report_of(word, name)))
        assert answer == self.model.report(name, word)

    @rule(reports=st.lists(st.tuples(IDS, WORDS), min_size=2, max_size=8))
    def report_many(self, reports: list[tuple[str, str]]) -> None:
        command = wallet.report_many(SLUG, [report_of(word, name) for name, word in reports])
        answers = self.run(command)
        charges = [self.model.report(name, word) for name, word in reports]
        assert answers == as_list(charges, self.model.bal, self.model.seq)

    @rule(name=st.one_of(IDS, st.just("s1")))
    def cancel(self, name: str) -> None:
        assert self.run(wallet.cancel(SLUG, name)) == self.model.cancel(name)

    @rule(request=SESSIONS)
    def session(self, request: HoldRequest) -> None:
        assert self.run(wallet.session(SLUG, request)) == self.model.session(request)

    @rule(limit=LIMITS, operation=OPERATIONS)
    def pay_unpaid(self, limit: int, operation: str) -> None:
        command = wallet.pay_unpaid(SLUG, limit, operation_id="pay:" + operation)
        ids, more = self.model.pay_unpaid(limit, "pay:" + operation)
        assert self.run(command) == wallet.moving.Paid(ids, more)

    @rule(operation=OPERATIONS, kind=st.sampled_from(wallet.MOVEMENTS), amount=AMOUNTS)
    def move(self, operation: str, kind: str, amount: int) -> None:
        answer = self.run(wallet.move(SLUG, operation, kind, amount))
        assert answer == self.model.move(operation, kind, amount)

    @rule(limit=CREDITS)
    def set_credit_limit(self, limit: int) -> None:
        if limit == self.model.credit:
            return
        settings = replace(self.bench.settings, credit_limit=limit)
        command = wallet.configure(SLUG, settings, now=self.bench.now)
        answer = self.model.set_credit(limit)
        if answer == "too large":
            with pytest.raises(wallet.WalletRefusedError, match=answer):
                self.run(command)
        else:
            assert self.run(command) == answer

    @rule(operation=OPERATIONS, amount=st.sampled_from([1, 250, 700]), seconds=ENDS)
    def grant(self, operation: str, amount: int, seconds: float) -> None:
        self.promotion += 1
        ends = self.model.now + int(seconds * 1_000_000)
        words = ("grant:" + operation, self.promotion, amount, ends)
        self.nothing_before = 0  # the change is announced
        assert self.run(wallet.grant(SLUG, *words)) == self.model.grant(*words)

    @rule(operation=OPERATIONS, back=st.integers(0, 3))
    def revoke(self, operation: str, back: int) -> None:
        words = ("grant:" + operation, max(1, self.promotion - back), 700)
        assert self.run(wallet.revoke(SLUG, *words)) == self.model.revoke(*words)

    @rule(status=st.sampled_from(["open", "open", "frozen", "closed", "recovering"]))
    def set_status(self, status: str) -> None:
        self.operation += 1
        words = (status, "why", f"st{self.operation}")
        if self.model.status == "recovering" != status:
            self.nothing_before = 0  # the change is announced
        assert self.run(wallet.status(SLUG, *words)) == self.model.set_status(*words)

    @rule(limit=LIMITS)
    def sweep(self, limit: int) -> None:
        swept = self.run(wallet.sweep(SLUG, limit))
        counts = self.model.sweep(limit)
        assert (swept.cancelled, swept.expired, swept.orphans, swept.unpaid) == counts
        assert swept.more or swept.now_us < swept.next_us
        self.nothing_before = 0 if swept.more else swept.next_us

    @rule(limit=st.sampled_from([1, 3, 1_000]))
    def close_batch(self, limit: int) -> None:
        batch = self.run(wallet.close_batch(SLUG, limit))
        closed = self.model.close_batch(limit)
        if closed is None:
            assert batch is None
            return
        entries = self.model.entries[closed[0] - 1 : closed[1]]
        assert (batch.first_seq, batch.last_seq) == closed
        assert list(batch.entries) == entries
        assert batch.amount == sum(entry.spendable for entry in entries)
        assert batch.left == self.model.seq - closed[1]

    @rule(keep=st.sampled_from([0, 5]), again=st.booleans())
    def trim_batch(self, keep: int, again: bool) -> None:
        if self.model.batch is None:
            return
        batch = self.run(wallet.close_batch(SLUG))
        command = wallet.trim_batch(SLUG, 1, batch.number, keep=keep)
        assert self.run(command).answer == "trimmed"
        self.model.trim_batch()
        if again:
            assert self.run(command).answer == "repeat"

    @rule(limit=st.sampled_from([1, 1_000]))
    def purge(self, limit: int) -> None:
        assert self.run(wallet.purge(SLUG, limit)) == self.model.purge(limit)

    @rule(seconds=JUMPS)
    def advance(self, seconds: float) -> None:
        """Time passes while the timers visit the wallet."""
        self.model.now = self.model.clock = self.bench.pass_time(seconds)

    @rule(seconds=st.sampled_from([30, 91, 700, 3_600, 300_000, -40, -300, -3_600]))
    def jump(self, seconds: float) -> None:
        """The clock is set, or no request came for this long: the wallet cannot tell which."""
        self.model.now = self.clock.advance(seconds)
        if seconds < 0:
            self.nothing_before = 0  # the timers measure time on their own

    @rule(data=st.data())
    def a_reply_is_lost(self, data: st.DataObject) -> None:
        """The command ran, and the runner sends it again: no more money may move."""
        request = data.draw(HOLDS)
        first = self.run(wallet.hold(SLUG, request))
        again = self.run(wallet.hold(SLUG, request))
        assert self.model.hold(request) == first
        assert self.model.hold(request) == again
        assert (again.bal, again.seq) == (first.bal, first.seq)

    @invariant()
    def redis_is_as_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        model, bench = self.model, self.bench
        now = bench.balance()
        assert (now.bal, now.held, now.receivable) == (model.bal, model.held, model.receivable)
        assert (now.seq, now.drained, now.status) == (model.seq, model.drained, model.status)
        # Credit is used up to the limit. Below a limit that was lowered, the balance only rises.
        own = now.bal - now.promotional
        assert own >= -now.credit or own >= self.last_own
        assert now.credit == model.credit
        self.last_own = own
        promised = {each.promotion_id: [each.expires_us, each.left] for each in now.grants}
        assert promised == model.grants
        assert all(each.left >= 0 for each in now.grants)
        assert now.pend == sum(entry.spendable for entry in model.entries[model.drained :])
        # SQL's spendable + pend = bal; opening + Σ journal = SQL's spendable
        in_sql = bench.opening + sum(entry.spendable for entry in model.entries[: model.drained])
        assert in_sql + now.pend == now.bal
        holds = bench.run(wallet.open_holds(SLUG))
        assert (holds.total, holds.wrong, holds.count) == (now.held, 0, now.open)
        if model.now < self.nothing_before and model.status != "recovering":
            assert model.overdue() == []
        self._messages_are_the_models()
        changes = bench.changes(max(0, model.seq - 8))
        assert list(changes) == model.entries[model.seq - len(changes) :]

    def _messages_are_the_models(self) -> None:
        stored = {
            name: wallet.parse_message(name, text)
            for name, text in self.bench.client.hgetall(KEYS.messages).items()
        }
        seen = {
            name: (
                found.state,
                found.since_us,
                found.quoted,
                found.charged,
                len(found.seen),
                wallet.read_parts(found.grants),
            )
            for name, found in stored.items()
        }
        assert seen == {
            name: (
                held.state,
                held.since,
                held.quoted,
                held.quoted if held.state in ("held", "sent") else held.charged,
                len(held.seen),
                held.took,
            )
            for name, held in self.model.messages.items()
        }


def test_random_histories_are_the_models(test_clock: ScriptClock, clean_redis: RedisServer) -> None:
    with wallet_on(clean_redis.url, test_clock) as bench:
        Wallets.bench, Wallets.clock = bench, test_clock
        run_state_machine_as_test(
            Wallets,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                phases=PHASES,
                suppress_health_check=list(HealthCheck),
            ),
        )
