"""Checkpoints of the journal: closed stretches with their sums, so that pages needn't sum it all.

The sum over a period consists of the stretches that are completely inside it, the matching entries
of the few stretches that are partly inside it, and the entries after the last stretch. It is exact,
even if the clock's times are out of order. A stretch is closed only if its entries have no gap and
their chain of digests is intact.
"""

from billing.persistence.checkpoints.closing import close_next, digest_of_row, due, seal_of
from billing.persistence.checkpoints.proving import first_unsealed, is_proven
from billing.persistence.checkpoints.reading import Sums, moved, of_wallet, sums
from billing.persistence.checkpoints.spans import Span, spans

__all__ = [
    "Span",
    "Sums",
    "close_next",
    "digest_of_row",
    "due",
    "first_unsealed",
    "is_proven",
    "moved",
    "of_wallet",
    "seal_of",
    "spans",
    "sums",
]
