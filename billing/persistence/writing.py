"""One SQL transaction with the closed batches of many accounts. A row that refuses fails alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from billing.models import Batch, Message
from billing.persistence import statements
from billing.persistence.entries import AccountBatch, BookFaultError, digest_after, legs
from billing.persistence.folding import MessageDelta, messages_of
from billing.persistence.statements import Move, Row
from billing.wallet import reasons
from poolsite.moments import moment_of
from poolsite.runtime.crash_points import crash_point

MOST_ACCOUNTS = 1_000  # in one transaction


class Outcome(Enum):
    """What became of one account's batch."""

    WRITTEN = "written"
    REPEAT = "repeat"  # SQL has it already: only the trim was missed
    REFUSED = "refused"  # a later writer has been at this row
    STALE = "stale"  # another life of the wallet's data
    DIVERGED = "diverged"  # not what SQL has under these numbers: Redis went back in time, and on
    FAULT = "fault"  # SQL cannot take it: shown, and kept in Redis


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome of one batch, and why it is one that failed."""

    outcome: Outcome
    reason: str = ""

    @property
    def may_trim(self) -> bool:
        """Whether SQL has every entry of the batch."""
        return self.outcome in (Outcome.WRITTEN, Outcome.REPEAT)


@dataclass(frozen=True, slots=True)
class _Head:
    """A wallet's row, locked."""

    generation: int
    seq: int
    batch_number: int
    digest: str
    spendable: int
    held: int
    receivable: int


def write_batches(batches: Sequence[AccountBatch], fence: int) -> dict[int, Written]:
    """Write at most one closed batch per wallet; returns wallet id → what became of it.

    All accounts' rows commit together. What SQL itself refuses of one account (a row that is
    there with other content) is found by halving, and fails that account only. Raises the
    database's OperationalError, InterfaceError: then nothing was written by the last statement's
    transaction, or its commit's answer was lost and the next try finds a repeat.
    """
    if not batches:
        return {}
    try:
        with transaction.atomic():
            done = _write(batches, fence)
            crash_point("billing.before_commit")
            return done
    except (IntegrityError, DataError, BookFaultError) as error:
        if len(batches) == 1:
            return {batches[0].wallet_id: Written(Outcome.FAULT, str(error).strip()[:300])}
    middle = len(batches) // 2
    return write_batches(batches[:middle], fence) | write_batches(batches[middle:], fence)


def _write(batches: Sequence[AccountBatch], fence: int) -> dict[int, Written]:
    now = timezone.now()
    statements.limit_waiting()
    rows = statements.lock_wallets([batch.wallet_id for batch in batches])
    heads = {row[0]: _Head(*row[1:]) for row in rows}
    done: dict[int, Written] = {}
    fresh: list[AccountBatch] = []
    for batch in batches:
        verdict = _judge(batch, heads.get(batch.wallet_id))
        if verdict is None:
            fresh.append(batch)
        else:
            done[batch.wallet_id] = verdict
    digests = {batch.wallet_id: _digests(batch, heads[batch.wallet_id].digest) for batch in fresh}
    moves = [_move(batch, digests[batch.wallet_id]) for batch in fresh]
    taken = statements.move_wallets(moves, fence, now) if moves else set()
    for batch in fresh:
        if batch.wallet_id not in taken:
            done[batch.wallet_id] = Written(Outcome.REFUSED, "a later writer has been here")
    written = [batch for batch in fresh if batch.wallet_id in taken]
    _insert(written, digests, fence, now)
    done.update((batch.wallet_id, Written(Outcome.WRITTEN)) for batch in written)
    return done


def _judge(batch: AccountBatch, head: _Head | None) -> Written | None:
    """Say what a batch cannot become; None = it may be written."""
    if head is None:
        return Written(Outcome.FAULT, "SQL has no such wallet")
    if batch.generation != head.generation:
        return Written(Outcome.STALE, f"generation {batch.generation}, SQL has {head.generation}")
    if batch.batch_number <= head.batch_number:
        return _judge_repeat(batch)
    fault = batch.fault()
    if fault:
        return Written(Outcome.FAULT, fault)
    if batch.first_seq <= head.seq:
        return Written(Outcome.DIVERGED, f"batch from {batch.first_seq}, SQL has {head.seq}")
    if batch.first_seq != head.seq + 1:
        return Written(Outcome.FAULT, f"batch from {batch.first_seq}, SQL stands at {head.seq}")
    if head.spendable + batch.amount < 0:
        return Written(Outcome.FAULT, f"{head.spendable + batch.amount} would be below zero")
    return None


