"""Checkpoints of the journal: closed stretches with their sums, so that no page sums everything.

A figure over any time is the stretches that lie in it as a whole, plus the entries of the few that
do not, plus the entries after the last one: exact, whatever order the clock gave them. A stretch
is closed only when its entries follow each other and their chain of digests is whole.
"""

from billing.persistence.checkpoints.closing import close_next, digest_of_row, due, seal_of
from billing.persistence.checkpoints.proving import first_unlike, first_unsealed, is_proven
from billing.persistence.checkpoints.reading import Sums, moved, of_wallet, sums
from billing.persistence.checkpoints.spans import Span, spans

__all__ = [
    "Span",
    "Sums",
    "close_next",
    "digest_of_row",
    "due",
    "first_unlike",
    "first_unsealed",
    "is_proven",
    "moved",
    "of_wallet",
    "seal_of",
    "spans",
    "sums",
]
