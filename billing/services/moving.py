"""A heavy account to a Redis of its own, or back: safe mode → persist → rebuild there → open."""

from django.db import transaction

from billing import servers
from billing.models import Wallet
from billing.services.rebuilding import Rebuilt, rebuild
from poolsite import access
from poolsite.access.services.actor import Actor
from poolsite.jobs import lease


class NotMovedError(Exception):
    """The wallet stays where it is; the text says why."""


def wallet_move(row: Wallet, server: str, *, actor: Actor, reason: str = "") -> Rebuilt:
    """Bring a wallet to a named server ("" = the common one). UnknownServerError, NotMovedError.

    Its Redis data there is a new life made of SQL; the old one ended after its last entry was in
    SQL, so nothing is lost wherever it stops: until SQL names the new server, the watch rebuilds it
    on the old one.
    """
    servers.named(server).client().ping()
    if row.redis == server:
        raise NotMovedError(f"{row.slug} is already on {server or 'the default server'}.")
    with lease.hold("{billing.rebuild." + row.slug + "}") as held:
        if held is None:
            raise NotMovedError(f"{row.slug} is being rebuilt by another worker.")
        row.refresh_from_db()
        before = row.redis
        return rebuild(
            row,
            f"moved to {server or 'the common server'}",
            actor=actor,
            after_the_end=lambda: _name_server(row, before, server, actor, reason),
        )


def _name_server(row: Wallet, before: str, server: str, actor: Actor, reason: str) -> None:
    with transaction.atomic():
        # unaudited: the entry stands below
        Wallet.objects.filter(pk=row.pk).update(redis=server)
        access.audit(
            actor=actor,
            action="billing.wallet_move",
            thing=row,
            before={"redis": before},
            after={"redis": server},
            reason=reason,
        )
    row.refresh_from_db()
