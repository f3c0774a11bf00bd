"""What every topic of a group shares: its slug, its tenant, its wake."""

from poolsite import access, live
from poolsite.live.scopes import slug_of
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.links.directory import group_ref


class GroupScope(live.Topic):
    """A topic whose key is a group's slug. The group's scripts and `live.touch` wake it."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.slug = slug_of(key, "group")
        self.tag = commands.GroupKeys(self.slug).tag

    async def allowed(self, principal: access.Principal) -> access.Decision:
        return access.decide_found(principal, "dispatch.view", await group_ref(self.slug))

    def wake_channels(self) -> list[str]:
        return [commands.GroupKeys(self.slug).wake_channel, live.touch_channel(self.address)]
