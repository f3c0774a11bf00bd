"""Moving a busy account to its own Redis, or back: safe mode → persist → rebuild there → open."""

from django.db import transaction

from billing import servers
from billing.models import Wallet
from billing.services.rebuilding import Rebuilt, rebuild
from poolsite import access
from poolsite.access.services.actor import Actor
from poolsite.jobs import lease


class NotMovedError(Exception):
    """The wallet stays where it is; the text gives the reason."""


def wallet_move(row: Wallet, server: str, *, actor: Actor, reason: str = "") -> Rebuilt:
    """Move a wallet to a named server ("" is the default server).

    Raise UnknownServerError or NotMovedError. Its Redis data there is a new generation built from
    SQL. The old generation ends after its last entry reached SQL, so nothing is lost wherever the
    move stops: until SQL names the new server, the watch rebuilds the wallet on the old one.
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
        # unaudited: the audit entry is written below
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
