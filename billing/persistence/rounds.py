"""Rounds over a server's accounts: one thread talks to Redis, the other to SQL, side by side.

While one round's batches are written, the next round's are closed and worked out, and the one
before is trimmed. The order that counts is kept for every account: closed, committed, trimmed,
and only then closed again, since the thread for Redis does what it is asked in turn.
"""

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final

from django.db import InterfaceError, InternalError, OperationalError

from billing import servers, wallet
from billing.persistence.alarms import FAULT
from billing.persistence.entries import AccountBatch
from billing.persistence.reading import Known
from billing.persistence.sheets import Sheet, sheet_of
from billing.persistence.turns import Turn
from billing.persistence.writing import MOST_ACCOUNTS, Outcome, Written, write_sheets
from poolsite import hotpath
from poolsite.jobs import lease
from poolsite.runtime.crash_points import crash_point

logger = logging.getLogger(__name__)

BATCH_ENTRIES = 1_000  # of one account in one closed batch
MOST_ENTRIES = 100_000  # in one SQL transaction
MOST_ROUNDS = 50  # closed batches of one account in one turn
SQL_AWAY: Final = (OperationalError, InterfaceError, InternalError)  # the latter: it is read-only
Waiting = tuple[Known, int]  # an account, and how many entries it has


class LeaseLostError(Exception):
    """Another worker has the shard now: what is not written is its."""


@dataclass(frozen=True, slots=True)
class _Closed:
    """One account's closed batch, worked out; `left` = more entries came after it."""

    its: Known
    sheet: Sheet
    left: bool


@dataclass(slots=True)
class _Closing:
    """What closing a round's batches brought."""

    closed: list[_Closed] = field(default_factory=list)
    unread: list[tuple[Known, hotpath.HotPathError]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Round:
    """Accounts whose next batch is being closed; `number` counts their rounds in this turn."""

    known: Sequence[Known]
    number: int
    closing: "Future[_Closing]"


def persist_dirty(server: str, dirty: Sequence[Waiting], turn: Turn) -> None:
    """Write what waits in these accounts, round after round.

    Raises what SQL raises when it is away, and LeaseLostError; what is closed then stays closed.
    """
    with _RedisSide(servers.named(server)) as redis:
        _Rounds(redis, turn, deque((known, 1) for known in _chunks(dirty))).run()


def _chunks(dirty: Sequence[Waiting]) -> Iterator[list[Known]]:
    """Cut so that a round has a bounded number of accounts and of entries."""
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


class _RedisSide:
    """The thread for Redis: closes and trims, one after the other, as it is asked."""

    def __init__(self, path: hotpath.HotPath) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, "billing-redis")

    def __enter__(self) -> "_RedisSide":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown()

    def close(self, known: Sequence[Known]) -> "Future[_Closing]":
        return self._thread.submit(_close, self._path, known)

    def trim(self, batches: Sequence[tuple[str, AccountBatch]]) -> "Future[list[str]]":
        return self._thread.submit(_trim, self._path, batches)


def _close(path: hotpath.HotPath, known: Sequence[Known]) -> _Closing:
    """Close one batch of each account, and work out what it writes."""
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
    """Return a closed batch as the books know it."""
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
    """Tell Redis what SQL has; returns what it did not take: the next turn finds a repeat."""
    answers = path.run_batch(
        [wallet.trim_batch(slug, its.generation, its.batch_number) for slug, its in batches]
    )
    crash_point("billing.after_trim")
    return [str(answer) for answer in answers if isinstance(answer, hotpath.HotPathError)]


@dataclass(slots=True)
class _Rounds:
    redis: _RedisSide
    turn: Turn
    waiting: deque[tuple[Sequence[Known], int]]
    trims: "list[Future[list[str]]]" = field(default_factory=list)

    def run(self) -> None:
        now = self._begin()
        try:
            while now is not None:
                following = self._begin()
                self._end(now, self._write(now))
                now = following or self._begin()
        finally:
            for trim in self.trims:
                for said in trim.result():
                    self.turn.failed += 1
                    logger.warning("billing: a written batch is not trimmed yet: %s", said)

    def _begin(self) -> _Round | None:
        """Let the next accounts' batches be closed; None = no accounts are waiting."""
        if not self.waiting:
            return None
        known, number = self.waiting.popleft()
        return _Round(known, number, self.redis.close(known))

    def _end(self, its: _Round, more: list[Known]) -> None:
        if its.number == MOST_ROUNDS:
            self.turn.left += len(more)
        elif more:
            self.waiting.append((more, its.number + 1))

    def _write(self, its: _Round) -> list[Known]:
        """Write one round's batches; returns the accounts with more to come."""
        found = its.closing.result()
        for known, error in found.unread:
            _tell_unread(known, error, self.turn)
        more: list[Known] = []
        try:
            for part in _parts(found.closed):
                more += self._write_part(part)
        except SQL_AWAY:
            self.turn.failed += len(its.known)
            raise
        return more

    def _write_part(self, part: Sequence[_Closed]) -> list[Known]:
        turn = self.turn
        oldest = min([each.sheet.batch.changes[0].at_us for each in part])
        turn.oldest_us = min(turn.oldest_us or oldest, oldest)
        fence = turn.fence()
        crash_point("billing.batch_closed")
        held = lease.current()
        if held is not None and not held.held:
            raise LeaseLostError(f"shard {turn.shard} is another worker's now")
        done = write_sheets([each.sheet for each in part], fence)
        crash_point("billing.after_commit")
        written = [(each, done[each.its.wallet_id]) for each in part]
        in_sql = [(each.its.slug, each.sheet.batch) for each, said in written if said.may_trim]
        self.trims.append(self.redis.trim(in_sql))
        more = []
        for each, said in written:
            _count(each.its, each.sheet.batch, said, turn)
            if said.may_trim and (each.left or said.outcome is Outcome.REPEAT):
                more.append(each.its)
        return more


def _parts(closed: Sequence[_Closed]) -> Iterator[list[_Closed]]:
    """Cut so that one transaction has a bounded number of entries: some came since the look."""
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
    # Entries of strange hands, a log with a hole.
    if isinstance(error, hotpath.ScriptFailed | wallet.WalletRefusedError):
        turn.faults += 1
        turn.alarms.fault(its.slug, str(error))


def _count(its: Known, batch: AccountBatch, written: Written, turn: Turn) -> None:
    """Note the outcome."""
    if written.outcome is Outcome.WRITTEN:
        turn.accounts += 1
        turn.entries += len(batch.changes)
        turn.alarms.close(FAULT, its.slug)
        return
    if written.outcome is Outcome.REPEAT:
        turn.repeats += 1
        return
    if written.outcome in (Outcome.FAULT, Outcome.DIVERGED):
        turn.faults += 1
        turn.alarms.fault(its.slug, written.reason)
        if written.outcome is Outcome.DIVERGED:
            turn.lost[its.wallet_id] = "diverged"
    else:
        turn.refused += 1
    logger.warning(
        "billing: batch %s of %s: %s: %s",
        *(batch.batch_number, its.slug, written.outcome.value, written.reason),
    )
