"""A wallet's entries as people read them: those of one second, kind and cause make one line."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from billing import wallet
from billing.models import JournalEntry
from billing.pricing.call_codes import pool_of
from poolsite.live.tail import TailEntry

LINES = 40
SECOND_US = 1_000_000
# Entries that move no money make no line: the message's own page shows them.
SILENT = frozenset(("sent", "flag", "parked", "orphan", "unreadable"))
OF_MESSAGES = frozenset(("hold", "settle", "fail", "expire", "cancel", "session", "unpaid"))
OF_CALLS = frozenset(("hold", "settle", "settle_return", "fail", "expire", "cancel"))
_CAMPAIGN = re.compile(r"c([0-9]{1,18})-[0-9]+(?:-[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Moved:
    """One entry's effect on the available balance, and what a message's end charged; in units."""

    seq: int
    at_us: int
    kind: str
    operation_id: str
    amount: int
    chatbot: str
    charged: int = 0

    @property
    def cause(self) -> str:
        """What caused the entry.

        A campaign is `c12`, a pool's calls are `p` and its slug, else it is a chatbot, `b` and its
        slug; for money, it is the operation ID.
        """
        if self.kind not in OF_MESSAGES:
            return self.operation_id
        campaign = _CAMPAIGN.fullmatch(self.operation_id)
        if campaign:
            return f"c{campaign[1]}"
        pool = pool_of(self.operation_id)
        return f"p{pool}" if pool else f"b{self.chatbot}"

    @property
    def words(self) -> str:
        """The entry's key in LEDGER_WORDS, as in wordOf of static/js/billing/wallet_lines.js."""
        kind = "settle_return" if self.kind == "settle" and self.amount > 0 else self.kind
        return f"call_{kind}" if kind in OF_CALLS and pool_of(self.operation_id) else kind


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """Entries of one second, kind and cause. `balance` is the available balance after the last."""

    key: str
    seq: int
    at_us: int
    kind: str
    cause: str
    count: int
    amount: int
    balance: int
    operation_id: str
    charged: int = 0
    name: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the line for pages; `id` is the operation if the line has only one entry."""
        return {
            "key": self.key,
            "seq": self.seq,
            "at": self.at_us // 1_000,
            "kind": self.kind,
            "cause": self.cause,
            "name": self.name,
            "count": self.count,
            "amount": self.amount,
            "charged": self.charged,
            "balance": self.balance,
            "id": self.operation_id if self.count == 1 else "",
        }


def of_entry(entry: TailEntry) -> Moved:
    """Read an entry of the wallet's stream."""
    return of_change(wallet.read_entry(entry.seq, entry.fields))


def of_change(change: wallet.WalletChange) -> Moved:
    """Convert a change that was read already."""
    return Moved(
        *(change.seq, change.at_us, change.kind, change.id, change.spendable, change.chatbot),
        charged=change.price,
    )


def of_row(row: JournalEntry) -> Moved:
    """Convert a row of the journal."""
    return Moved(
        *(row.seq, row.at_us, row.kind, row.operation_id, row.spendable, row.chatbot),
        charged=row.revenue,
    )


def lines_of(moved: Sequence[Moved], balance: int) -> dict[str, LedgerLine]:
    """Return lines by key of ordered entries; `balance` is the available balance after the last."""
    lines: dict[str, LedgerLine] = {}
    left = balance
    for one in reversed(moved):
        after, left = left, left - one.amount
        if one.kind in SILENT:
            continue
        key = f"{one.at_us // SECOND_US}|{one.kind}|{one.cause}"
        line = lines.get(key)
        if line is None:
            lines[key] = LedgerLine(
                key,
                one.seq,
                one.at_us,
                one.kind,
                one.cause,
                1,
                one.amount,
                after,
                one.operation_id,
                one.charged,
            )
        else:
            lines[key] = replace(
                line,
                count=line.count + 1,
                amount=line.amount + one.amount,
                charged=line.charged + one.charged,
            )
    return lines


def joined(
    older: Mapping[str, LedgerLine], newer: Mapping[str, LedgerLine]
) -> dict[str, LedgerLine]:
    """Join both; a line of `newer` with the same key continues the one of `older`."""
    found = dict(older)
    for key, line in newer.items():
        before = older.get(key)
        if before is not None:
            line = replace(
                line,
                count=line.count + before.count,
                amount=line.amount + before.amount,
                charged=line.charged + before.charged,
            )
        found[key] = line
    return found


def newest(lines: Iterable[LedgerLine]) -> list[LedgerLine]:
    """Return the last lines, newest first."""
    return sorted(lines, key=lambda line: -line.seq)[:LINES]


def apply_lines(data: Any, change: Any) -> Any:
    """Apply a change as static/js/billing/wallet.js does: lines of the same key are replaced."""
    lines = {line["key"]: line for line in data["lines"]}
    lines |= {line["key"]: line for line in change["lines"]}
    ordered = sorted(lines.values(), key=lambda line: -line["seq"])[:LINES]
    return {**data, **change, "lines": ordered}
