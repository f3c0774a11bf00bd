"""The rest of the plain model: session messages, money in and out, batches, what time ends."""

from dataclasses import dataclass, field

from billing.wallet import Charge, HoldRequest, Movement
from tests.billing.wallet.model import SECOND, Held, Model
from tests.billing.wallet.model_grants import negative

COMING = ("recharge", "credit")


@dataclass
class WholeModel(Model):
    """`Model` with everything that is not in data/message_reports.csv."""

    batch: tuple[int, int] | None = None  # closed and not yet trimmed: first and last seq
    kept: dict[str, tuple[str, int, str, int, int]] = field(default_factory=dict)
    paid: dict[str, tuple[str, ...]] = field(default_factory=dict)
    forgettable: list[tuple[int, str, str]] = field(default_factory=list)

    # -- session messages ------------------------------------------------------------------------

    def session(self, request: HoldRequest) -> Charge:
        name, price = request.message_id, request.quote.quoted
        self.look()
        message = self.messages.get(name)
        if message and message.state != "parked":
            assert message.request
            if message.request.body_hash != request.body_hash:
                return self.answer(name, "conflict", "conflict")
            if message.state == "unpaid" and not self.is_over(message):
                return self._pay(name, message)
            return self.answer(name, "repeat", "repeat")
        self.find_money(price)
        refusal = self.refusal(price)
        if refusal and refusal != "insufficient balance":
            state = message.state if message else ""
            quoted = 0 if message else price
            return Charge(
                *(name, refusal, state, 0, quoted, self.bal, self.seq), credit=self.credit
            )
        held = Held("unpaid", "session", self.now, request, price, day=self.day)
        self.messages[name] = held
        (mode,) = request.quote.prices
        if refusal:
            held.seen.append(("unpaid", mode))
            self.write("session", name, state="unpaid", mode=mode, flag="unpaid", reported=mode,
                       **self.facts(held))  # fmt: skip
            return self.answer(name, "unpaid", "unpaid")
        self._charge(name, held, mode)
        return self.answer(name, "settled")

    def _pay(self, name: str, held: Held) -> Charge:
        self.find_money(held.quoted)
        if self.refusal(held.quoted):
            return self.answer(name, "repeat", "repeat")
        assert held.request
        (mode,) = held.request.quote.prices
        self._charge(name, held, mode)
        return self.answer(name, "settled")

    def _charge(self, name: str, held: Held, mode: str) -> None:
        self.bal -= held.quoted
        self.spent += held.quoted
        held.took = self.take(held.quoted)
        held.state, held.since, held.day = "settled", self.now, self.day
        held.mode = held.said = mode
        held.charged = held.quoted
        self.write("session", name, spendable=-held.quoted, state="settled", mode=mode,
                   price=held.quoted, moved=negative(held.took),
                   **self.facts(held))  # fmt: skip

    def unpaid(self) -> list[str]:
        """Return unpaid session messages, oldest first."""
        names = [name for name, message in self.messages.items() if message.state == "unpaid"]
        return sorted(names, key=lambda name: (self.messages[name].since, name))

    def pay_unpaid(self, limit: int, operation_id: str) -> tuple[tuple[str, ...], bool]:
        self.glance()
        if operation_id in self.paid:
            return self.paid[operation_id], False
        if self.status != "open":
            return (), False
        self.look()
        waiting = [name for name in self.unpaid() if not self.is_over(self.messages[name])]
        names = []
        for name in waiting[:limit]:
            held = self.messages[name]
            self.find_money(held.quoted)
            over = 0 < self.settings.daily_limit < self.spent + held.quoted
            if held.quoted <= self.spendable and not over:
                assert held.request
                (mode,) = held.request.quote.prices
                self._charge(name, held, mode)
                names.append(name)
        if names:
            self.paid[operation_id] = tuple(names)
            self.forgettable.append((self.now, "paid", operation_id))
        return tuple(names), len(names) == limit

    # -- money -----------------------------------------------------------------------------------

    def move(self, operation_id: str, kind: str, amount: int) -> Movement:
        self.glance()
        if operation_id in self.kept:
            was, how_much, answer, effect, owed = self.kept[operation_id]
            if (was, how_much) != (kind, amount):
                return self.moved("conflict")
            return self.moved("repeat" if answer == "applied" else answer, effect, owed)
        self.look()
        is_cash = kind == "cash_refund"
        if kind not in COMING and amount > (self.own if is_cash else self.spendable):
            self.end_due()
        if is_cash and amount > self.own:
            self.kept[operation_id] = (kind, amount, "insufficient balance", 0, 0)
            self.forgettable.append((self.now, "operation", operation_id))
            return self.moved("insufficient balance")
        if kind in COMING:
            owed = -min(self.receivable, amount)
            effect = amount + owed
            if self.bal + self.held + self.credit + amount >= 2**53:
                return self.moved("too large")
        else:
            effect = -max(0, min(self.spendable, amount))
            owed = amount + effect
            if self.receivable + owed >= 2**53:
                return self.moved("too large")
        took = [] if effect > 0 else self.take(max(0, -effect - max(0, self.own)))
        self.bal += effect
        self.receivable += owed
        self.kept[operation_id] = (kind, amount, "applied", effect, owed)
        self.write(kind, operation_id, spendable=effect, receivable=owed, moved=negative(took))
        return self.moved("applied", effect, owed)

    def grant(self, operation_id: str, promotion: int, amount: int, ends: int) -> Movement:
        self.glance()
        if operation_id in self.kept:
            was, how_much, answer, effect, owed = self.kept[operation_id]
            if (was, how_much) != ("grant", amount):
                return self.moved("conflict")
            return self.moved("repeat" if answer == "applied" else answer, effect, owed)
        if self.bal + self.held + self.credit + amount >= 2**53:
            return self.moved("too large")
        if len(self.grants) >= 20:
            return self.moved("too many grants")
        self.look()
        self.grants[promotion] = [ends, amount]
        self.bal += amount
        self.kept[operation_id] = ("grant", amount, "applied", amount, 0)
        self.write("grant", operation_id, spendable=amount, moved=[(promotion, amount)])
        return self.moved("applied", amount)

    def revoke(self, operation_id: str, promotion: int, amount: int) -> Movement:
        self.glance()
        if operation_id in self.kept:
            was, _, answer, effect, owed = self.kept[operation_id]
            if was != "revoke":
                return self.moved("conflict")
            return self.moved("repeat" if answer == "applied" else answer, effect, owed)
        self.look()
        _, left = self.grants.pop(promotion, [0, 0])
        self.bal -= left
        self.kept[operation_id] = ("revoke", amount, "applied", -left, 0)
        moved = [(promotion, -left)] if left else []
        self.write("revoke", operation_id, spendable=-left, moved=moved)
        return self.moved("applied", -left)

    def moved(self, answer: str, effect: int = 0, owed: int = 0) -> Movement:
        return Movement(answer, effect, owed, self.bal, self.seq, self.receivable)

    def set_status(self, status: str, reason: str, operation_id: str) -> str:
        if status == self.status:
            self.glance()
            return "repeat"
        self.look()
        self.status = status
        letter = {"open": "o", "frozen": "f", "closed": "c", "recovering": "r"}[status]
        self.write("status", operation_id, mode=letter, reported=reason)
        return "changed"

    # -- what time brings ------------------------------------------------------------------------

    def sweep(self, limit: int) -> tuple[int, int, int, int]:
        """End up to `limit` of each kind. Return (cancelled, expired, orphans, unpaid)."""
        if self.status == "recovering":
            return 0, 0, 0, 0
        for held in self.messages.values() if self.ahead else ():
            if self.is_open(held):
                held.since = min(held.since, self.now)
                held.score = self.due(held) or 0
        self.ahead = False
        self.look()
        parked = [
            (held.since, name)
            for name, held in self.messages.items()
            if held.state == "parked" and self.is_over(held)
        ]
        unpaid = [name for name in self.unpaid() if self.is_over(self.messages[name])][:limit]
        ended = self.end_due(limit)
        for _, name in sorted(parked)[:limit]:
            self.by_time(name)
        for name in unpaid:
            self._end(name, self.messages[name], "expired", "expire", reported="deadline")
        orphans = min(len(parked), limit)
        return ended.count("cancelled"), ended.count("expired"), orphans, len(unpaid)

    def overdue(self) -> list[str]:
        """Return what has expired but is not ended yet, as far as the clock is believed."""
        times = [
            name
            for name, held in self.messages.items()
            if held.state in ("held", "sent", "parked", "unpaid") and self.is_over(held)
        ]
        return sorted(times) + [str(each) for each in self.lapsed(self.doubts[0][0])]

    def close_batch(self, limit: int) -> tuple[int, int] | None:
        if self.batch is None and self.seq > self.drained:
            self.batch = (self.drained + 1, min(self.seq, self.drained + limit))
        return self.batch

    def trim_batch(self) -> None:
        assert self.batch
        first, last = self.batch
        for entry in self.entries[first - 1 : last]:
            ends = entry.kind in ("settle", "fail", "expire", "cancel")
            if ends or (entry.kind == "session" and entry.state == "settled"):
                self.forgettable.append((entry.at_us, "message", entry.id))
            elif not entry.of_message and entry.kind not in ("status", "limit", "expired"):
                self.forgettable.append((entry.at_us, "operation", entry.id))
        self.drained, self.batch = last, None

    def purge(self, limit: int) -> int:
        """Forget messages from the head of the list, as long as the head is old enough."""
        until = self.now - self.settings.keep_seconds * SECOND
        count = 0
        while count < limit and self.forgettable and self.forgettable[0][0] < until:
            _, what, name = self.forgettable.pop(0)
            {"message": self.messages, "operation": self.kept, "paid": self.paid}[what].pop(
                name, None
            )
            count += 1
        return count