def _judge_repeat(batch: AccountBatch) -> Written:
    stored = Batch.objects.filter(
        wallet_id=batch.wallet_id,
        generation=batch.generation,
        batch_number=batch.batch_number,
    ).values_list("first_seq", "last_seq", "amount")
    if stored.first() == (batch.first_seq, batch.last_seq, batch.amount):
        return Written(Outcome.REPEAT)
    return Written(Outcome.DIVERGED, f"batch {batch.batch_number} is in SQL with other content")


def _digests(batch: AccountBatch, before: str) -> list[str]:
    found = []
    for change in batch.changes:
        before = digest_after(before, batch.generation, change)
        found.append(before)
    return found


def _move(batch: AccountBatch, digests: Sequence[str]) -> Move:
    return Move(
        id=batch.wallet_id,
        generation=batch.generation,
        before=batch.first_seq - 1,
        last=batch.last_seq,
        number=batch.batch_number,
        spendable=batch.amount,
        held=sum(change.held for change in batch.changes),
        receivable=sum(change.receivable for change in batch.changes),
        digest=digests[-1],
    )


# -- rows ---------------------------------------------------------------------------------------


def _insert(
    batches: Sequence[AccountBatch], digests: dict[int, list[str]], fence: int, now: datetime
) -> None:
    statements.add_rows(statements.BATCHES, [_batch_row(batch, fence, now) for batch in batches])
    statements.add_rows(statements.JOURNAL, list(_journal_rows(batches, digests)))
    statements.add_rows(statements.FLAGGED, list(_flagged_rows(batches)))
    statements.add_rows(statements.RECEIVABLES, list(_receivable_rows(batches)))
    deltas = messages_of(batches)
    statements.upsert_messages([_message_row(delta) for delta in deltas if not delta.forgotten])
    for delta in deltas:
        if delta.forgotten:
            parked = Message.objects.filter(wallet_id=delta.wallet_id, state="parked")
            parked = parked.filter(message_id=delta.message_id)
            parked.delete()  # unaudited: the entry is in the journal


def _batch_row(batch: AccountBatch, fence: int, now: datetime) -> Row:
    return (
        *(batch.wallet_id, batch.generation, batch.batch_number, batch.first_seq, batch.last_seq),
        *(batch.amount, fence, now),
    )


def _journal_rows(batches: Sequence[AccountBatch], digests: dict[int, list[str]]) -> Iterator[Row]:
    for batch in batches:
        for change, digest in zip(batch.changes, digests[batch.wallet_id], strict=True):
            yield (
                *(batch.wallet_id, batch.generation, change.seq, change.at_us),
                *(change.kind, change.id, *legs(change)),
                *(change.state, change.mode, change.chatbot, digest),
            )


def _flagged_rows(batches: Sequence[AccountBatch]) -> Iterator[Row]:
    for batch in batches:
        for change in batch.changes:
            if change.flag in reasons.LISTED:
                yield (
                    *(batch.wallet_id, batch.generation, change.seq, change.id),
                    *(change.flag, change.reported[:64], change.state, change.difference),
                    *(moment_of(change.at_us), "", "", ""),
                )


def _receivable_rows(batches: Sequence[AccountBatch]) -> Iterator[Row]:
    for batch in batches:
        for change in batch.changes:
            if change.receivable:
                yield (
                    *(batch.wallet_id, batch.generation, change.seq, change.id),
                    *(change.receivable, moment_of(change.at_us)),
                )


def _message_row(delta: MessageDelta) -> tuple[Any, ...]:
    return (
        *(delta.wallet_id, delta.message_id, delta.kind or "message", delta.body_hash),
        *(delta.chatbot, delta.tariff_id, delta.prices, delta.state, delta.mode),
        delta.quoted or 0,
        *(delta.charged, delta.flag, delta.held_at, delta.sent_at, delta.ended_at),
    )
