"""One shard's turn: find the wallets with change entries, write them, trim; exactly once each."""

import logging
import os
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.db import InterfaceError, InternalError, OperationalError, connection
from django.db.models import F
from django.db.models.functions import Mod
from django.utils import timezone
from redis.exceptions import RedisError

from billing import servers, wallet
from billing.models import Wallet, WriterRun
from billing.persistence.alarms import FAULT, LAG, Alarms
from billing.persistence.entries import AccountBatch
from billing.persistence.reading import Known, by_server, known_of, looks_on, trouble
from billing.persistence.writing import MOST_ACCOUNTS, Outcome, Written, write_batches
from poolsite import hotpath, live
from poolsite.jobs import lease
from poolsite.runtime.crash_points import crash_point

logger = logging.getLogger(__name__)

PAGE = 5_000  # wallets looked at in one go
BATCH_ENTRIES = 1_000  # of one account in one closed batch
MOST_ENTRIES = 100_000  # in one SQL transaction
MOST_ROUNDS = 50  # closed batches of one account in one turn
RUNS_KEPT = 20_000
TOPIC = "billing.books:all"
REDIS_ERRORS = (hotpath.HotPathError, RedisError, OSError, servers.UnknownServerError)
SQL_AWAY = (OperationalError, InterfaceError, InternalError)  # the latter: SQL is read-only


class LeaseLostError(Exception):
    """Another worker has the shard now: what is not written is its."""


@dataclass
class Turn:
    """What one shard's turn did. `lost`: wallets that Redis lost, or that went back in time."""

    shard: int = 0
    shards: int = 1
    looked_at: int = 0
    accounts: int = 0
    entries: int = 0
    repeats: int = 0
    refused: int = 0
    faults: int = 0
    failed: int = 0
    left: int = 0
    oldest_us: int = 0
    lost: dict[int, str] = field(default_factory=dict)
    alarms: Alarms = field(default_factory=Alarms)
    run: WriterRun | None = None

    def fence(self) -> int:
        """This turn's fencing number; SQL hands it out when it is needed first."""
        if self.run is None:
            worker = f"{socket.gethostname()}:{os.getpid()}"
            self.run = WriterRun.objects.create(
                shard=self.shard, shards=self.shards, worker=worker[:120]
            )
        return self.run.pk

    def figures(self) -> dict[str, int]:
        """For the system page and the metrics."""
        return {
            "looked_at": self.looked_at,
            "accounts": self.accounts,
            "entries": self.entries,
            "repeats": self.repeats,
            "refused": self.refused,
            "faults": self.faults,
            "failed": self.failed,
            "left": self.left,
            "lag_seconds": self.lag_seconds,
            "lost": len(self.lost),
        }

    @property
    def lag_seconds(self) -> int:
        """How long the oldest entry had waited when this turn took it."""
        if not self.oldest_us:
            return 0
        return max(0, int(timezone.now().timestamp() - self.oldest_us / 1_000_000))


def persist_shard(shard: int, shards: int) -> Turn:
    """Persist every account of the shard that has change entries; returns what was done.

    Any number may run at once: of two writers of one row, the row takes the later fence. SQL or
    Redis that is away costs this turn only: what is closed stays closed.
    """
    turn = Turn(shard, shards, alarms=Alarms.load())
    for rows in _pages(shard, shards):
        for server, known in by_server(rows).items():
            try:
                _persist_some(server, known, turn)
            except REDIS_ERRORS as error:
                turn.failed += len(known)
                logger.warning("billing: server %r cannot be persisted: %s", server, error)
    _finish(turn)
    return turn


def persist_one(row: Wallet) -> Turn:
    """Persist one account until nothing waits; raises what Redis or SQL raise."""
    turn = Turn(alarms=Alarms.load())
    _persist_some(row.redis, known_of(Wallet.objects.filter(pk=row.pk)), turn, raising=True)
    _finish(turn)
    return turn


def _pages(shard: int, shards: int) -> Iterator[list[Known]]:
    """The shard's wallets by keyset: accounts are hashed by their key."""
    after = 0
    rows = Wallet.objects.annotate(shard=Mod(F("pk"), shards)).filter(shard=shard).order_by("pk")
    while True:
        page = known_of(rows.filter(pk__gt=after)[:PAGE])
        if page:
            yield page
            after = page[-1].wallet_id
        if len(page) < PAGE:
            return


def _persist_some(
    server: str, known: Sequence[Known], turn: Turn, *, raising: bool = False
) -> None:
    dirty: list[Known] = []
    for its, now in zip(known, looks_on(server, [k.tag for k in known]), strict=True):
        turn.looked_at += 1
        why = trouble(its, now)
        if why:
            turn.lost[its.wallet_id] = why
        if now.backlog:
            turn.alarms.backlog(its.slug, now.backlog, now.log_limit)
            if why in ("", "promoted", "recovering"):
                dirty.append(its)
    for start in range(0, len(dirty), MOST_ACCOUNTS):
        chunk: list[Known] = dirty[start : start + MOST_ACCOUNTS]
        for _ in range(MOST_ROUNDS):
            if not chunk:
                break
            try:
                chunk = _round(server, chunk, turn)
            except SQL_AWAY as error:
                if raising:
                    raise
                turn.failed += len(chunk)
                connection.close_if_unusable_or_obsolete()
                logger.warning("billing: SQL does not take the books: %s", error)
                return
        turn.left += len(chunk)


