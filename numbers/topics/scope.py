"""The base of a pool's topics: its slug, its access check, its stream."""

from numbers.api.directory import POOLS
from numbers.pool import PoolKeys
from poolsite import access, live
from poolsite.live.scopes import slug_of
from poolsite.live.tail import tail_of


class PoolTopic(live.Topic):
    """A topic whose key begins with a pool's slug. Versions are those of the pool's stream."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.slug = slug_of(key.partition(":")[0], "pool")
        self.keys = PoolKeys(self.slug)
        self.tag = self.keys.tag
        self.tail = tail_of(self.tag)

    async def allowed(self, principal: access.Principal) -> access.Decision:
        return access.decide_found(principal, "numbers.view", await POOLS.get(self.slug))

    def wake_channels(self) -> list[str]:
        return [self.keys.wake_channel, live.touch_channel(f"numbers.pool:{self.slug}")]
