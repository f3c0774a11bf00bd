"""A plain model of a wallet: dictionaries, and data/message_reports.csv for the reports' rules.

It shares only the vocabulary with the Lua. Each method returns what the command returns and
appends the change entries that are due.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from billing import wallet
from billing.wallet import Charge, HoldRequest, Quote, WalletChange, WalletSettings
from tests.billing.wallet.model_grants import GrantRules, negative

DATA = Path(__file__).resolve().parents[2] / "data" / "message_reports.csv"
SECOND = 1_000_000
DAY = 86_400 * SECOND  # the tests' wallets use UTC
MOST_SEEN = 16
BELIEVED = 90 * SECOND  # since the wallet's last command
NOTED = 10 * SECOND
QUOTED_EVENT = "final report: delivered by a quoted mode"
OUTSIDE_EVENT = "final report: delivered by a mode outside the quote"
FAILED_EVENT = "final report: failed"


def _table() -> dict[tuple[str, str], dict[str, str]]:
    with DATA.open(encoding="utf-8", newline="") as file:
        return {(row["state"], row["event"]): row for row in csv.DictReader(file)}


TABLE = _table()


@dataclass
class Held:
    """A message in the model. `said`: the final report that is parked, or was taken."""

    state: str
    kind: str
    since: int
    request: HoldRequest | None = None
    quoted: int = 0
    charged: int = 0
    mode: str = ""
    said: str = ""
    day: int = -1
    score: int = 0  # when a sweep checks it, while it is open
    seen: list[tuple[str, str]] = field(default_factory=list)
    took: list[tuple[int, int]] = field(default_factory=list)  # (promotion, units)


@dataclass
class Model(GrantRules):
    """A wallet. Amounts are in units, times in µs."""

    settings: WalletSettings
    now: int
    bal: int
    credit: int = 0
    status: str = "open"
    held: int = 0
    receivable: int = 0
    spent: int = 0
    drained: int = 0
    messages: dict[str, Held] = field(default_factory=dict)
    entries: list[WalletChange] = field(default_factory=list)
    clock: int = 0  # the last time that the wallet saw; 0 means now
    doubts: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)] * 3)  # (lag, beginning)
    most_parked: int = 0  # messages that are parked, or were at the last count
    day: int = 1
    midnight: int = 0
    ahead: bool = False  # the clock was ahead, and no sweep has checked what began then
    stored_day: tuple[int, int, int, int] = (0, 0, 0, 0)  # seq, then day, midnight, spent
    grants: dict[int, list[int]] = field(default_factory=dict)  # promotion → last µs, units left

    @property
    def seq(self) -> int:
        return len(self.entries)

    def __post_init__(self) -> None:
        self.clock = self.clock or self.now
        self.midnight = (self.now // DAY + 1) * DAY
        self.stored_day = (0, self.day, self.midnight, 0)

    def write(
        self, kind: str, name: str, *, moved: Iterable[tuple[int, int]] = (), **more: object
    ) -> None:
        self.clock = self.now
        said = [f"g{promotion}={units}" for promotion, units in moved]
        more["grants"] = ",".join(said)
        self.entries.append(WalletChange(self.seq + 1, self.now, kind, name, **more))

    # -- time ------------------------------------------------------------------------------------

    @property
    def periods(self) -> tuple[int, int, int]:
        """Return the periods of an unsent message, an unsent call, and a report."""
        its = self.settings
        message, call = its.unsent_message_seconds, its.unsent_call_seconds
        return message * SECOND, call * SECOND, its.report_seconds * SECOND

    def is_open(self, message: Held) -> bool:
        return message.state in ("held", "sent")

    def period_of(self, message: Held) -> int:
        return 2 if message.state in ("sent", "parked", "unpaid") else int(message.kind == "call")

    def glance(self) -> None:
        """Start a command that changes nothing. It still ends promotions that are over."""
        if self.lapsed(self._judged()[0][0]):
            self.look()

    def _judged(self) -> list[tuple[int, int]]:
        """Return lag and beginning of each period, as a command that begins now finds them."""
        away = self.now - self.clock
        some = any(map(self.is_open, self.messages.values()))
        limited = self.settings.daily_limit > 0
        midnight = self.stored_day[2] if self.seq == self.stored_day[0] else self.midnight
        waits = some or bool(self.grants) or (limited and self.now >= midnight)
        gap = away if waits and away > BELIEVED else 0
        doubts = []
        for (lag, began), period in zip(self.doubts, self.periods, strict=True):
            if self.now < began or self.now - began >= period:
                lag, began = 0, 0
            if gap > 0:
                began = began if lag else self.now
                lag += gap - min(BELIEVED, period // 2)
            doubts.append((lag, began))
        return doubts

    def look(self) -> None:
        """Start a command: decide whether it believes the clock, and store any doubt."""
        if self.seq == self.stored_day[0]:
            _, self.day, self.midnight, self.spent = self.stored_day
        self.stored_day = (self.seq, self.day, self.midnight, self.spent)
        away = self.now - self.clock
        doubts = self._judged()
        lapsed = self.lapsed(doubts[0][0])
        ending = [(each, self.grants.pop(each)[1]) for each in lapsed]
        some = any(map(self.is_open, self.messages.values())) or bool(self.grants)
        limited = self.settings.daily_limit > 0
        self.ahead = self.ahead or away < 0
        if away < 0 or (away >= NOTED and (some or limited)) or doubts != self.doubts:
            self.doubts, self.clock = doubts, self.now
        lag = self.doubts[0][0]
        if self.now - (lag and lag + BELIEVED) >= self.midnight:  # stored with the next entry
            self.day, self.midnight, self.spent = self.day + 1, (self.now // DAY + 1) * DAY, 0
        for promotion, units in ending:
            self.expire(promotion, units)

    def due(self, message: Held) -> int | None:
        """Return the last µs at which an open hold is still valid, if the clock is right."""
        if not self.is_open(message):
            return None
        return message.since + self.periods[self.period_of(message)]

    def is_over(self, message: Held) -> bool:
        """Return whether time has ended a hold, a parked report or an unpaid message."""
        period = self.period_of(message)
        return self.now > message.since + self.periods[period] + self.doubts[period][0]

    def end_due(self, limit: int = 500) -> list[str]:
        """End holds whose time is over. Return the states that they ended in."""
        due = sorted(
            (held.score, name)
            for name, held in self.messages.items()
            if self.is_open(held) and held.score < self.now
        )
        ended = []
        for _, name in due[:limit]:
            message = self.messages[name]
            if ended_in := self.by_time(name):
                ended.append(ended_in)
            else:
                period = self.period_of(message)
                (lag, began), ends = self.doubts[period], self.due(message) or 0
                settled = max(ends, began + self.periods[period])
                message.score = min(ends + lag, settled) if lag else ends
        return ended

    @property
    def spendable(self) -> int:
        """Return balance and credit limit. Below 0 if the limit was lowered under what is used."""
        return self.bal + self.credit

    def set_credit(self, limit: int) -> str:
        """Set another limit with the present settings. These are stored, and so is the day."""
        self.glance()
        if limit > self.credit and self.bal + self.held + limit >= 2**53:
            return "too large"
        self.look()
        self.credit = limit
        self.write("limit", "", mode=str(limit))
        if self.now < self.midnight:
            self.midnight = (self.now // DAY + 1) * DAY
        self.stored_day = (self.seq, self.day, self.midnight, self.spent)
        return "configured"

    def find_money(self, amount: int) -> None:
        """If money is short, first return what has expired."""
        over = 0 < self.settings.daily_limit < self.spent + amount
        if self.status == "open" and (amount > self.spendable or over):
            self.end_due()

    def by_time(self, name: str) -> str:
        """End the hold if its time is over. Return the state that it ended in, or ""."""
        message = self.messages.get(name)
        if message and message.state == "parked":
            return self._orphan(name, message)
        if message is None or not self.is_open(message) or not self.is_over(message):
            return ""
        event = "72 h passed" if message.state == "sent" else "unsent deadline passed"
        row = TABLE[message.state, event]
        assert row["money"] == "return all"
        kind = "expire" if message.state == "sent" else "cancel"
        self._end(name, message, row["next_state"], kind, reported="deadline")
        return message.state

    def _orphan(self, name: str, message: Held) -> str:
        if not self.is_over(message):
            return ""
        row = TABLE["parked", "72 h passed"]
        assert row["next_state"] == "none"
        del self.messages[name]
        self.write("flag", name, message_kind="message", flag=row["flag"], reported=message.said)
        return row["next_state"]

    def _end(self, name: str, message: Held, state: str, kind: str, reported: str = "") -> None:
        """End an open hold and return all of it."""
        back = message.quoted if message.state in ("held", "sent") else 0
        moved = self.give_back(message, back, back)
        message.state, message.since, message.charged = state, self.now, 0
        self.write(
            kind, name, spendable=back, held=-back, state=state, reported=reported, moved=moved,
            **self.facts(message),
        )  # fmt: skip
        self.end_what_returned_late(moved)

    def give_back(self, message: Held, back: int, quoted: int) -> list[tuple[int, int]]:
        """Return `back` of the hold's `quoted` units to the wallet. Return what moved of
        promotions.

        Charges use promotions first; returns go first to the promotion that was used last.
        """
        self.bal += back
        self.held -= quoted
        if message.day == self.day:
            self.spent = max(0, self.spent - back)
        rest = sum(units for _, units in message.took)
        rest -= min(rest, quoted - back)
        kept, moved = [], []
        for promotion, units in reversed(message.took):
            returned = min(units, rest)
            rest -= returned
            if returned:
                moved.append((promotion, returned))
                if promotion in self.grants:
                    self.grants[promotion][1] += returned
            if units > returned:
                kept.insert(0, (promotion, units - returned))
        message.took = kept
        return moved

    def facts(self, message: Held) -> dict[str, object]:
        request = message.request
        known = {
            "body_hash": request.body_hash,
            "tariff_id": request.quote.tariff_id,
            "chatbot": request.chatbot,
        } if request else {}  # fmt: skip
        return {"message_kind": message.kind, "quoted": message.quoted, **known}

    # -- holds -----------------------------------------------------------------------------------

    def answer(self, name: str, answer: str, flag: str = "", quoted: int = 0) -> Charge:
        message = self.messages.get(name)
        if message is None or message.state == "parked":
            state = message.state if message else ""
            return Charge(name, answer, state, 0, quoted, self.bal, self.seq, flag, self.credit)
        charged = message.quoted if message.state in ("held", "sent") else message.charged
        return Charge(
            *(name, answer, message.state, charged, message.quoted),
            *(self.bal, self.seq, flag, self.credit),
        )

    def refusal(self, amount: int) -> str:
        if self.status != "open":
            return {"frozen": "frozen", "closed": "closed", "recovering": "safe mode"}[self.status]
        if self.seq - self.drained >= self.settings.log_limit:
            return "backlog full"
        if amount > self.spendable:
            return "insufficient balance"
        if 0 < self.settings.daily_limit < self.spent + amount:
            return "daily limit"
        return ""

    def hold(self, request: HoldRequest) -> Charge:
        name, quoted = request.message_id, request.quote.quoted
        self.look()
        self.by_time(name)
        message = self.messages.get(name)
        state = message.state if message else "none"
        if message and state != "parked":
            assert message.request is not None
            same = message.request.body_hash == request.body_hash
            if state != "unpaid":
                flag = TABLE[state, "hold" if same else "hold with another body"]["flag"]
            else:
                flag = "repeat" if same else "conflict"
            return self.answer(name, flag, flag)
        self.find_money(quoted)
        refusal = self.refusal(quoted)
        if refusal:
            return self._refused(request, refusal)
        self.bal -= quoted
        self.held += quoted
        self.spent += quoted
        held = Held("sent" if request.sent else "held", request.kind, self.now, request, quoted)
        held.day, held.score = self.day, self.due(held) or 0
        held.took = self.take(quoted)
        self.messages[name] = held
        self.write("hold", name, spendable=-quoted, held=quoted, state=held.state,
                   prices=priced(request.quote), moved=negative(held.took),
                   **self.facts(held))  # fmt: skip
        if message:  # "then as from sent"
            flag = self._settle(name, held, message.said)
            return self.answer(name, held.state, flag)
        assert TABLE[state, "hold"]["next_state"] == "held"
        return self.answer(name, "held")

    def _refused(self, request: HoldRequest, refusal: str) -> Charge:
        name = request.message_id
        message = self.messages.get(name)
        quoted = 0 if message else request.quote.quoted
        if refusal != "insufficient balance":
            return self.answer(name, refusal, "", quoted)
        flag = TABLE["parked" if message else "none", "hold beyond the balance"]["flag"]
        if flag == "refused; unpaid if the parked report says delivered":
            assert message
            flag = "refused" if message.said == "failed" else "unpaid"
        if message and flag == "unpaid" and all(seen != "unpaid" for seen, _ in message.seen):
            message.seen.append(("unpaid", message.said))
            worth = price_of(request.quote, message.said, request.quote.quoted)
            quote = request.quote
            self.write("flag", name, state="parked", flag="unpaid", reported=message.said,
                       difference=worth, message_kind=request.kind, body_hash=request.body_hash,
                       tariff_id=quote.tariff_id, chatbot=request.chatbot)  # fmt: skip
        return self.answer(name, refusal, flag, quoted)

    def sent(self, name: str) -> Charge:
        self.look()
        self.by_time(name)
        message = self.messages.get(name)
        if message and message.state == "unpaid":
            return self.answer(name, "refused", "refused")
        row = TABLE[message.state if message else "none", "sent"]
        if message and row["next_state"] != message.state:
            self._mark_sent(name, message)
            return self.answer(name, "sent")
        return self.answer(name, row["flag"], row["flag"])

    def _mark_sent(self, name: str, message: Held) -> None:
        message.state, message.since = "sent", self.now
        message.score = self.due(message) or 0
        self.write("sent", name, state="sent", **self.facts(message))

    def cancel(self, name: str) -> Charge:
        self.look()
        self.by_time(name)
        message = self.messages.get(name)
        if message and message.state == "unpaid":
            self._end(name, message, "cancelled", "cancel")
            return self.answer(name, "cancelled")
        row = TABLE[message.state if message else "none", "cancel"]
        if message and row["next_state"] != message.state:
            self._end(name, message, row["next_state"], "cancel")
            return self.answer(name, "cancelled")
        if message and row["flag"] in wallet.reasons.LISTED:
            self.list_flag(name, message, row["flag"], "cancel")
        return self.answer(name, row["flag"], row["flag"])

    # -- reports ---------------------------------------------------------------------------------

    def event_of(self, message: Held | None, word: str) -> str:
        if word in ("interim", "unreadable"):
            return {"interim": "interim report", "unreadable": "report without a readable mode"}[
                word
            ]
        if word == "failed":
            return FAILED_EVENT
        quote = message.request.quote if message and message.request else None
        return QUOTED_EVENT if quote is None or word in quote.prices else OUTSIDE_EVENT

    def report(self, name: str, word: str) -> Charge:
        """Take a report. `word`: interim, unreadable, failed, or the mode that was delivered."""
        self.look()
        self.by_time(name)
        message = self.messages.get(name)
        # The table does not cover an unpaid session message: it is like a cancelled one.
        state = message.state if message else "none"
        row = TABLE["cancelled" if state == "unpaid" else state, self.event_of(message, word)]
        if message is None:
            return self._early(name, word, row)
        if row["next_state"] in ("settled", "failed") and state in ("held", "sent"):
            flag = self._settle(name, message, word)
            assert flag == row["flag"]
            return self.answer(name, message.state, flag)
        flag = row["flag"]
        if flag.startswith("repeat if"):
            flag = "repeat" if message.said == word else "contradiction"
        answer = flag or "noted"
        if row["next_state"] == "sent" != state:
            self._mark_sent(name, message)
            answer = flag or "sent"
        if flag in wallet.reasons.LISTED:
            reported = "?" if word == "unreadable" else word
            self.list_flag(name, message, flag, reported)
        return self.answer(name, answer, flag)

    def _early(self, name: str, word: str, row: dict[str, str]) -> Charge:
        if row["next_state"] == "none":
            return self.answer(name, row["flag"], row["flag"])
        if self.status == "recovering" or self._is_parking_full():
            return self.answer(name, "parked full")
        self.messages[name] = Held("parked", "message", self.now, said=word)
        self.most_parked += 1
        self.write("parked", name, state="parked", message_kind="message", reported=word)
        return self.answer(name, "parked", row["flag"])

    def _is_parking_full(self) -> bool:
        limit = self.settings.parked_limit
        if self.most_parked >= limit:  # counted only then: reports come by the hundred thousand
            self.most_parked = sum(each.state == "parked" for each in self.messages.values())
        return self.most_parked >= limit

    def _settle(self, name: str, message: Held, word: str) -> str:
        assert message.request is not None
        quote, quoted, flag, difference = message.request.quote, message.quoted, "", 0
        if word == "failed":
            price, message.state = 0, "failed"
        else:
            message.state, message.mode = "settled", word
            full = price_of(quote, word, quoted)
            price = min(full, quoted)
            if word not in quote.prices:
                flag, difference = "unexpected mode", full - price
        moved = self.give_back(message, quoted - price, quoted)
        message.since, message.charged, message.said = self.now, price, word
        self.write(
            "fail" if word == "failed" else "settle", name, spendable=quoted - price,
            held=-quoted, state=message.state, mode=message.mode, price=price, flag=flag,
            reported=word if flag else "", difference=difference, moved=moved,
            **self.facts(message),
        )  # fmt: skip
        self.end_what_returned_late(moved)
        return flag

    def list_flag(self, name: str, message: Held, flag: str, reported: str) -> None:
        if (flag, reported) in message.seen or len(message.seen) >= MOST_SEEN:
            return
        message.seen.append((flag, reported))
        worth = price_of(message.request.quote, reported, 0) if message.request else 0
        difference = 0 if flag == "unreadable" else worth - message.charged
        settled = message.state == "settled"
        self.write(
            "flag", name, state=message.state, mode=message.mode if settled else "",
            price=message.charged, flag=flag, reported=reported, difference=difference,
            **self.facts(message),
        )  # fmt: skip


def price_of(quote: Quote, mode: str, unknown: int) -> int:
    return quote.prices.get(mode, quote.others.get(mode, unknown))


def priced(quote: Quote) -> str:
    """Return the prices as an entry stores them: quoted ones after commas, others after ";"."""
    quoted = "".join(f",{mode}={price}" for mode, price in quote.prices.items())
    return quoted + "".join(f";{mode}={price}" for mode, price in quote.others.items())


def as_list(charges: Iterable[Charge], bal: int, seq: int) -> list[Charge]:
    """Return the charges of a list command. Each shows the wallet after the whole command."""
    return [
        Charge(c.message_id, c.answer, c.state, c.charged, c.quoted, bal, seq, c.flag, c.credit)
        for c in charges
    ]
