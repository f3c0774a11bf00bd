"""Compares a wallet's books in SQL with its figures in Redis: laws 1, 3, 4 and 5 of proving.py."""

from dataclasses import dataclass

from billing.models import JournalEntry, Wallet
from billing.persistence.differences import Difference
from billing.persistence.reading import Live, lives, pending_of
from billing.wallet import WalletChange, read_parts


@dataclass(frozen=True)
class WalletSums:
    """A wallet and its sums, read by one query and so at one moment."""

    wallet_id: int
    generation: int
    seq: int
    spendable: int
    held: int
    receivable: int
    opening: int
    credit_limit: int
    highest_credit_limit: int
    unsent: int
    promotional: int
    promotion_moves: int
    entries: int
    journal_spendable: int
    journal_held: int
    journal_receivable: int
    open_holds: int


def with_redis(
    wallet: Wallet, row: WalletSums, live: Live, *, last: bool
) -> list[Difference] | None:
    """Compare with what Redis had just before SQL was read. Return None if it has changed since.

    On the `last` try, never return None.
    """
    if wallet.recovering_since is not None:
        return []  # its Redis data is being rebuilt; SQL's books were proven
    if live.generation != row.generation or live.seq < row.seq:
        return _behind(wallet, row) if last else None
    if live.drained > row.seq:
        return None if not last else []
    entries = pending_of(wallet, row.seq, live.seq)
    if entries is None:
        return None if not last else []
    is_sent = not row.unsent and live.generation > 0
    if is_sent and live.credit != row.credit_limit and not last:
        return None  # it may have been changed between the two reads
    persisted = _journal_between(wallet, live, row.seq)
    amount = sum(entry.spendable for entry in entries)
    checks = (
        ("SQL spendable + pend = bal", row.spendable + live.pend - persisted, live.bal),
        ("waiting entries = pend", amount + persisted, live.pend),
        ("SQL held + waiting = held", row.held + sum(entry.held for entry in entries), live.held),
        (
            "SQL receivable + waiting = receivable",
            row.receivable + sum(entry.receivable for entry in entries),
            live.receivable,
        ),
        (
            "SQL promotions + waiting = promotions",
            row.promotional + sum(moved for entry in entries for _, moved in _parts(entry)),
            live.promotional,
        ),
        (
            "SQL credit limit = credit limit in Redis",
            row.credit_limit if is_sent else live.credit,
            live.credit,
        ),
    )
    return [
        Difference(wallet.slug, equation, expected, found)
        for equation, expected, found in checks
        if expected != found
    ] + [
        Difference(wallet.slug, f"{name} in Redis is not below {least or 'zero'}", least, found)
        for name, found, least in (
            ("bal", live.bal - live.promotional, -row.highest_credit_limit),
            ("held", live.held, 0),
        )
        if found < least
    ]


def _behind(wallet: Wallet, row: WalletSums) -> list[Difference]:
    """Return the difference if Redis, read after SQL, still lacks entries that SQL has.

    Read before SQL, a busy wallet can lack them on every try.
    """
    now = lives([wallet])[wallet.pk]
    if now.generation == row.generation and now.seq >= row.seq:
        return []
    return [Difference(wallet.slug, "generation and sequence in Redis", row.seq, now.seq)]


def _parts(entry: WalletChange) -> list[tuple[int, int]]:
    return read_parts(entry.grants) if entry.grants else []


def _journal_between(wallet: Wallet, live: Live, last: int) -> int:
    """Return the part of `pend` that SQL already has, but that is not trimmed in Redis yet."""
    if live.drained == last:
        return 0
    rows = JournalEntry.objects.filter(
        wallet=wallet, generation=live.generation, seq__gt=live.drained, seq__lte=last
    )
    return sum(rows.values_list("spendable", flat=True))
