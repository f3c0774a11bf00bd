"""Closes a stretch of a journal, if it is intact, and seals it together with the previous one."""

import hashlib
import json
import logging
from collections.abc import Sequence
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Mod
from django.utils import timezone

from billing.models import Batch, JournalCheckpoint, JournalEntry, Wallet
from billing.persistence.checkpoints.reading import (
    LEGS,
    LINES,
    Lines,
    add_line,
    after,
    of_wallet,
)
from billing.persistence.entries import digest_of

logger = logging.getLogger(__name__)

ENTRIES: Final = 5_000  # per stretch


def due(shard: int, shards: int, entries: int = ENTRIES) -> QuerySet[Wallet]:
    """Return the shard's wallets with a stretch to close: long enough, or of a past generation."""
    newest = of_wallet(OuterRef("pk")).reverse()
    rows = Wallet.objects.annotate(
        shard=Mod(F("pk"), shards),
        closed_generation=Coalesce(Subquery(newest.values("generation")[:1]), Value(0)),
        closed_seq=Coalesce(Subquery(newest.values("last_seq")[:1]), Value(0)),
    )
    older = Batch.objects.filter(wallet=OuterRef("pk"), generation__lt=OuterRef("generation"))
    older = older.filter(
        Q(generation__gt=OuterRef("closed_generation"))
        | Q(generation=OuterRef("closed_generation"), last_seq__gt=OuterRef("closed_seq"))
    )
    long_enough = Q(generation=F("closed_generation"), seq__gte=F("closed_seq") + entries) | Q(
        generation__gt=F("closed_generation"), seq__gte=entries
    )
    ended = Q(generation__gt=F("closed_generation")) & Q(Exists(older))
    return rows.filter(long_enough | ended, shard=shard).order_by("pk")


def close_next(wallet_id: int, entries: int = ENTRIES) -> JournalCheckpoint | None:
    """Close the next stretch. Return None if it's too short, broken, or just closed elsewhere."""
    last = of_wallet(wallet_id).last()
    rows = _next_stretch(wallet_id, last, entries)
    if not rows:
        return None
    fault = broken(rows, last)
    if fault:
        logger.warning("billing: no checkpoint of wallet %s: %s", wallet_id, fault)
        return None
    made = summed(rows, last)
    try:
        with transaction.atomic():
            made.save(force_insert=True)
    except IntegrityError:
        return None
    return made


def _next_stretch(
    wallet_id: int, last: JournalCheckpoint | None, entries: int
) -> list[JournalEntry]:
    journal = JournalEntry.objects.filter(wallet_id=wallet_id).order_by("generation", "seq")
    if last is not None:
        journal = journal.filter(after(last))
    rows = list(journal[:entries])
    if not rows:
        return []
    generation = rows[0].generation
    stretch = [row for row in rows if row.generation == generation]
    now = Wallet.objects.values_list("generation", flat=True).get(pk=wallet_id)
    # A past generation never gets another entry.
    return stretch if len(stretch) == entries or generation < now else []


def broken(rows: Sequence[JournalEntry], last: JournalCheckpoint | None) -> str:
    """Return which entry is missing or changed, or "" if the stretch is intact."""
    goes_on = last is not None and last.generation == rows[0].generation
    seq = last.last_seq if last is not None and goes_on else 0
    before = last.digest if last is not None else ""
    for row in rows:
        seq += 1
        if row.seq != seq:
            return f"{row.generation}:{seq} is missing"
        if digest_of_row(row, before) != row.digest:
            return f"{row.generation}:{row.seq} ({row.kind} {row.operation_id}) was changed"
        before = row.digest
    return ""


def digest_of_row(row: JournalEntry, before: str) -> str:
    """Return the digest that a journal row must have after the row with the digest `before`."""
    return digest_of(
        *(before, row.generation, row.seq, row.at_us, row.kind, row.operation_id),
        *(row.spendable, row.held, row.receivable, row.revenue, row.cash),
        *(row.state, row.mode, row.chatbot),
        *((row.promotion,) if row.promotion else ()),
    )


def summed(rows: Sequence[JournalEntry], last: JournalCheckpoint | None) -> JournalCheckpoint:
    said: Lines = {by: {} for by in LINES}
    for row in rows:
        figures = (1, row.spendable, row.revenue, row.cash)
        add_line(said["kind"], row.kind, figures)
        if row.mode and row.revenue:
            add_line(said["mode"], row.mode, figures)
        if row.chatbot:
            add_line(said["chatbot"], row.chatbot, figures)
    made = JournalCheckpoint(
        wallet_id=rows[0].wallet_id,
        generation=rows[0].generation,
        first_seq=rows[0].seq,
        last_seq=rows[-1].seq,
        entries=len(rows),
        first_us=min(row.at_us for row in rows),
        last_us=max(row.at_us for row in rows),
        counts={leg: sum(getattr(row, leg) != 0 for row in rows) for leg in LEGS},
        lines=said,
        digest_before=last.digest if last is not None else "",
        digest=rows[-1].digest,
        proven_at=timezone.now(),
        **{leg: sum(getattr(row, leg) for row in rows) for leg in LEGS},
    )
    made.seal = seal_of(made, last.seal if last is not None else "")
    return made


def seal_of(checkpoint: JournalCheckpoint, before: str) -> str:
    """Return 32 hexadecimal digits over all of a checkpoint's data and the previous seal."""
    said = [
        *(before, checkpoint.wallet_id, checkpoint.generation, checkpoint.first_seq),
        *(checkpoint.last_seq, checkpoint.entries, checkpoint.first_us, checkpoint.last_us),
        *(getattr(checkpoint, leg) for leg in LEGS),
        *(json.dumps(each, sort_keys=True) for each in (checkpoint.counts, checkpoint.lines)),
        *(checkpoint.digest_before, checkpoint.digest),
    ]
    return hashlib.blake2b("\x1f".join(map(str, said)).encode(), digest_size=16).hexdigest()
