"""A shard's turn: find the wallets with change entries, write them, trim them, exactly once."""

import gc
import logging
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager

from django.conf import settings
from django.db import connection
from django.db.models import F
from django.db.models.functions import Mod
from django.utils import timezone
from redis.exceptions import RedisError

from billing import servers
from billing.models import Wallet, WriterRun
from billing.persistence.alarms import LAG, BookAlarms
from billing.persistence.reading import Known, Live, by_server, known_of, trouble
from billing.persistence.rounds import SQL_AWAY, RedisSide, Rounds, Waiting, chunks
from billing.persistence.turns import Turn
from poolsite import hotpath, live
from poolsite.history import refusals

logger = logging.getLogger(__name__)

PAGE = 5_000  # wallets read at once
# How long a thread may compute while the other one, which has its reply, waits for the interpreter.
SWITCH_SECONDS = 0.0005
RUNS_KEPT = 20_000
TOPIC = "billing.books:all"
REDIS_ERRORS = (hotpath.HotPathError, RedisError, OSError, servers.UnknownServerError)
_Look = tuple[str, list[Known], "Future[list[Live]]"]


def persist_shard(shard: int, shards: int) -> Turn:
    """Persist every account of the shard that has change entries. Return what was done.

    Several can run at once: if two write the same row, the row accepts the later fence. If SQL or
    Redis is away, only this turn fails. What is closed stays closed.
    """
    turn = Turn(shard, shards, alarms=BookAlarms.load())
    with _no_collections(), _quick_switches():
        try:
            _persist(_pages(shard, shards), turn)
        except SQL_AWAY as error:
            turn.failed = max(turn.failed, 1)
            connection.close_if_unusable_or_obsolete()
            refusals.note(error)
            logger.warning("billing: SQL does not take the books: %s", error)
    _finish(turn)
    return turn


@contextmanager
def _no_collections() -> Iterator[None]:
    """Pause the garbage collector: searching millions of entries for cycles took half the CPU.

    Entries are freed by their reference counts. The few other objects with cycles are collected
    once a page (`_looked_at`).
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def _quick_switches() -> Iterator[None]:
    """Shorten Python's switch interval: the SQL thread waits for it ten times a round.

    With the default of 5 ms, that would be half of its time.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def persist_one(row: Wallet) -> Turn:
    """Persist an account until no entry is waiting. Raise the errors of Redis and SQL."""
    turn = Turn(alarms=BookAlarms.load())
    _persist(iter([known_of(Wallet.objects.filter(pk=row.pk))]), turn, raising=True)
    _finish(turn)
    return turn


def _pages(shard: int, shards: int) -> Iterator[list[Known]]:
    """Yield the shard's wallets in pages by keyset. Accounts are sharded by their key."""
    after = 0
    rows = Wallet.objects.annotate(shard=Mod(F("pk"), shards)).filter(shard=shard).order_by("pk")
    while True:
        page = known_of(rows.filter(pk__gt=after)[:PAGE])
        if page:
            yield page
            after = page[-1].wallet_id
        if len(page) < PAGE:
            return


def _persist(pages: Iterator[list[Known]], turn: Turn, *, raising: bool = False) -> None:
    with RedisSide() as redis:
        Rounds(redis, turn, _dirty(redis, pages, turn, raising=raising), raising).run()


def _dirty(
    redis: RedisSide, pages: Iterator[list[Known]], turn: Turn, *, raising: bool
) -> Iterator[tuple[str, list[Known]]]:
    """Yield the accounts with entries. The next page is read while the current one is written."""
    before: list[_Look] = []
    for rows in pages:
        looks = [
            (server, known, redis.look(server, known)) for server, known in by_server(rows).items()
        ]
        yield from _looked_at(before, turn, raising=raising)
        before = looks
    yield from _looked_at(before, turn, raising=raising)


def _looked_at(
    looks: Sequence[_Look], turn: Turn, *, raising: bool
) -> Iterator[tuple[str, list[Known]]]:
    """Evaluate a page. If a server does not respond, only its own wallets miss this turn."""
    gc.collect(1)
    for server, known, asked in looks:
        try:
            lives = asked.result()
        except REDIS_ERRORS as error:
            if raising:
                raise
            turn.failed += len(known)
            logger.warning("billing: server %r cannot be persisted: %s", server, error)
            continue
        for chunk in chunks(_waiting(known, lives, turn)):
            yield server, chunk


def _waiting(known: Sequence[Known], lives: Sequence[Live], turn: Turn) -> list[Waiting]:
    dirty: list[Waiting] = []
    for its, now in zip(known, lives, strict=True):
        turn.looked_at += 1
        why = trouble(its, now)
        if why:
            turn.lost[its.wallet_id] = why
        if now.backlog:
            turn.alarms.backlog(its.slug, now.backlog, now.log_limit)
            if why in ("", "promoted", "recovering"):
                dirty.append((its, now.backlog))
    return dirty


def _finish(turn: Turn) -> None:
    """Complete the run's row, and open or close the lag's incident."""
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
    """Delete old runs that no page shows. The newest is always kept, for its number."""
    last = WriterRun.objects.order_by("-pk").values_list("pk", flat=True).first()
    if last is None:
        return 0
    old = WriterRun.objects.filter(pk__lte=last - RUNS_KEPT)
    return old.delete()[0]  # unaudited: the persistence's own diary
