"""Rounds over many accounts: one thread talks to Redis, the other to SQL, in parallel.

While a round's batches are written, the next round's are closed and prepared, the previous round's
are trimmed, and the next page of wallets is read. The order that matters is kept for every account:
closed, committed, trimmed, and only then closed again, because the Redis thread does its tasks in
order.
"""

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import InterfaceError, InternalError, OperationalError, connection

from billing import servers, wallet
from billing.persistence.alarms import FAULT
from billing.persistence.entries import AccountBatch
from billing.persistence.reading import Known, Live, looks_on
from billing.persistence.sheets import Sheet, sheet_of
from billing.persistence.turns import Turn
from billing.persistence.writing import MOST_ACCOUNTS, BatchOutcome, Written, write_sheets
from poolsite import hotpath, tracing
from poolsite.history import refusals
from poolsite.hotpath import traces
from poolsite.jobs import lease
from poolsite.runtime.crash_points import crash_point

logger = logging.getLogger(__name__)

BATCH_ENTRIES = 1_000  # of one account, per closed batch
MOST_ENTRIES = 100_000  # per SQL transaction
MOST_ROUNDS = 50  # per turn and account, even if they take longer than the interval
SQL_AWAY: Final = (OperationalError, InterfaceError, InternalError)  # the last: SQL is read-only
Waiting = tuple[Known, int]  # an account and the number of its entries


class LeaseLostError(Exception):
    """Another worker has the shard now. It will write what is not written yet."""


class _Closed(NamedTuple):
    """An account's closed batch, prepared for SQL. `left`: more entries came after it."""

    its: Known
    sheet: Sheet
    left: bool


