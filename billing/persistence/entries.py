"""The six legs of a change entry in the books, and an account's closed batch."""

import hashlib
from typing import Final, NamedTuple

from billing.wallet import WalletChange

CASH_KINDS: Final = frozenset({"recharge", "chargeback", "cash_refund"})
PROMOTION_KINDS: Final = frozenset({"grant", "revoke", "expired"})
MONEY_KINDS: Final = CASH_KINDS | {"credit", "debit", "by_hand", "grant", "revoke"}


class BookFaultError(Exception):
    """The books can't store these entries. They stay in Redis until a person has checked them."""


def counter_leg(change: WalletChange) -> int:
    """Return the amount of the other side, which makes the sum of all legs 0."""
    return change.receivable - change.spendable - change.held


def legs(change: WalletChange) -> tuple[int, int, int, int, int, int]:
    """Return spendable, held, receivable, revenue, cash, promotion as in the journal: sum 0.

    The receivable leg has the opposite sign of the amount owed.
    """
    rest = counter_leg(change)
    revenue, cash, promotion = rest, 0, 0
    if change.kind in CASH_KINDS:
        revenue, cash = 0, rest
    elif change.kind in PROMOTION_KINDS:
        revenue, promotion = 0, rest
    return change.spendable, change.held, -change.receivable, revenue, cash, promotion


def too_long(change: WalletChange) -> bool:
    """Whether a text is longer than its column, which SQLite would not report."""
    return (
        len(change.id) > 80
        or len(change.kind) > 16
        or len(change.mode) > 24
        or len(change.chatbot) > 40
        or len(change.body_hash) > 32
    )


SEPARATOR: Final = "\x1f"


def said_of(generation: int, change: WalletChange) -> str:
    """Return the columns of the change's journal row in the form that its digest covers."""
    spendable, held, receivable, revenue, cash, promotion = legs(change)
    return (
        f"{generation}\x1f{change.seq}\x1f{change.at_us}\x1f{change.kind}\x1f{change.id}"
        f"\x1f{spendable}\x1f{held}\x1f{receivable}\x1f{revenue}\x1f{cash}"
        f"\x1f{change.state}\x1f{change.mode}\x1f{change.chatbot}"
        f"{told_of(promotion)}"
    )


def told_of(promotion: int) -> str:
    """Return the promotional leg for the digest: "" if it is 0, as in rows older than the leg."""
    return f"\x1f{promotion}" if promotion else ""


def digest_behind(before: str, said: str) -> str:
    """Return 32 hexadecimal digits over a row's columns and the previous digest."""
    return hashlib.blake2b(f"{before}\x1f{said}".encode(), digest_size=16).hexdigest()


def digest_of(before: str, *columns: object) -> str:
    """Like `digest_behind`, with the row's columns one by one."""
    return digest_behind(before, SEPARATOR.join(map(str, columns)))


class AccountBatch(NamedTuple):
    """An account's closed batch, as read from Redis. `changes` are in the stream's order."""

    wallet_id: int
    generation: int
    batch_number: int
    first_seq: int
    last_seq: int
    amount: int
    changes: tuple[WalletChange, ...]

    def fault(self) -> str:
        """Return what is wrong with the batch on its own, or ""."""
        expected = range(self.first_seq, self.last_seq + 1)
        if len(self.changes) != len(expected):
            return f"batch {self.batch_number} has {len(self.changes)} of {len(expected)} entries"
        total = 0
        for seq, change in zip(expected, self.changes, strict=True):
            if change.seq != seq:
                return f"entry {seq} is missing in batch {self.batch_number}"
            if too_long(change):
                return f"entry {seq} has a text that is too long"
            total += change.spendable
        if total != self.amount:
            return f"batch {self.batch_number} sums up to {total}, and says {self.amount}"
        return ""
