"""One SQL transaction for the closed batches of many accounts. A rejected account fails alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from billing import webhook_events
from billing.models import Batch, FlaggedReport, Message
from billing.models.messages import State
from billing.persistence import calls, statements
from billing.persistence.entries import AccountBatch, BookFaultError
from billing.persistence.folding import MessageDelta
from billing.persistence.sheets import Sheet, sheet_of
from billing.persistence.statements import Move
from poolsite import sql_bulk
from poolsite.runtime.crash_points import crash_point
from poolsite.sql_texts import Row

MOST_ACCOUNTS = 1_000  # per transaction


class BatchOutcome(Enum):
    """The result of an account's batch."""

    WRITTEN = "written"
    REPEAT = "repeat"  # SQL already has it: only the trim was missed
    REFUSED = "refused"  # a later writer has written this row
    STALE = "stale"  # from another generation of the wallet's data
    DIVERGED = "diverged"  # SQL has other entries under these numbers: Redis went back in time
    FAULT = "fault"  # SQL can't store it: shown, and kept in Redis


@dataclass(frozen=True, slots=True)
class Written:
    """The result of a batch, and the reason if it failed."""

    outcome: BatchOutcome
    reason: str = ""

    @property
    def may_trim(self) -> bool:
        """Whether SQL has every entry of the batch."""
        return self.outcome in (BatchOutcome.WRITTEN, BatchOutcome.REPEAT)


_WRITTEN = Written(BatchOutcome.WRITTEN)


class _Head(NamedTuple):
    """The values of a locked wallet row."""

    generation: int
    seq: int
    batch_number: int
    digest: str
    spendable: int
    highest_credit_limit: int


def write_batches(batches: Sequence[AccountBatch], fence: int) -> dict[int, Written]:
    """Write no more than one closed batch per wallet; see `write_sheets`."""
    return write_sheets([sheet_of(batch) for batch in batches], fence)


def write_sheets(sheets: Sequence[Sheet], fence: int) -> dict[int, Written]:
    """Write no more than one closed batch per wallet. Return the results by wallet ID.

    All accounts' rows commit together. If SQL refuses an account's rows (such as a row that exists
    with other content), that account is found by halving, and fails alone. Raise the database's
    OperationalError or InterfaceError: then the last transaction wrote nothing, or the response to
    its commit was lost and the next try finds a repeat.
    """
    if not sheets:
        return {}
    try:
        with transaction.atomic():
            done = _write(sheets, fence)
            crash_point("billing.before_commit")
            return done
    except (IntegrityError, DataError, BookFaultError) as error:
        if len(sheets) == 1:
            return {
                sheets[0].batch.wallet_id: Written(BatchOutcome.FAULT, str(error).strip()[:300])
            }
    middle = len(sheets) // 2
    return write_sheets(sheets[:middle], fence) | write_sheets(sheets[middle:], fence)


def _write(sheets: Sequence[Sheet], fence: int) -> dict[int, Written]:
    now = timezone.now()
    statements.limit_waiting()
    rows = statements.lock_wallets([sheet.batch.wallet_id for sheet in sheets])
    heads = {row[0]: _Head(*row[1:]) for row in rows}
    done: dict[int, Written] = {}
    fresh: list[tuple[Sheet, list[str]]] = []
    for sheet in sheets:
        verdict = _judge(sheet, heads.get(sheet.batch.wallet_id))
        if isinstance(verdict, Written):
            done[sheet.batch.wallet_id] = verdict
        else:
            fresh.append((sheet, sheet.digests_after(verdict.digest)))
    taken = statements.move_wallets([_move(*each) for each in fresh], fence, now)
    written = []
    for sheet, digests in fresh:
        key = sheet.batch.wallet_id
        if key in taken:
            written.append((sheet, digests))
            done[key] = _WRITTEN
        else:
            done[key] = Written(BatchOutcome.REFUSED, "a later writer has been here")
    _insert(written, fence, now)
    return done


def _judge(sheet: Sheet, head: _Head | None) -> Written | _Head:
    """Return why a batch can't be written, or the row's head if the batch can follow it."""
    batch = sheet.batch
    if head is None:
        return Written(BatchOutcome.FAULT, "SQL has no such wallet")
    if batch.generation != head.generation:
        return Written(
            BatchOutcome.STALE, f"generation {batch.generation}, SQL has {head.generation}"
        )
    if batch.batch_number <= head.batch_number:
        return _judge_repeat(batch)
    if sheet.fault:
        return Written(BatchOutcome.FAULT, sheet.fault)
    if batch.first_seq <= head.seq:
        return Written(BatchOutcome.DIVERGED, f"batch from {batch.first_seq}, SQL has {head.seq}")
    if batch.first_seq != head.seq + 1:
        return Written(
            BatchOutcome.FAULT, f"batch from {batch.first_seq}, SQL stands at {head.seq}"
        )
    after = head.spendable + batch.amount
    if after < -head.highest_credit_limit:
        least = -head.highest_credit_limit or "zero"
        return Written(BatchOutcome.FAULT, f"{after} would be below {least}")
    return head


