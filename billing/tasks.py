"""The sweeps of money; each may run twice at once, on any worker. Importing registers them."""

from django.conf import settings

from poolsite import jobs

PERSIST_SECONDS = max(1, round(settings.BILLING_PERSIST_SECONDS))
AUDIT_TURN_SECONDS = 2.0


@jobs.sweep(
    "billing.persist",
    every_seconds=PERSIST_SECONDS,
    shards=settings.BILLING_SHARDS,
    queue=jobs.BOOKS,
)
def persist(shard: int, shards: int) -> dict[str, int]:
    """Change entries of the shard's accounts to SQL, then the wallets that Redis lost."""
    from billing.services import books

    return books.persist(shard, shards)


@jobs.sweep("billing.watch", every_seconds=2, queue=jobs.BOOKS, light=True)
def watch(shard: int, shards: int) -> dict[str, int]:
    """Finds a Redis that was emptied or promoted, and goes on with what is being rebuilt."""
    from billing.services import safe_mode

    return safe_mode.watch()


@jobs.sweep("billing.outbox", every_seconds=3, queue=jobs.BOOKS, light=True)
def outbox(shard: int, shards: int) -> dict[str, int]:
    """Applies the money orders that Redis has not taken yet."""
    from billing.services.outbox import relay

    return relay()


@jobs.sweep("billing.purge", every_seconds=60, shards=2, pausable=True, queue=jobs.BOOKS)
def purge(shard: int, shards: int) -> dict[str, int]:
    """Removes messages and receipts that are final for 7 days from Redis."""
    from billing.services import books

    return books.purge(shard, shards)


@jobs.sweep("billing.audit", every_seconds=5, queue=jobs.BOOKS)
def audit(shard: int, shards: int) -> dict[str, int]:
    """Proves the books in the background, a bounded chunk at a time."""
    from billing.services.auditing import audit_some

    return audit_some(AUDIT_TURN_SECONDS, settings.BILLING_AUDIT_SECONDS)


@jobs.sweep("billing.checkpoints", every_seconds=60, shards=2, queue=jobs.BOOKS)
def checkpoints(shard: int, shards: int) -> dict[str, int]:
    """Closes stretches of long journals, so that no page sums up a million entries."""
    from billing.services import books

    return books.close_checkpoints(shard, shards)


@jobs.sweep("billing.usage", every_seconds=30, shards=2, queue=jobs.BOOKS)
def usage(shard: int, shards: int) -> dict[str, int]:
    """Sums the journal up by the hour, for charts and the pace of a balance."""
    from billing.services.usage import sum_all

    return sum_all(shard, shards)


@jobs.sweep("billing.settings", every_seconds=600, queue=jobs.BOOKS)
def wallet_settings(shard: int, shards: int) -> dict[str, int]:
    """Brings every wallet's settings and its coming midnights to Redis."""
    from billing.services import books

    return books.apply_all_settings()


@jobs.sweep("billing.retention", every_seconds=3_600, queue=jobs.BOOKS)
def retention(shard: int, shards: int) -> dict[str, int]:
    """Deletes ended messages older than they are kept, and intents that have had their time."""
    from billing.services import books

    return books.delete_expired()


@jobs.sweep("billing.unsent", every_seconds=3, queue=jobs.BOOKS, light=True)
def unsent(shard: int, shards: int) -> dict[str, int]:
    """Sends settings and statuses that Redis has not taken yet."""
    from billing.services.wallets import send_waiting

    return send_waiting()


@jobs.sweep("billing.alerts", every_seconds=10, queue=jobs.BOOKS)
def alerts(shard: int, shards: int) -> dict[str, int]:
    """Tells of balances that fell below their mark, once until they recover."""
    from billing.services.alerts import check_low_balances

    return check_low_balances()


@jobs.sweep("billing.top_up", every_seconds=15, shards=2, pausable=True, queue=jobs.BOOKS)
def top_up(shard: int, shards: int) -> dict[str, int]:
    """Charges kept cards of accounts below their mark."""
    from billing.services.auto_top_up import top_up_due

    return top_up_due(shard, shards)


@jobs.sweep("billing.unfinished", every_seconds=3_600, queue=jobs.JOBS)
def unfinished(shard: int, shards: int) -> dict[str, int]:
    """Closes top-ups that nobody paid."""
    from billing.services.recharges_asking import close_unfinished

    return close_unfinished()


@jobs.sweep("billing.ask_providers", every_seconds=60, queue=jobs.JOBS)
def ask_providers(shard: int, shards: int) -> dict[str, int]:
    """Asks providers for payments that they have said nothing of."""
    from billing.services.recharges_asking import ask_providers

    return ask_providers()


@jobs.sweep("billing.abilities", every_seconds=600, queue=jobs.JOBS)
def abilities(shard: int, shards: int) -> dict[str, int]:
    """Forgets what was looked up of terminals 30 days ago."""
    from billing.services.abilities import abilities_forget_old

    return {"forgotten": abilities_forget_old()}
