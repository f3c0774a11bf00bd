"""The current figures of wallets: from Redis if it can be read, else from the books."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from redis.exceptions import RedisError

from billing import servers
from billing import wallet as commands
from billing.models import Wallet
from billing.selectors.promotions import grants_of
from poolsite import hotpath

Status = Literal["open", "frozen", "closed", "recovering", "missing"]
MOST_WAITING = 50
LIVE_LEGS = ("spendable", "held", "receivable")
AWAY = (hotpath.HotPathError, RedisError, OSError, servers.UnknownServerError)


@dataclass(frozen=True, slots=True)
class WalletFigures:
    """One wallet at one moment, in units.

    With the status `missing`, Redis lost the wallet or cannot be read, and the figures are those of
    the books. `lag` counts the entries that have not reached SQL. `balance` is below zero where
    credit is used.
    """

    status: str
    balance: int
    held: int
    receivable: int
    spent_today: int | None = None
    seq: int = 0
    lag: int = 0
    reason: str = ""
    credit_limit: int = 0
    grants: tuple[commands.Grant, ...] = ()

    @property
    def spendable(self) -> int:
        """What can be spent now: balance and credit limit together, never below zero."""
        return max(0, self.balance + self.credit_limit)

    @property
    def promotional(self) -> int:
        """The rest of the promotional credit; the balance includes it."""
        return sum(each.left for each in self.grants)

    @property
    def own(self) -> int:
        """The balance without promotional credit."""
        return self.balance - self.promotional

    @property
    def is_on_credit(self) -> bool:
        """Whether the balance and the amount available are two figures."""
        return self.credit_limit > 0 or self.balance < 0


def of(wallet: Wallet) -> WalletFigures:
    """Return one wallet's current figures."""
    return of_all([wallet])[wallet.slug]


def of_all(wallets: Sequence[Wallet]) -> dict[str, WalletFigures]:
    """Return each wallet's figures by slug; one round trip per server."""
    found: dict[str, WalletFigures] = {}
    by_server: dict[str, list[Wallet]] = {}
    for wallet in wallets:
        by_server.setdefault(wallet.redis, []).append(wallet)
    for server, its in by_server.items():
        answers = _read(server, its)
        for wallet, answer in zip(its, answers, strict=True):
            found[wallet.slug] = _figures(wallet, answer)
    return found


def _read(server: str, wallets: Sequence[Wallet]) -> Sequence[commands.Balance | None]:
    to_run = [commands.balance(wallet.slug) for wallet in wallets]
    try:
        answers = servers.named(server).run_batch(to_run)
    except AWAY:
        return [None] * len(to_run)
    return [None if isinstance(answer, hotpath.HotPathError) else answer for answer in answers]


def _figures(wallet: Wallet, now: commands.Balance | None) -> WalletFigures:
    if now is None or now.generation != wallet.generation:
        return WalletFigures(
            "recovering" if wallet.recovering_since else "missing",
            wallet.spendable,
            wallet.held,
            wallet.receivable,
            seq=wallet.seq,
            reason=wallet.status_reason,
            credit_limit=wallet.credit_limit,
            grants=tuple(grants_of(wallet)),
        )
    return WalletFigures(
        now.status,
        now.bal,
        now.held,
        now.receivable,
        now.spent,
        now.seq,
        max(0, now.seq - wallet.seq),
        wallet.status_reason,
        now.credit,
        now.grants,
    )


def waiting(wallet: Wallet, leg: str, seq: int) -> list[tuple[commands.WalletChange, int]]:
    """Return the newest entries up to `seq` that have not reached the books.

    Each comes with its part of one figure. This reads at most 50 entries, the newest first. Return
    [] while Redis cannot be read.
    """
    since = max(wallet.seq, seq - MOST_WAITING)
    if leg not in LIVE_LEGS or seq <= since:
        return []
    try:
        found = servers.path(wallet).run(commands.entries(wallet.slug, since, MOST_WAITING))
    except AWAY:
        return []
    changes = found.changes if found is not None and found.generation == wallet.generation else ()
    legs = [(change, int(getattr(change, leg))) for change in changes]
    return [pair for pair in legs if pair[1]][::-1]
