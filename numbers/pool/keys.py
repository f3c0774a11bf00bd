"""The names of a pool's keys in Redis."""

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class PoolKeys:
    """The keys and channels of one pool. docs/reference/numbers/redis.md lists their contents."""

    slug: str

    @property
    def tag(self) -> str:
        """The hash tag with its braces: the key of settings and index, the prefix of the others."""
        return "{" + self.slug + "}"

    @property
    def numstate(self) -> str:
        return self.tag + ":numstate"

    @property
    def idle(self) -> str:
        return self.tag + ":idle:up"

    @property
    def near(self) -> str:
        return self.tag + ":idle:near"

    @property
    def timers(self) -> str:
        return self.tag + ":timers"

    @property
    def log(self) -> str:
        return self.tag + ":log"

    @property
    def registrations(self) -> str:
        return self.tag + ":registrations"

    @property
    def charges(self) -> str:
        """What the calls of a charged pool have to pay. Only a few scripts read it."""
        return self.tag + ":charges"

    @property
    def all(self) -> tuple[str, ...]:
        """Every key, in the order in which the scripts take them."""
        return (
            *(self.tag, self.numstate, self.idle, self.near),
            *(self.timers, self.log, self.registrations),
        )

    @property
    def wake_channel(self) -> str:
        """Receives a message when something has changed, up to once in each tenth of a second."""
        return self.tag + ":wake"

    @property
    def offers_channel(self) -> str:
        """Receives a waiter's call ID when a number is ready for it."""
        return self.tag + ":offers"

    @property
    def hangups_channel(self) -> str:
        """Receives JSON (switch, number, call_id, reason) for a switch whose call must end."""
        return self.tag + ":hangups"


@lru_cache(maxsize=10_000)
def keys_of(slug: str) -> tuple[str, ...]:
    """Return every key of a pool, in the scripts' order. Cached, because every event needs them."""
    return PoolKeys(slug).all
