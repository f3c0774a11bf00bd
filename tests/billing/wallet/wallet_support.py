"""What the tests of the wallet share: a wallet under a clock that the test moves."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import redis

from billing import wallet
from poolsite import hotpath
from tests.support.clock import ScriptClock
from tests.support.waiting import patient

SLUG = "acme"
KEYS = wallet.WalletKeys(SLUG)
# Text 300, card 500, Yuexin text 400 can happen; video is outside the quote, 700 by the tariff.
QUOTE = wallet.Quote({"native_card": 500, "yuexin_text": 400}, 7, {"video": 450, "huge": 900})
DAY = 86_400
HOURS_72 = 72 * 3600


def request(
    message_id: str = "m1", body_hash: str = "body", quote: wallet.Quote = QUOTE, **options: Any
) -> wallet.HoldRequest:
    return wallet.HoldRequest(message_id, body_hash, quote, **options)


@dataclass
class WalletUnderTest:
    """A wallet on a Redis. Every method runs one command and returns its result."""

    path: hotpath.HotPath
    client: Any  # a redis.Redis whose replies are text
    clock: ScriptClock | None = None
    opening: int = 0
    settings: wallet.WalletSettings = field(default_factory=wallet.WalletSettings)

    @property
    def now(self) -> datetime | None:
        """Return the test clock's time, for the midnights, or None for the real time."""
        if self.clock is None:
            return None
        return datetime.fromtimestamp(self.clock.now_us / 1e6, UTC)

    def run(self, command: hotpath.Command[Any]) -> Any:
        return self.path.run(command)

    def create(
        self, balance: int = 0, status: str = "open", generation: int = 1, **settings: Any
    ) -> "WalletUnderTest":
        self.settings = wallet.WalletSettings(**settings)
        self.opening = balance
        command = wallet.create(
            SLUG, generation, self.settings, balance=balance, status=status, now=self.now
        )
        assert self.run(command) == "created"
        return self

    def set_credit(self, limit: int) -> None:
        self.settings = replace(self.settings, credit_limit=limit)
        assert self.run(wallet.configure(SLUG, self.settings, now=self.now)) == "configured"

    def pass_time(self, seconds: float) -> int:
        """Let time pass as it does while the timers visit: the wallet sees it. Return the µs."""
        assert self.clock is not None
        now_us = self.clock.advance(seconds)
        self.client.hset(KEYS.tag, "clock", now_us)
        return now_us

    def empty(self) -> None:
        self.client.delete(*KEYS.all)

    def hold(self, message_id: str = "m1", body_hash: str = "body", **options: Any) -> Any:
        return self.run(wallet.hold(SLUG, request(message_id, body_hash, **options)))

    def sent(self, *message_ids: str) -> Any:
        charges = self.run(wallet.sent(SLUG, message_ids or ("m1",)))
        return charges if len(message_ids) > 1 else charges[0]

    def report(self, word: str, message_id: str = "m1") -> Any:
        """Send a report. `word`: interim, unreadable, failed, or the mode that was delivered."""
        return self.run(wallet.report(SLUG, report_of(word, message_id)))

    def cancel(self, message_id: str = "m1") -> Any:
        return self.run(wallet.cancel(SLUG, message_id))

    def session(self, message_id: str, price: int, **options: Any) -> Any:
        quote = wallet.Quote({"native_session": price}, 7)
        return self.run(wallet.session(SLUG, request(message_id, quote=quote, **options)))

    def move(self, kind: str, amount: int, operation_id: str = "op1") -> Any:
        return self.run(wallet.move(SLUG, operation_id, kind, amount))

    def sweep(self, limit: int = 500) -> Any:
        return self.run(wallet.sweep(SLUG, limit))

    def balance(self) -> wallet.Balance:
        found = self.run(wallet.balance(SLUG))
        assert isinstance(found, wallet.Balance)
        return found

    def message(self, message_id: str = "m1") -> wallet.MessageState | None:
        found: wallet.MessageState | None = self.run(wallet.message(SLUG, message_id))
        return found

    def state(self, message_id: str = "m1") -> str:
        found = self.message(message_id)
        return found.state if found else "none"

    def changes(self, since: int = 0) -> tuple[wallet.WalletChange, ...]:
        found = self.run(wallet.entries(SLUG, since, 5_000))
        assert isinstance(found, wallet.Entries)
        return found.changes

    def persist(self, limit: int = 1_000, keep: int = 0) -> list[wallet.ClosedBatch]:
        """Close and trim batches until nothing is left, as the persistence does."""
        batches = []
        while (batch := self.run(wallet.close_batch(SLUG, limit))) is not None:
            batches.append(batch)
            self.run(wallet.trim_batch(SLUG, batch.generation, batch.number, keep=keep))
        return batches

    def prove(self) -> None:
        """Check the three equations and the gapless log by Redis' data (nothing trimmed)."""
        now, changes = self.balance(), self.changes()
        assert [change.seq for change in changes] == list(range(1, now.seq + 1))
        assert now.bal == self.opening + sum(change.spendable for change in changes)
        assert now.held == sum(change.held for change in changes)
        assert now.receivable == sum(change.receivable for change in changes)
        assert now.pend == sum(change.spendable for change in changes if change.seq > now.drained)
        holds = self.run(wallet.open_holds(SLUG))
        assert (holds.total, holds.wrong, holds.count) == (now.held, 0, now.open)
        assert now.bal >= -now.credit
        assert now.held >= 0

    def prove_figures(self) -> None:
        """Check what must be true of the figures alone, whatever was trimmed."""
        now = self.balance()
        holds = self.run(wallet.open_holds(SLUG))
        assert (holds.total, holds.wrong) == (now.held, 0)
        assert now.bal >= -now.credit
        assert now.receivable >= 0

    def everything(self) -> dict[str, Any]:
        """Return every key of the wallet with its whole content."""
        client = self.client
        return {key: client.dump(key) if client.exists(key) else None for key in KEYS.all}


def report_of(word: str, message_id: str = "m1") -> wallet.DeliveryReport:
    if word == "interim":
        return wallet.DeliveryReport(message_id, final=False, delivered=False)
    if word == "unreadable":
        return wallet.DeliveryReport(message_id, final=True, delivered=True, mode=None)
    if word == "failed":
        return wallet.DeliveryReport(message_id, final=True, delivered=False)
    return wallet.DeliveryReport(message_id, final=True, delivered=True, mode=word)


@contextmanager
def wallet_on(url: str, clock: ScriptClock | None = None) -> Iterator[WalletUnderTest]:
    """Yield a wallet's test bench on the Redis of `url`."""
    with (
        contextlib.closing(hotpath.HotPath(f"{url}?timeout={patient(60)}")) as path,
        redis.Redis.from_url(url, decode_responses=True) as client,
    ):
        yield WalletUnderTest(path, client, clock)


def jump(bench: WalletUnderTest, seconds: float) -> None:
    """Set the clock, or let no request come for this long: the wallet cannot tell which."""
    assert bench.clock is not None
    bench.clock.advance(seconds)


def lock(bench: WalletUnderTest) -> None:
    """Hold the whole balance for two messages that are never sent."""
    assert [bench.hold(name).answer for name in ("a", "b")] == ["held", "held"]
    assert bench.hold("c").answer == "insufficient balance"
