"""A charged pool, the account that pays for it, and checks of its calls."""

import re
from dataclasses import dataclass
from typing import Any

from billing import servers
from billing import wallet as commands
from billing.models import Wallet
from numbers import pool as pool_commands
from numbers.models import Pool
from numbers.services import sweep_charges
from poolsite import hotpath
from tests.billing.api.shop import Shop, make_shop
from tests.numbers.people import make_pool

PRICE = 600


@dataclass(frozen=True)
class Line:
    """A charged pool and the account that pays for its calls."""

    shop: Shop
    pool: Pool

    @property
    def slug(self) -> str:
        return self.pool.slug

    def holds(self) -> dict[str, commands.MessageState]:
        """Return every hold that was made for a call."""
        return holds_of(self.shop.wallet)

    def notes(self) -> list[str]:
        key = pool_commands.PoolKeys(self.slug).charges
        return list(hotpath.client().zrange(key, 0, -1))

    def states(self) -> list[tuple[str, str]]:
        """Return interval and state of each hold, in order."""
        found = [
            (re.sub(r".*/(\d+)\..*", r"\1", hold_id), state.state)
            for hold_id, state in self.holds().items()
        ]
        return sorted(found)

    def spent(self) -> int:
        balance = self.shop.balance()
        return 1_000_000 - balance.bal - balance.held

    def sweep(self) -> dict[str, int]:
        return sweep_charges()


def holds_of(wallet: Wallet) -> dict[str, commands.MessageState]:
    path = servers.path(wallet)
    ids = list(path.client().hkeys(commands.WalletKeys(wallet.slug).messages))
    return path.run(commands.messages(wallet.slug, ids)) if ids else {}


def make_line(*, money: int = 1_000_000, numbers: int = 3, **given: Any) -> Line:
    """Make an account with a charged pool. Intervals are an hour by default."""
    shop = make_shop(money=money)
    given = {"charged": True, "charge_interval_seconds": 3_600, "account": shop.account} | given
    return Line(shop, make_pool("east", numbers=numbers, **given))
