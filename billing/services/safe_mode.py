"""Finds wallets whose Redis data does not match SQL, and restores them automatically.

There are two checks. Every persistence turn compares each wallet of its shard. In between, every
two seconds, one mark per server shows whether that server was emptied, restarted or promoted since
the wallets were last compared. Only then all of them are compared at once.
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
MOST_AT_ONCE = 200  # rebuilt by one run; the next run continues


def watch() -> dict[str, int]:
    """Compare wallets of servers whose mark is missing or wrong; continue recovering wallets."""
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
        return  # there is no single mark for all nodes: the persistence turns compare
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
    """Compare every wallet of a server; return wallet ID → problem."""
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
    """Rebuild each wallet, one worker at a time for each; a failure does not stop the others."""
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
    """Whether it is still lost.

    Another worker may have restored it, so this reads again under the lease.
    """
    return row.pk in look_at([row])


def look_at(wallets: Sequence[Wallet]) -> dict[int, str]:
    """Return the problems of these wallets, by ID; wallets in order are left out."""
    found = {}
    for known in known_of(Wallet.objects.filter(pk__in=[row.pk for row in wallets])):
        (live,) = lives_on(known.server, [known.tag])
        why = trouble(known, live) or ("recovering" if known.recovering else "")
        if why:
            found[known.wallet_id] = why
    return found