def _judge_repeat(batch: AccountBatch) -> Written:
    stored = Batch.objects.filter(
        wallet_id=batch.wallet_id,
        generation=batch.generation,
        batch_number=batch.batch_number,
    ).values_list("first_seq", "last_seq", "amount")
    if stored.first() == (batch.first_seq, batch.last_seq, batch.amount):
        return Written(BatchOutcome.REPEAT)
    return Written(
        BatchOutcome.DIVERGED, f"batch {batch.batch_number} is in SQL with other content"
    )


def _move(sheet: Sheet, digests: Sequence[str]) -> Move:
    batch = sheet.batch
    return Move(
        id=batch.wallet_id,
        generation=batch.generation,
        before=batch.first_seq - 1,
        last=batch.last_seq,
        number=batch.batch_number,
        spendable=batch.amount,
        held=sheet.held,
        receivable=sheet.receivable,
        digest=digests[-1],
    )


# -- rows ---------------------------------------------------------------------------------------


def _insert(written: Sequence[tuple[Sheet, list[str]]], fence: int, now: datetime) -> None:
    sheets = [sheet for sheet, _ in written]
    at = str(now) if sql_bulk.on_postgres() else now
    sql_bulk.add_rows(statements.BATCHES, [(*_batch_row(s.batch), fence, at) for s in sheets])
    _add_journal(written)
    sql_bulk.add_rows(statements.FLAGGED, [row for s in sheets for row in s.flagged])
    sql_bulk.add_rows(statements.RECEIVABLES, [row for s in sheets for row in s.receivables])
    calls.add([row for sheet in sheets for row in sheet.calls])
    promotions = [row for s in sheets for row in s.promotions]
    sql_bulk.add_rows(statements.PROMOTION_MOVES, promotions)
    statements.move_promotions(promotions)
    deltas = [delta for sheet in sheets for delta in sheet.messages]
    statements.upsert_messages([_message_row(delta) for delta in deltas if not delta.forgotten])
    for delta in deltas:
        if delta.forgotten:
            parked = Message.objects.filter(wallet_id=delta.wallet_id, state="parked")
            parked = parked.filter(message_id=delta.message_id)
            parked.delete()  # unaudited: the entry is in the journal
    _close_paid(deltas, now)
    webhook_events.messages_ended(deltas)


def _close_paid(deltas: Sequence[MessageDelta], now: datetime) -> None:
    """Close the reports of unpaid session messages that are paid by now."""
    paid = {
        (delta.wallet_id, delta.message_id)
        for delta in deltas
        if delta.kind == "session" and delta.state == State.SETTLED
    }
    if not paid:
        return
    wallets, names = zip(*paid, strict=True)
    still_open = FlaggedReport.objects.filter(closed_at=None, flag=FlaggedReport.Flag.UNPAID)
    reports = still_open.filter(wallet_id__in=set(wallets), message_id__in=names)
    found = reports.values_list("pk", "wallet_id", "message_id")
    keys = [key for key, *message in found if tuple(message) in paid]
    paid_now = still_open.filter(pk__in=keys)
    closing = FlaggedReport.Closing.PAID
    paid_now.update(closed_at=now, closing=closing)  # unaudited: the entry is in the journal


def _add_journal(written: Sequence[tuple[Sheet, list[str]]]) -> None:
    lines: list[str] = []
    rows: list[Row] = []
    copies = sql_bulk.on_postgres()
    for sheet, digests in written:
        text = sheet.journal_lines(digests) if copies else None
        if text is None:
            rows += sheet.journal_rows(digests)
        else:
            lines += text
    sql_bulk.add_lines(statements.JOURNAL, lines)
    sql_bulk.add_rows(statements.JOURNAL_WHOLE, rows)


def _batch_row(batch: AccountBatch) -> Row:
    return (
        *(batch.wallet_id, batch.generation, batch.batch_number),
        *(batch.first_seq, batch.last_seq, batch.amount),
    )


def _message_row(delta: MessageDelta) -> Row:
    return (
        *(delta.wallet_id, delta.message_id, delta.kind or "message", delta.body_hash),
        *(delta.chatbot, delta.tariff_id, delta.prices, delta.state, delta.mode),
        delta.quoted or 0,
        *(delta.charged, delta.seconds, delta.flag),
        *(delta.held_us, delta.sent_us, delta.ended_us),
    )
