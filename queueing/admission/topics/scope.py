"""What every topic of a gate shares: its slug, its tenant, its wake."""

from poolsite import access, live
from poolsite.live.scopes import slug_of
from queueing.admission import gate as commands
from queueing.admission.api.directory import gate_ref


class GateScope(live.Topic):
    """A topic whose key is a gate's slug. The gate's scripts and `live.touch` wake it."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.slug = slug_of(key, "gate")
        self.tag = commands.GateKeys(self.slug).tag

    async def allowed(self, principal: access.Principal) -> access.Decision:
        return access.decide_found(principal, "admission.view", await gate_ref(self.slug))

    def wake_channels(self) -> list[str]:
        return [commands.GateKeys(self.slug).wake_channel, live.touch_channel(self.address)]
