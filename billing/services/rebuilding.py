"""A wallet's Redis side made again from SQL: after a loss, for a move, as a drill.

The steps, each safe to repeat, and each found again by who comes next when a worker dies in it:
1. safe mode in Redis where there still is something: refunds yes, holds no;
2. what stands in its stream goes to SQL, then the old life ends, unless it moved on meanwhile;
3. in one SQL transaction: a new generation, and what the outbox had applied in vain waits again;
4. the new life in safe mode with SQL's figures; open holds, parked reports and the ends of the last
   7 days are loaded; then holds that only an intent knows are charged, as far as the money goes;
5. it opens, as SQL says (open, frozen, closed).
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
    """What a rebuild did. `difference`, `held_difference`: Redis' figures after it less those
    before it, None where Redis had none. `orders`: movements that were applied in vain and are
    ordered anew. `unexplained`: by how much entries had moved what can be spent that SQL can never
    have, less the quotes of holds that an intent knows and the money does not reach."""

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
    """Do all the steps; one worker at a time for one wallet (the caller holds its lease).

    lost: Redis lost it, or went back in time; entries that do not follow SQL's are given up. Else
    they forbid the rebuild, and nothing is touched.
    after_the_end: called when the old life has ended, before the new one begins.
    Raises the runner's and the database's errors, NotRebuiltError: what was begun is gone on with
    by the next call.
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
    """Note it in SQL, and in Redis where it has this life; returns its figures there."""
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
    """Persist what is there, and remove it in a step that finds nothing newer.

    Entries that do not follow SQL's (the server went back in time, and on) cannot be persisted,
    now or later: they are removed whatever comes meanwhile. Returns by how much they had moved what
    can be spent, for `unexplained`.
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
    """Move SQL on to a new generation and make its data; returns how many orders wait again."""
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
    """Leave safe mode as SQL says, if this life is still the one that was loaded."""
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
