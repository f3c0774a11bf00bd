"""Every name of a pool's keys in Redis, in one place."""

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class PoolKeys:
    """The keys and channels of one pool. docs/reference/numbers/redis.md says what each holds."""

    slug: str

    @property
    def tag(self) -> str:
        """The hash tag with its braces: the key of settings and index, the start of the others."""
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
        """What calls of a charged pool have to pay, for the few scripts that look at it."""
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
        """Published when something has changed, at most once in each tenth of a second."""
        return self.tag + ":wake"

    @property
    def offers_channel(self) -> str:
        """Published with a waiter's call id when a number stands ready for it."""
        return self.tag + ":offers"

    @property
    def hangups_channel(self) -> str:
        """Published for switches whose call must end: JSON with switch, number, call_id, reason."""
        return self.tag + ":hangups"


@lru_cache(maxsize=10_000)
def keys_of(slug: str) -> tuple[str, ...]:
    """Return every key of a pool, in the scripts' order; asked for with every event."""
    return PoolKeys(slug).all
