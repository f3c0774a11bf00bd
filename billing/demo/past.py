"""The demo's history: days of messages and top-ups, written by the books' own writer.

Only the demo simulates them. The entries have generation 0, which no Redis data has. The first
generation begins with the balance at the end of the history.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from payments import PaymentStatus

from billing.models import MoneyOrder, Recharge, Wallet, WriterRun
from billing.money import UNITS, as_decimal
from billing.persistence.entries import AccountBatch
from billing.persistence.writing import write_batches
from billing.wallet import Quote, WalletChange

GENERATION = 0
BATCH = 2_000
CENTS = UNITS // 100


@dataclass(frozen=True)
class Sender:
    """What a chatbot sends: messages per day, prices, and results.

    `quotes`: fallback → quote. `ends`: mode → weight; "" is a failure.
    """

    chatbot: str
    daily: int
    quotes: Mapping[str, Quote]
    ends: Mapping[str, float]


@dataclass
class WalletPast:
    """Collects a wallet's entries in any order. `write` writes them to the books."""

    wallet: Wallet
    top_up: int  # units; added when the balance would fall below a third of it
    chance: random.Random
    events: list[tuple[int, WalletChange]] = field(default_factory=list)

    def days(self, senders: Sequence[Sender], days: int, until: datetime) -> None:
        """Add messages for the last `days` days, most of them in the daytime."""
        for sender in senders:
            for ago in range(days, 0, -1):
                day = until - timedelta(days=ago)
                weekday = 0.55 if day.weekday() >= 5 else 1.0
                count = int(sender.daily * weekday * self.chance.uniform(0.8, 1.25))
                for number in range(count):
                    at = day + timedelta(seconds=self._second())
                    self.message(f"{sender.chatbot}-{day:%m%d}-{number}", sender, at)

    def _second(self) -> float:
        """Return a random second of the day, from a bell curve around its middle."""
        while True:
            share = self.chance.random()
            if self.chance.random() < 0.12 + 0.88 * math.sin(math.pi * share) ** 2:
                return share * 86_400

    def message(self, message_id: str, sender: Sender, at: datetime) -> None:
        """Add a message from its hold to its end, all in the past."""
        ends = list(sender.ends)
        mode = self.chance.choices(ends, [sender.ends[end] for end in ends])[0]
        fallback = "yuexin" if mode.startswith("yuexin") else "video"
        quote = sender.quotes[fallback]
        quoted = quote.quoted
        at_us = int(at.timestamp() * 1e6)
        facts: dict[str, Any] = {"tariff_id": quote.tariff_id, "chatbot": sender.chatbot}
        held = {"state": "held", "message_kind": "message", "quoted": quoted, **facts}
        self._add("hold", message_id, at_us, -quoted, quoted, **held)
        self._add("sent", message_id, at_us + 40_000, 0, 0, state="sent")
        ended_us = at_us + int(self.chance.uniform(1.5, 25) * 1e6)
        if not mode:
            self._add("fail", message_id, ended_us, quoted, -quoted, state="failed", **facts)
            return
        price = quote.prices[mode]
        kept = {"state": "settled", "mode": mode, "price": price, **facts}
        self._add("settle", message_id, ended_us, quoted - price, -quoted, **kept)

    def session(self, message_id: str, chatbot: str, price: int, at: datetime) -> None:
        """Add a session message, held and settled in one step."""
        self._add(
            *("session", message_id, int(at.timestamp() * 1e6), -price, 0),
            state="settled",
            message_kind="session",
            quoted=price,
            price=price,
            mode="native_session",
            chatbot=chatbot,
        )

    def _add(
        self, kind: str, message_id: str, at_us: int, spendable: int, held: int, **more: Any
    ) -> None:
        change = WalletChange(0, at_us, kind, message_id, spendable, held, **more)
        self.events.append((at_us, change))

    def write(self, actor: str) -> None:
        """Number the entries, add top-ups before the balance runs out, and write everything."""
        changes = list(self._with_top_ups(actor))
        numbered = [change._replace(seq=seq) for seq, change in enumerate(changes, start=1)]
        fence = WriterRun.objects.create(shard=0, shards=1, worker=actor).pk
        for number, start in enumerate(range(0, len(numbered), BATCH), start=1):
            part = tuple(numbered[start : start + BATCH])
            amount = sum(change.spendable for change in part)
            batch = AccountBatch(
                self.wallet.pk, GENERATION, number, part[0].seq, part[-1].seq, amount, part
            )
            written = write_batches([batch], fence)[self.wallet.pk]
            if not written.may_trim:
                raise RuntimeError(f"the demo's past of {self.wallet}: {written}")
        WriterRun.objects.filter(pk=fence).update(  # unaudited: the demo's past
            ended_at=timezone.now(), accounts=1, entries=len(numbered)
        )

    def _with_top_ups(self, actor: str) -> Iterator[WalletChange]:
        balance = 0
        for at_us, change in sorted(self.events, key=lambda event: event[0]):
            if balance + change.spendable < self.top_up // 3:
                top_up = self._recharge(actor, at_us - 1_000)
                balance += top_up.spendable
                yield top_up
            balance += change.spendable
            yield change

    def _recharge(self, actor: str, at_us: int) -> WalletChange:
        """Create a top-up that was paid and applied, and return its entry."""
        at = datetime.fromtimestamp(at_us / 1e6, timezone.get_current_timezone())
        found = Recharge.objects.create(
            wallet=self.wallet,
            requested_by=actor,
            amount=self.top_up,
            total=as_decimal(self.top_up).quantize(as_decimal(CENTS)),
            captured_amount=as_decimal(self.top_up).quantize(as_decimal(CENTS)),
            currency=self.wallet.account.currency,
            variant="demo",
            status=PaymentStatus.CONFIRMED,
            transaction_id=f"past-{self.wallet.slug}-{at_us}",
            credited_at=at,
            description=f"Top-up of {self.wallet.account.name}",
        )
        order = MoneyOrder.objects.create(
            wallet=self.wallet,
            operation_id=found.operation_id,
            kind=MoneyOrder.Kind.RECHARGE,
            amount=self.top_up,
            reference=f"demo:{found.transaction_id}"[:120],
            applied_at=at,
            answer="applied",
        )
        Recharge.objects.filter(pk=found.pk).update(created=at)  # unaudited: the past's own time
        MoneyOrder.objects.filter(pk=order.pk).update(created_at=at)  # unaudited: as above
        return WalletChange(0, at_us, "recharge", found.operation_id, self.top_up)
