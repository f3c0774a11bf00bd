"""Sweeps over many wallets at once: persist, purge, send settings, delete."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Mod
from django.utils import timezone

from billing import servers, wallet
from billing.models import HoldIntent, Message, Wallet
from billing.models.messages import State
from billing.persistence import checkpoints
from billing.persistence.running import REDIS_ERRORS, forget_old_runs, persist_shard
from billing.services import safe_mode
from billing.services.wallet_settings import settings_of
from poolsite import hotpath
from poolsite.sql_bulk import delete_oldest

logger = logging.getLogger(__name__)

PAGE = 1_000
PURGE_LIMIT = 500  # of one wallet in one command
CHECKPOINT_SECONDS = 8.0
INTENT_DAYS = 4  # a report comes within 72 h of the hand-over, or it is late
ENDED = (State.SETTLED, State.FAILED, State.EXPIRED, State.CANCELLED)


def persist(shard: int, shards: int) -> dict[str, int]:
    """Run one turn of a shard's persistence, then rebuild the wallets that Redis lost."""
    turn = persist_shard(shard, shards)
    healed = safe_mode.heal(turn.lost) if turn.lost else {"rebuilt": 0}
    return turn.figures() | {"rebuilt": healed["rebuilt"]}


def persist_all() -> None:
    """Write the current data in Redis of every account to SQL; a backup calls this."""
    persist(0, 1)


def purge(shard: int, shards: int) -> dict[str, int]:
    """Delete final messages and receipts from Redis after 7 days, a bounded number each time."""
    done = {"wallets": 0, "purged": 0, "failed": 0}
    for count in _each(shard, shards, lambda slug: wallet.purge(slug, PURGE_LIMIT), done):
        done["purged"] += count
    return done


def close_checkpoints(shard: int, shards: int) -> dict[str, int]:
    """Close stretches of the shard's long journals, for a bounded time."""
    done = {"wallets": 0, "closed": 0}
    end = time.monotonic() + CHECKPOINT_SECONDS
    for wallet_id in list(checkpoints.due(shard, shards).values_list("pk", flat=True)[:PAGE]):
        done["wallets"] += 1
        while time.monotonic() < end and checkpoints.close_next(wallet_id) is not None:
            done["closed"] += 1
    return done


def _each(
    shard: int,
    shards: int,
    command: Callable[[str], hotpath.Command[Any]],
    done: dict[str, int],
) -> Iterator[Any]:
    """Run one command on each wallet of a shard, and yield the results."""
    rows = Wallet.objects.annotate(shard=Mod(F("pk"), shards)).filter(
        shard=shard, recovering_since=None
    )
    after = 0
    while True:
        page = list(
            rows.filter(pk__gt=after)
            .order_by("pk")
            .values_list("pk", "redis", "account__slug")[:PAGE]
        )
        servers_of: dict[str, list[str]] = {}
        for _pk, server, slug in page:
            servers_of.setdefault(server, []).append(slug)
        for server, slugs in servers_of.items():
            yield from _run_on(server, slugs, command, done)
        if len(page) < PAGE:
            return
        after = page[-1][0]


def _run_on(
    server: str,
    slugs: Sequence[str],
    command: Callable[[str], hotpath.Command[Any]],
    done: dict[str, int],
) -> Iterator[Any]:
    try:
        answers = servers.named(server).run_batch([command(slug) for slug in slugs])
    except REDIS_ERRORS as error:
        done["failed"] += len(slugs)
        logger.warning("billing: server %r: %s", server, error)
        return
    for answer in answers:
        done["wallets"] += 1
        if isinstance(answer, hotpath.HotPathError):
            done["failed"] += 1
        else:
            yield answer


def apply_all_settings() -> dict[str, int]:
    """Send every wallet's settings and its coming midnights to Redis; cheap and repeatable."""
    done = {"wallets": 0, "failed": 0}
    rows = Wallet.objects.select_for_update(of=("self",)).select_related("account").order_by("pk")
    rows = rows.filter(recovering_since=None).exclude(opened_at=None)
    after = 0
    while True:
        with transaction.atomic():  # locked, so that no older settings follow newer ones
            page = list(rows.filter(pk__gt=after)[:PAGE])
            _send_settings(page, done)
        if len(page) < PAGE:
            return done
        after = page[-1].pk


def _send_settings(page: list[Wallet], done: dict[str, int]) -> None:
    by_name: dict[str, list[Wallet]] = {}
    for row in page:
        by_name.setdefault(row.redis, []).append(row)
    for server, its in by_name.items():
        commands = [wallet.configure(row.slug, settings_of(row), keeps_credit=True) for row in its]
        try:
            answers = servers.named(server).run_batch(commands)
        except REDIS_ERRORS as error:
            done["failed"] += len(its)
            logger.warning("billing: settings on server %r: %s", server, error)
            continue
        done["wallets"] += len(its)
        done["failed"] += sum(isinstance(answer, hotpath.HotPathError) for answer in answers)


def delete_expired() -> dict[str, int]:
    """Delete ended messages older than the retention time, and intents that are too old.

    The journal, the batches and the receivables stay: they are the books.
    """
    now = timezone.now()
    old = Message.objects.filter(
        state__in=ENDED, ended_at__lt=now - timedelta(days=settings.BILLING_KEEP_DAYS)
    )
    intents = HoldIntent.objects.filter(created_at__lt=now - timedelta(days=INTENT_DAYS))
    return {
        "messages": delete_oldest(old.order_by("pk")),
        "intents": delete_oldest(intents.order_by("pk")),
        "runs": forget_old_runs(),
    }