@dataclass(slots=True)
class _Closing:
    """The result of closing a round's batches."""

    closed: list[_Closed] = field(default_factory=list)
    unread: list[tuple[Known, hotpath.HotPathError]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Round:
    """Accounts of a server whose next batch is being closed."""

    server: str
    known: Sequence[Known]
    closing: "Future[_Closing]"


def chunks(dirty: Sequence[Waiting]) -> Iterator[list[Known]]:
    """Cut the accounts into rounds with a limited number of accounts and entries."""
    chunk: list[Known] = []
    entries = 0
    for its, backlog in dirty:
        expected = min(backlog, BATCH_ENTRIES)
        if chunk and (len(chunk) == MOST_ACCOUNTS or entries + expected > MOST_ENTRIES):
            yield chunk
            chunk, entries = [], 0
        chunk.append(its)
        entries += expected
    if chunk:
        yield chunk


class RedisSide:
    """The thread for Redis: reads, closes and trims, one after the other, as requested."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "billing-redis")

    def __enter__(self) -> "RedisSide":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown()

    def look(self, server: str, known: Sequence[Known]) -> "Future[list[Live]]":
        return self._thread.submit(looks_on, server, [its.tag for its in known])

    def close(self, server: str, known: Sequence[Known]) -> "Future[_Closing]":
        return self._thread.submit(_close, servers.named(server), known)

    def trim(self, server: str, batches: Sequence[tuple[str, AccountBatch]]) -> "Future[list[str]]":
        return self._thread.submit(_trim, servers.named(server), batches)


def _close(path: hotpath.HotPath, known: Sequence[Known]) -> _Closing:
    """Close a batch of each account, and prepare what it writes."""
    answers = path.run_batch([wallet.close_batch(its.slug, BATCH_ENTRIES) for its in known])
    found = _Closing()
    for its, answer in zip(known, answers, strict=True):
        if isinstance(answer, hotpath.HotPathError):
            found.unread.append((its, answer))
        elif answer is not None:
            sheet = sheet_of(account_batch(its, answer))
            found.closed.append(_Closed(its, sheet, bool(answer.left)))
    return found


def account_batch(its: Known, closed: wallet.ClosedBatch) -> AccountBatch:
    """Return a closed batch in the books' form."""
    return AccountBatch(
        wallet_id=its.wallet_id,
        generation=closed.generation,
        batch_number=closed.number,
        first_seq=closed.first_seq,
        last_seq=closed.last_seq,
        amount=closed.amount,
        changes=closed.entries,
    )


def _trim(path: hotpath.HotPath, batches: Sequence[tuple[str, AccountBatch]]) -> list[str]:
    """Trim what SQL has. Return the errors: the next turn finds those batches to be repeats."""
    answers = path.run_batch(
        [wallet.trim_batch(slug, its.generation, its.batch_number) for slug, its in batches]
    )
    crash_point("billing.after_trim")
    return [str(answer) for answer in answers if isinstance(answer, hotpath.HotPathError)]


@dataclass(slots=True)
class Rounds:
    """Writes waiting entries: `fresh` first, then those that came after a batch, round after round.

    `fresh`: (server, accounts), cut by `chunks`, read one ahead. An account with more entries than
    a batch holds gets its next round after all other accounts had theirs. There are up to
    MOST_ROUNDS rounds, and more while the turn is younger than the interval between turns.
    `raising`: errors are raised, not logged.
    """

    redis: RedisSide
    turn: Turn
    fresh: Iterator[tuple[str, Sequence[Known]]]
    raising: bool = False
    refused: bool = False  # by SQL, in the previous round
    more: dict[str, list[Known]] = field(default_factory=dict)
    number: int = 1
    trims: "list[Future[list[str]]]" = field(default_factory=list)

    def run(self) -> None:
        """Write all rounds. Raise LeaseLostError, or SQL's errors if SQL is away.

        What is closed stays closed. If SQL refuses a round (such as for a row that is locked), only
        that round fails. Two failures in a row end the turn.
        """
        now = self._begin()
        try:
            while now is not None:
                following = self._begin()
                self._end(now)
                now = following or self._begin()
        finally:
            for trim in self.trims:
                for said in trim.result():
                    self.turn.failed += 1
                    logger.warning("billing: a written batch is not trimmed yet: %s", said)

    def _begin(self) -> _Round | None:
        """Start to close the next accounts' batches. Return None if no accounts are waiting."""
        found = next(self.fresh, None)
        if found is None and self.more:
            self.fresh = self._further()
            found = next(self.fresh, None)
        if found is None:
            return None
        return _Round(*found, self.redis.close(*found))

    def _further(self) -> Iterator[tuple[str, Sequence[Known]]]:
        """Cut the accounts with more entries into rounds, unless the turn has done enough."""
        self.number += 1
        more, self.more = self.more, {}
        if self.number > MOST_ROUNDS and self.turn.seconds > settings.BILLING_PERSIST_SECONDS:
            self.turn.left += sum(map(len, more.values()))
            return iter(())
        full = {server: [(its, BATCH_ENTRIES) for its in known] for server, known in more.items()}
        return iter([(server, chunk) for server in full for chunk in chunks(full[server])])

    def _end(self, its: _Round) -> None:
        """Write a round's batches, and note the accounts that have more entries."""
        found = its.closing.result()
        for known, error in found.unread:
            _tell_unread(known, error, self.turn)
        more: list[Known] = []
        try:
            for part in _parts(found.closed):
                more += self._write_part(its.server, part)
        except SQL_AWAY as error:
            self.turn.failed += len(its.known)
            if self.raising or self.refused:
                raise
            connection.close_if_unusable_or_obsolete()
            refusals.note(error)
            logger.warning("billing: SQL does not take the books: %s", error)
            self.refused = True
        else:
            self.refused = False
        if more:
            self.more.setdefault(its.server, []).extend(more)

    def _write_part(self, server: str, part: Sequence[_Closed]) -> list[Known]:
        turn = self.turn
        turn.note_lag(min(each.sheet.batch.changes[0].at_us for each in part))
        fence = turn.fence()
        crash_point("billing.batch_closed")
        held = lease.current()
        if held is not None and not held.held:
            raise LeaseLostError(f"shard {turn.shard} is another worker's now")
        with _traced(server, part):
            done = write_sheets([each.sheet for each in part], fence)
        crash_point("billing.after_commit")
        written = [(each, done[each.its.wallet_id]) for each in part]
        in_sql = [(each.its.slug, each.sheet.batch) for each, said in written if said.may_trim]
        self.trims.append(self.redis.trim(server, in_sql))
        more = []
        for each, said in written:
            _count(each.its, each.sheet.batch, said, turn)
            if said.may_trim and (each.left or said.outcome is BatchOutcome.REPEAT):
                more.append(each.its)
        return more


def _traced(server: str, part: Sequence[_Closed]) -> AbstractContextManager[Any]:
    links = traces.links([each.its.tag for each in part], servers.named(server))
    return tracing.span("billing drain", links=links, attributes={"poolsite.accounts": len(part)})


def _parts(closed: Sequence[_Closed]) -> Iterator[list[_Closed]]:
    """Cut the batches so that a transaction has a limited number of entries: more may have come."""
    part: list[_Closed] = []
    entries = 0
    for each in closed:
        count = len(each.sheet.batch.changes)
        if part and entries + count > MOST_ENTRIES:
            yield part
            part, entries = [], 0
        part.append(each)
        entries += count
    if part:
        yield part


def _tell_unread(its: Known, error: hotpath.HotPathError, turn: Turn) -> None:
    turn.failed += 1
    logger.warning("billing: batch of %s is not closed: %s", its.slug, error)
    # Entries from an unknown writer, or a log with a gap.
    if isinstance(error, hotpath.ScriptFailed | wallet.WalletRefusedError):
        turn.faults += 1
        turn.alarms.fault(its.slug, str(error))


def _count(its: Known, batch: AccountBatch, written: Written, turn: Turn) -> None:
    """Add the outcome to the turn's figures and incidents."""
    if written.outcome is BatchOutcome.WRITTEN:
        turn.accounts += 1
        turn.entries += len(batch.changes)
        turn.alarms.close(FAULT, its.slug)
        return
    if written.outcome is BatchOutcome.REPEAT:
        turn.repeats += 1
        return
    if written.outcome in (BatchOutcome.FAULT, BatchOutcome.DIVERGED):
        turn.faults += 1
        turn.alarms.fault(its.slug, written.reason)
        if written.outcome is BatchOutcome.DIVERGED:
            turn.lost[its.wallet_id] = "diverged"
    else:
        turn.refused += 1
    logger.warning(
        "billing: batch %s of %s: %s: %s",
        *(batch.batch_number, its.slug, written.outcome.value, written.reason),
    )
