"""Where a page of a ledger goes on: after which entry, and with which figure.

A cursor is signed for its wallet and figure, so that no link shows figures that were never there.
"""

from dataclasses import dataclass

from django.core import signing
from django.db.models import Q

from billing.models import JournalEntry, Wallet


@dataclass(frozen=True, slots=True)
class PageCursor:
    """The last entry of a page; `running` is the figure before it, None where it is not known."""

    generation: int
    seq: int
    running: int | None

    @property
    def older(self) -> Q:
        """The entries before it."""
        return Q(generation__lt=self.generation) | Q(generation=self.generation, seq__lt=self.seq)


def cursor_of(wallet: Wallet, figure: str, last: JournalEntry, running: int | None) -> str:
    """What the address of the next page says."""
    return signing.dumps([last.generation, last.seq, running], salt=_salt(wallet, figure))


def place_of(wallet: Wallet, figure: str, cursor: str) -> PageCursor:
    """Read a cursor of the same wallet and figure; raises ValueError for any other text."""
    try:
        return PageCursor(*signing.loads(cursor, salt=_salt(wallet, figure)))
    except signing.BadSignature:
        raise ValueError("not a page of this list") from None


def _salt(wallet: Wallet, figure: str) -> str:
    return f"billing.ledger:{wallet.pk}:{figure}"
