"""The common part of all topics of one wallet: its slug, its tenant, its stream."""

import re
import time
from dataclasses import dataclass
from typing import Any

from billing import servers
from billing import wallet as commands
from billing.models import Wallet
from poolsite import access, hotpath, live
from poolsite.live.tail import Tail, tail_of

_SLUG = re.compile(r"[a-z0-9-]{1,40}")
REF_SECONDS = 2.0
ELSEWHERE_SECONDS = 0.25  # no wake-ups arrive from a wallet's own server: its topics poll


@dataclass(frozen=True, slots=True)
class WalletRef:
    """A wallet's account and server; it takes the place of the row in `access.decide`."""

    wallet_id: int
    slug: str
    account_id: int
    redis: str

    @property
    def access_ref(self) -> str:
        """The name of the wallet in grants and tokens."""
        return f"wallet:{self.slug}"


class WalletTopicBase(live.Topic):
    """A topic whose key is a wallet's slug. Its versions are those of the wallet's stream."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        if not _SLUG.fullmatch(key):
            raise ValueError(f"not a wallet: {key!r}")
        self.slug = key
        self.keys = commands.WalletKeys(key)
        self.tag = self.keys.tag
        self._tail: Tail | None = None
        self._ref: WalletRef | None = None
        self._ref_at = 0.0

    async def allowed(self, principal: access.Principal) -> access.Decision:
        """Decide access; a missing wallet looks like one of another account."""
        if not principal.is_authenticated:
            return access.Decision.LOGIN
        ref = await self.ref()
        if ref is None:
            return access.Decision.HIDDEN
        return access.decide(principal, "billing.view", ref)

    async def ref(self) -> WalletRef | None:
        """Return the wallet as SQL has it; read again now and then, because wallets move."""
        now = time.monotonic()
        if self._ref is None or now - self._ref_at > REF_SECONDS:
            self._ref = await live.in_thread(_ref_of, self.slug)
            self._ref_at = now
        return self._ref

    def path(self) -> hotpath.HotPath:
        """Return the hot path of the wallet's Redis."""
        return servers.named(self._ref.redis if self._ref else "")

    def tail(self) -> Tail:
        """Return the window on the wallet's stream; another one once the wallet has moved."""
        elsewhere = self._ref is not None and bool(self._ref.redis)
        self._tail = tail_of(self.keys.tag, self.path() if elsewhere else None)
        return self._tail

    def wake_channels(self) -> list[str]:
        return [self.keys.wake_channel, live.touch_channel(f"billing.wallet:{self.slug}")]

    def due_seconds(self) -> float | None:
        return ELSEWHERE_SECONDS if self._ref is not None and self._ref.redis else None

    async def balance(self) -> commands.Balance | None:
        """Return the current figures, or None while Redis has no such wallet."""
        found: Any = await self.path().arun(commands.balance(self.slug))
        return found if found is None or isinstance(found, commands.Balance) else None


def _ref_of(slug: str) -> WalletRef | None:
    row = Wallet.objects.filter(account__slug=slug).values_list("pk", "account_id", "redis").first()
    return None if row is None else WalletRef(row[0], slug, row[1], row[2])
