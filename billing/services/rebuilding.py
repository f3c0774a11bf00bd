"""Rebuilding a wallet's Redis data from SQL: after a loss, for a move, as a drill.

Each step is safe to repeat. If a worker dies in one, the next worker finds it and continues:
1. Redis, if it has data, enters safe mode: refunds yes, holds no.
2. The entries in its stream go to SQL. Then the old generation ends, unless it changed meanwhile.
3. One SQL transaction writes a new generation; orders that were applied in vain wait again.
4. The new generation starts in safe mode with SQL's figures. Open holds, parked reports and the
   messages that ended in the last 7 days are loaded. Then holds that only an intent has are
   charged, as far as the balance covers them.
5. It opens with the status in SQL (open, frozen, closed).
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from billing import servers, wallet
from billing.models import Wallet
from billing.persistence.alarms import FAULT, SAFE_MODE, BookAlarms
from billing.persistence.reading import Live, lives
from billing.persistence.running import persist_one
from billing.selectors.promotions import grants_of
from billing.services import outbox
from billing.services.reloading import Reloaded, load_books, load_intents
from billing.services.wallet_settings import settings_of
from poolsite import access
from poolsite.access.services.actor import Actor
from poolsite.moments import us_of
from poolsite.operations import incidents
from poolsite.runtime.crash_points import crash_point

logger = logging.getLogger(__name__)

MOST_TRIES = 20


class NotRebuiltError(Exception):
    """The wallet stays in safe mode for now; the watch tries again."""


@dataclass(frozen=True)
class Rebuilt:
    """The result of a rebuild.

    `difference` and `held_difference` are Redis' figures after the rebuild less those before it, or
    None where Redis had none. `orders` counts orders that were applied in vain and wait again.
    `unexplained` is the change of the available balance by entries that SQL can never get, less the
    quotes of holds that only an intent has and that the balance does not cover.
    """

    seconds: float
    generation: int
    orders: int
    loaded: Reloaded
    unexplained: int = 0
    difference: int | None = None
    held_difference: int | None = None


def rebuild(
    row: Wallet,
    why: str,
    *,
    actor: Actor = "billing.rebuild",
    lost: bool = False,
    after_the_end: Callable[[], None] | None = None,
) -> Rebuilt:
    """Do all the steps. The caller holds the wallet's lease, so one worker does this at a time.

    `lost`: Redis lost the data or went back in time; entries that do not continue SQL's are given
    up. Otherwise such entries prevent the rebuild, and nothing is changed.
    `after_the_end` is called after the old generation ended, before the new one begins.
    Raise the errors of the runner and the database, or NotRebuiltError; the next call continues
    with what was begun.
    """
    begun = time.monotonic()
    if not lost:
        _refuse_faults(row)
    before = _enter_safe_mode(row, why)
    strange = _end_old_life(row) if before is not None else 0
    if after_the_end is not None:
        after_the_end()
    reopened = _begin_new_life(row, why, actor)
    loaded = load_books(row)
    outbox.apply_waiting(row)
    loaded += load_intents(row)
    unexplained = strange - loaded.not_charged
    _open(row, unexplained)
    after = lives([row])[row.pk]
    rebuilt = Rebuilt(
        seconds=time.monotonic() - begun,
        generation=row.generation,
        orders=reopened,
        loaded=loaded,
        unexplained=unexplained,
        difference=after.bal - before.bal if before else None,
        held_difference=after.held - before.held if before else None,
    )
    logger.warning("billing: %s is rebuilt (%s): %s", row.slug, why, rebuilt)
    return rebuilt


def _refuse_faults(row: Wallet) -> None:
    turn = persist_one(row)
    row.refresh_from_db()
    if turn.faults or turn.refused:
        raise NotRebuiltError(f"{row.slug} has entries that SQL can't store. See its incident.")


def _enter_safe_mode(row: Wallet, why: str) -> Live | None:
    """Record safe mode in SQL, and in Redis if it has this generation; return its figures there."""
    if row.recovering_since is None:
        row.recovering_since = timezone.now()
        row.save(update_fields=["recovering_since"])
    BookAlarms().safe_mode(row.slug, why)
    live = lives([row])[row.pk]
    if live.generation != row.generation:
        return None
    if live.status != "r":
        operation = f"safe:{row.generation}:{live.seq}"
        servers.path(row).run(wallet.status(row.slug, "recovering", why, operation))
    return live


def _end_old_life(row: Wallet) -> int:
    """Persist the entries, and remove the data in a step that checks for newer entries.

    Entries that do not continue SQL's (the server went back in time, then took more) can never be
    persisted: they are removed even if more come. Return the sum by which they changed the
    available balance, for `unexplained`.
    """
    path = servers.path(row)
    for _ in range(MOST_TRIES):
        row.refresh_from_db()
        live = lives([row])[row.pk]
        if live.generation != row.generation:
            return 0
        behind = live.seq < row.seq
        if not behind and live.seq > live.drained:
            turn = persist_one(row)
            row.refresh_from_db()
            behind = bool(turn.faults)
        crash_point("billing.rebuild_persisted")
        if behind:
            live = lives([row])[row.pk]
            path.run(wallet.destroy(row.slug, row.generation))
            return live.bal - row.spendable if live.generation == row.generation else 0
        if path.run(wallet.destroy(row.slug, row.generation, seq=row.seq)) != "moved on":
            return 0
    raise NotRebuiltError(f"{row.slug} gets new entries faster than they are written.")


def _begin_new_life(row: Wallet, why: str, actor: Actor) -> int:
    """Give SQL a new generation and create its data; return how many orders wait again."""
    live = lives([row])[row.pk]
    with transaction.atomic():
        locked = Wallet.objects.select_for_update(of=("self",)).get(pk=row.pk)
        if locked.generation != row.generation:
            raise NotRebuiltError(f"{row.slug} is being rebuilt by another worker.")
        before = locked.generation
        now_us = us_of(timezone.now())
        locked.generation = max(now_us, before + 1, live.generation + 1)
        locked.seq = locked.batch_number = 0
        locked.recovering_since = locked.recovering_since or timezone.now()
        locked.opened_at = locked.opened_at or timezone.now()
        locked.save(
            update_fields=["generation", "seq", "batch_number", "recovering_since", "opened_at"]
        )
        reopened = outbox.reopen_lost(locked)
        access.audit(
            actor=actor,
            action="billing.wallet_rebuild",
            thing=locked,
            before={"generation": before},
            after={
                "generation": locked.generation,
                "orders": reopened,
                "persisted_at": locked.persisted_at and locked.persisted_at.isoformat(),
            },
            reason=why,
        )
    row.refresh_from_db()
    crash_point("billing.rebuild_new_generation")
    servers.path(row).run(
        wallet.create(
            row.slug,
            row.generation,
            settings_of(row),
            balance=row.spendable,
            receivable=row.receivable,
            status="recovering",
            grants=wallet.grants_text(grants_of(row)),
            now=servers.now(row),
        )
    )
    crash_point("billing.rebuild_created")
    return reopened


def _open(row: Wallet, unexplained: int) -> None:
    """Leave safe mode with the status in SQL, if the loaded generation is still the current one."""
    with transaction.atomic():
        locked = Wallet.objects.select_for_update(of=("self",)).get(pk=row.pk)
        if locked.generation != row.generation:
            raise NotRebuiltError(f"{row.slug} is being rebuilt by another worker.")
        servers.path(row).run(
            wallet.status(
                *(row.slug, locked.status[0], "rebuilt", f"open:{row.generation}"),
                generation=row.generation,
            )
        )
        locked.recovering_since = None
        locked.unexplained += unexplained
        locked.save(update_fields=["recovering_since", "unexplained"])
    row.refresh_from_db()
    for kind in (SAFE_MODE, FAULT):
        incidents.close(type=kind, object=row.slug)
