"""Finds wallets whose Redis data is not what SQL knows, and brings them back without a hand.

Two looks. Every persistence turn compares each wallet of its shard. Between them, each two
seconds, one mark per server tells whether that server was emptied, started anew or promoted since
the wallets were compared last: only then all of them are compared at once.
"""

import logging
from collections.abc import Sequence
from typing import Any

from django.db import Error as DatabaseError

from billing import servers
from billing.models import Wallet
from billing.persistence.reading import known_of, lives_on, trouble
from billing.persistence.running import REDIS_ERRORS
from billing.services.rebuilding import NotRebuiltError, rebuild
from poolsite.hotpath.promotion import lineage_of
from poolsite.jobs import lease

logger = logging.getLogger(__name__)

MARK = "{billing.servers}:seen"
PAGE = 5_000
MOST_AT_ONCE = 200  # rebuilt by one look; the next one goes on


def watch() -> dict[str, int]:
    """Compare where a server's mark is not in order, and go on with what is recovering."""
    done = {"servers": 0, "compared": 0, "rebuilt": 0, "failed": 0}
    left = Wallet.objects.exclude(recovering_since=None).order_by("recovering_since")
    begun = list(left.values_list("pk", flat=True)[:MOST_AT_ONCE])
    heal(dict.fromkeys(begun, "recovering"), done)
    for server in servers.names():
        try:
            _watch_server(server, set(begun), done)
        except REDIS_ERRORS as error:
            done["failed"] += 1
            logger.warning("billing: server %r cannot be watched: %s", server, error)
    return done


def _watch_server(server: str, tried: set[int], done: dict[str, int]) -> None:
    done["servers"] += 1
    path = servers.named(server)
    client = path.client()
    if path.address.topology == "cluster":
        return  # no one mark for all nodes: the persistence's turns compare
    mark = _identity(client)
    if client.get(MARK) == mark:
        return
    found = compare(server)
    done["compared"] += 1
    left = {key: why for key, why in found.items() if key not in tried}
    failed = done["failed"]
    heal(dict(list(left.items())[:MOST_AT_ONCE]), done)
    if len(left) <= MOST_AT_ONCE and done["failed"] == failed:
        client.set(MARK, mark)


def _identity(client: Any) -> str:
    info = client.execute_command("INFO", "replication")
    run = client.info("server").get("run_id", "")
    text = info if isinstance(info, str) else "\n".join(f"{k}:{v}" for k, v in info.items())
    return f"{run} {lineage_of(text)}"


def compare(server: str) -> dict[int, str]:
    """Compare every wallet of a server; returns wallet id → what is wrong."""
    found: dict[int, str] = {}
    after = 0
    rows = Wallet.objects.filter(redis=server).order_by("pk")
    while True:
        page = known_of(rows.filter(pk__gt=after)[:PAGE])
        for known, live in zip(page, lives_on(server, [k.tag for k in page]), strict=True):
            why = trouble(known, live)
            if why:
                found[known.wallet_id] = why
        if len(page) < PAGE:
            return found
        after = page[-1].wallet_id


def heal(lost: dict[int, str], done: dict[str, int] | None = None) -> dict[str, int]:
    """Rebuild each, one worker at a time for each; one that fails does not stop the others."""
    done = done if done is not None else {"rebuilt": 0, "failed": 0}
    for wallet_id in lost:
        row = Wallet.objects.select_related("account").filter(pk=wallet_id).first()
        if row is None:
            continue
        try:
            with lease.hold("{billing.rebuild." + row.slug + "}") as held:
                why = lost[wallet_id]
                if held is not None and (why == "diverged" or _still_lost(row)):
                    row.refresh_from_db()
                    rebuild(row, why, lost=True)
                    done["rebuilt"] += 1
        except (*REDIS_ERRORS, DatabaseError, NotRebuiltError) as error:
            done["failed"] += 1
            logger.warning("billing: %s is not rebuilt yet: %s", row.slug, error)
    return done


def _still_lost(row: Wallet) -> bool:
    """Another worker may have mended it since the look: read again under the lease."""
    return row.pk in look_at([row])


def look_at(wallets: Sequence[Wallet]) -> dict[int, str]:
    """Say what is wrong with these wallets now, by id; nothing for those in order."""
    found = {}
    for known in known_of(Wallet.objects.filter(pk__in=[row.pk for row in wallets])):
        (live,) = lives_on(known.server, [known.tag])
        why = trouble(known, live) or ("recovering" if known.recovering else "")
        if why:
            found[known.wallet_id] = why
    return found
