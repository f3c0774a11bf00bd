"""A change entry as Redis tells it, and its five legs in the books."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from billing.models.messages import State

CASH_KINDS: Final = frozenset({"recharge", "chargeback", "cash_refund"})
LISTED_FLAGS: Final = frozenset(
    {"late", "contradiction", "unexpected mode", "unpaid", "orphan", "unreadable"}
)
_STATES = frozenset((*State.values, "none"))


class BookFaultError(Exception):
    """Entries that the books cannot take: they stay in Redis until somebody has looked."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change entry. Amounts in units: `amount` on what can be spent, `held`, `receivable`
    (+ owed). `identifier`: the message, or the operation. Empty texts and 0 = not said."""

    seq: int
    at_us: int
    kind: str
    identifier: str = ""
    amount: int = 0
    held: int = 0
    receivable: int = 0
    state: str = ""
    mode: str = ""
    price: int = 0
    quoted: int = 0
    flag: str = ""
    chatbot: str = ""
    tariff_id: int = 0
    body_hash: str = ""
    message_kind: str = ""
    reported_mode: str = ""
    difference: int = 0

    @property
    def counter_leg(self) -> int:
        """What the other side gets: all legs together are 0."""
        return self.receivable - self.amount - self.held

    @property
    def revenue(self) -> int:
        return 0 if self.kind in CASH_KINDS else self.counter_leg

    @property
    def cash(self) -> int:
        return self.counter_leg if self.kind in CASH_KINDS else 0

    @property
    def is_money(self) -> bool:
        """Whether any leg moves."""
        return bool(self.amount or self.held or self.receivable)

    @property
    def too_long(self) -> bool:
        """Whether a text is longer than its column: SQLite would not say so."""
        return (
            len(self.identifier) > 80
            or len(self.kind) > 16
            or len(self.mode) > 24
            or len(self.chatbot) > 40
            or len(self.body_hash) > 32
        )

    def digest_after(self, before: str, generation: int) -> str:
        """Return the digest of the journal's row, chained to the row before it."""
        return digest_of(
            before,
            generation,
            self.seq,
            self.at_us,
            self.kind,
            self.identifier,
            self.amount,
            self.held,
            -self.receivable,
            self.revenue,
            self.cash,
            self.state,
            self.mode,
            self.chatbot,
        )


def digest_of(before: str, *columns: object) -> str:
    """Return 32 hexadecimal digits over a journal row's columns and the digest before it."""
    said = "\x1f".join([before, *map(str, columns)])
    return hashlib.blake2b(said.encode(), digest_size=16).hexdigest()


def parse(seq: int, fields: Mapping[str, str]) -> Change:
    """Read one entry of the stream; BookFaultError when it is none of ours."""
    get = fields.get
    if (get("st") or "none") not in _STATES:
        raise BookFaultError(f"entry {seq} names an unknown state")
    try:
        return Change(
            seq=seq,
            at_us=int(fields["at"]),
            kind=fields["k"],
            identifier=get("id") or "",
            amount=int(get("amt") or 0),
            held=int(get("hld") or 0),
            receivable=int(get("rcv") or 0),
            state=get("st") or "",
            mode=get("m") or "",
            price=int(get("p") or 0),
            quoted=int(get("q") or 0),
            flag=get("f") or "",
            chatbot=get("b") or "",
            tariff_id=int(get("t") or 0),
            body_hash=get("h") or "",
            message_kind=get("kd") or "",
            reported_mode=get("rm") or "",
            difference=int(get("df") or 0),
        )
    except (KeyError, ValueError) as error:
        raise BookFaultError(f"entry {seq} cannot be read: {error!r}") from None


@dataclass(frozen=True, slots=True)
class AccountBatch:
    """One account's closed batch, as read from Redis; `changes` in the stream's order."""

    wallet_id: int
    generation: int
    batch_number: int
    first_seq: int
    last_seq: int
    amount: int
    changes: tuple[Change, ...]

    def fault(self) -> str:
        """Say what is wrong with the batch by itself; "" = nothing."""
        expected = range(self.first_seq, self.last_seq + 1)
        if len(self.changes) != len(expected):
            return f"batch {self.batch_number} has {len(self.changes)} of {len(expected)} entries"
        for seq, change in zip(expected, self.changes, strict=True):
            if change.seq != seq:
                return f"entry {seq} is missing in batch {self.batch_number}"
            if change.too_long:
                return f"entry {seq} has a text that is too long"
        total = sum(change.amount for change in self.changes)
        if total != self.amount:
            return f"batch {self.batch_number} sums up to {total}, and says {self.amount}"
        return ""
