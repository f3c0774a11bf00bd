"""What every topic of one pool has in common: its slug, its tenant, its stream."""

import re

from numbers.api.directory import PoolRef, directory
from numbers.models import SLUG_PATTERN
from poolsite import access, live
from poolsite.live.tail import tail_of

_SLUG = re.compile(SLUG_PATTERN)


class PoolTopic(live.Topic):
    """A topic whose key begins with a pool's slug. Versions are those of the pool's stream."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.slug = key.partition(":")[0]
        if not _SLUG.fullmatch(self.slug):
            raise ValueError(f"not a pool: {key!r}")
        self.tag = "{" + self.slug + "}"
        self.tail = tail_of(self.tag)

    async def allowed(self, principal: access.Principal) -> access.Decision:
        return may_view(principal, await directory().get(self.slug))

    def wake_channels(self) -> list[str]:
        return [self.tail.wake_channel, live.touch_channel(f"numbers.pool:{self.slug}")]


def may_view(principal: access.Principal, pool: PoolRef | None) -> access.Decision:
    """A pool that does not exist looks like a foreign one."""
    if not principal.is_authenticated:
        return access.Decision.LOGIN
    if pool is None:
        return access.Decision.HIDDEN
    return access.decide(principal, "numbers.view", pool)
