"""Cursors of a ledger's pages: the entry after which a page begins, and the figure there.

A cursor is signed for its wallet and figure, so that no link can show figures that never existed.
"""

from dataclasses import dataclass

from django.core import signing
from django.db.models import Q

from billing.models import JournalEntry, Wallet


@dataclass(frozen=True, slots=True)
class PageCursor:
    """The last entry of a page; `running` is the figure before it, or None if unknown."""

    generation: int
    seq: int
    running: int | None

    @property
    def older(self) -> Q:
        """A filter for the entries before the cursor."""
        return Q(generation__lt=self.generation) | Q(generation=self.generation, seq__lt=self.seq)


def cursor_of(wallet: Wallet, figure: str, last: JournalEntry, running: int | None) -> str:
    """Return the cursor for the address of the next page."""
    return signing.dumps([last.generation, last.seq, running], salt=_salt(wallet, figure))


def place_of(wallet: Wallet, figure: str, cursor: str) -> PageCursor:
    """Read a cursor of the same wallet and figure. Raise ValueError for any other text."""
    try:
        return PageCursor(*signing.loads(cursor, salt=_salt(wallet, figure)))
    except signing.BadSignature:
        raise ValueError("not a page of this list") from None


def _salt(wallet: Wallet, figure: str) -> str:
    return f"billing.ledger:{wallet.pk}:{figure}"