def _round(server: str, known: Sequence[Known], turn: Turn) -> list[Known]:
    """Close, write, trim one batch of each account; returns those with more to come."""
    path = servers.named(server)
    closed = path.run_batch([wallet.close_batch(its.slug, BATCH_ENTRIES) for its in known])
    open_batches: list[tuple[Known, wallet.ClosedBatch]] = []
    for its, batch in zip(known, closed, strict=True):
        if isinstance(batch, hotpath.HotPathError):
            _tell_unread(its, batch, turn)
        elif batch is not None:
            open_batches.append((its, batch))
    more: list[Known] = []
    for part in _parts(open_batches):
        more += _write_part(path, part, turn)
    return more


def _tell_unread(its: Known, error: hotpath.HotPathError, turn: Turn) -> None:
    turn.failed += 1
    logger.warning("billing: batch of %s is not closed: %s", its.slug, error)
    # Entries of strange hands, a log with a hole.
    if isinstance(error, hotpath.ScriptFailed | wallet.WalletRefusedError):
        turn.faults += 1
        turn.alarms.fault(its.slug, str(error))


def _parts(
    batches: Sequence[tuple[Known, wallet.ClosedBatch]],
) -> Iterator[list[tuple[Known, wallet.ClosedBatch]]]:
    """Cut so that one transaction has a bounded number of entries."""
    part: list[tuple[Known, wallet.ClosedBatch]] = []
    entries = 0
    for its, batch in batches:
        count = len(batch.entries)
        if part and entries + count > MOST_ENTRIES:
            yield part
            part, entries = [], 0
        part.append((its, batch))
        entries += count
    if part:
        yield part


def _write_part(
    path: hotpath.HotPath, part: Sequence[tuple[Known, wallet.ClosedBatch]], turn: Turn
) -> list[Known]:
    known = {its.wallet_id: its for its, _ in part}
    batches = [_account_batch(its, closed) for its, closed in part]
    for batch in batches:
        oldest = batch.changes[0].at_us if batch.changes else 0
        turn.oldest_us = min(turn.oldest_us or oldest, oldest)
    fence = turn.fence()
    crash_point("billing.batch_closed")
    held = lease.current()
    if held is not None and not held.held:
        raise LeaseLostError(f"shard {turn.shard} is another worker's now")
    done = write_batches(batches, fence)
    crash_point("billing.after_commit")
    _trim(path, [batch for batch in batches if done[batch.wallet_id].may_trim], known, turn)
    crash_point("billing.after_trim")
    left = {its.wallet_id for its, closed in part if closed.left}
    more = []
    for batch in batches:
        its, written = known[batch.wallet_id], done[batch.wallet_id]
        _count(its, batch, written, turn)
        if written.may_trim and (its.wallet_id in left or written.outcome is Outcome.REPEAT):
            more.append(its)
    return more


def _account_batch(its: Known, closed: wallet.ClosedBatch) -> AccountBatch:
    return AccountBatch(
        wallet_id=its.wallet_id,
        generation=closed.generation,
        batch_number=closed.number,
        first_seq=closed.first_seq,
        last_seq=closed.last_seq,
        amount=closed.amount,
        changes=closed.entries,
    )


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


def _trim(
    path: hotpath.HotPath, batches: Sequence[AccountBatch], known: dict[int, Known], turn: Turn
) -> None:
    answers = path.run_batch(
        [
            wallet.trim_batch(known[batch.wallet_id].slug, batch.generation, batch.batch_number)
            for batch in batches
        ]
    )
    for answer in answers:
        if isinstance(answer, hotpath.HotPathError):
            turn.failed += 1  # the next turn finds a repeat, and trims
            logger.warning("billing: a written batch is not trimmed yet: %s", answer)


def _finish(turn: Turn) -> None:
    """Close the run's row, and tell a lag."""
    interval = max(settings.BILLING_PERSIST_SECONDS, 1)
    if turn.lag_seconds > 3 * interval + 30:
        turn.alarms.lag(turn.shard, turn.lag_seconds)
    elif not turn.failed:
        turn.alarms.close(LAG, str(turn.shard))
    if turn.run is None:
        return
    turn.run.ended_at = timezone.now()
    turn.run.accounts, turn.run.entries = turn.accounts, turn.entries
    turn.run.refused = turn.refused + turn.faults
    turn.run.save(update_fields=["ended_at", "accounts", "entries", "refused"])
    live.touch(TOPIC)


def forget_old_runs() -> int:
    """Delete the rows of turns that nobody looks at any more; the newest stays for its number."""
    last = WriterRun.objects.order_by("-pk").values_list("pk", flat=True).first()
    if last is None:
        return 0
    old = WriterRun.objects.filter(pk__lte=last - RUNS_KEPT)
    return old.delete()[0]  # unaudited: the persistence's own diary
