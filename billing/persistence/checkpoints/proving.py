"""Checks that checkpoints were not changed, and that they agree with their entries."""

from collections.abc import Iterable, Iterator

from django.utils import timezone

from billing.models import JournalCheckpoint, JournalEntry
from billing.persistence.checkpoints.closing import broken, seal_of, summed
from billing.persistence.checkpoints.reading import LEGS


def first_unsealed(checkpoints: Iterable[JournalCheckpoint]) -> JournalCheckpoint | None:
    """Return a wallet's first checkpoint that was changed or does not follow the previous one."""
    last: JournalCheckpoint | None = None
    for each in checkpoints:
        seq, digest, seal = 0, "", ""
        if last is not None:
            seq = last.last_seq if last.generation == each.generation else 0
            digest, seal = last.digest, last.seal
        follows = (each.first_seq, each.digest_before) == (seq + 1, digest)
        if not follows or seal_of(each, seal) != each.seal:
            return each
        last = each
    return None


def is_proven(checkpoint: JournalCheckpoint) -> bool:
    """Whether the entries exist, are unchanged and have the same sums. Store when it was proven."""
    rows = list(_entries_of(checkpoint))
    if not rows or len(rows) != checkpoint.entries:
        return False
    before = JournalCheckpoint(
        generation=checkpoint.generation,
        last_seq=checkpoint.first_seq - 1,
        digest=checkpoint.digest_before,
        seal="",
    )
    again = summed(rows, before)
    names = ("first_seq", "last_seq", "first_us", "last_us", "counts", "lines", "digest", *LEGS)
    same = all(getattr(again, name) == getattr(checkpoint, name) for name in names)
    if not same or broken(rows, before):
        return False
    mine = JournalCheckpoint.objects.filter(pk=checkpoint.pk)
    mine.update(proven_at=timezone.now())  # unaudited: the audit's own note
    return True


def _entries_of(checkpoint: JournalCheckpoint) -> Iterator[JournalEntry]:
    span = (checkpoint.first_seq, checkpoint.last_seq)
    rows = JournalEntry.objects.filter(wallet_id=checkpoint.wallet_id, seq__range=span)
    return rows.filter(generation=checkpoint.generation).order_by("seq").iterator(chunk_size=2_000)
