"""The rebuild drill: an operator wipes an account's Redis data and sees time and difference."""

from django.utils.translation import gettext as _

from billing.models import Wallet
from billing.services.rebuilding import NotRebuiltError, Rebuilt, rebuild
from poolsite.access.services.actor import Actor
from poolsite.jobs import lease


def wallet_rebuild(row: Wallet, *, actor: Actor, reason: str = "a drill") -> Rebuilt:
    """Rebuild one account from SQL: safe mode while it lasts, nothing lost.

    Raise NotRebuiltError if its entries cannot be written first or another worker rebuilds it, or
    the runner's errors. The caller has checked `billing.finance`.
    """
    with lease.hold("{billing.rebuild." + row.slug + "}") as held:
        if held is None:
            raise NotRebuiltError(_("Another worker is already rebuilding this account."))
        row.refresh_from_db()
        return rebuild(row, reason, actor=actor)
