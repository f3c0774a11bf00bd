"""What every topic of one gate has in common: its slug, its tenant, its wake."""

import re

from poolsite import access, live
from queueing.admission import gate as door
from queueing.admission.api.directory import GateRef, gate_ref
from queueing.admission.models import SLUG_PATTERN

_SLUG = re.compile(SLUG_PATTERN)


def check_slug(key: str) -> str:
    """The key, if it is a gate's slug; else ValueError."""
    if not _SLUG.fullmatch(key):
        raise ValueError(f"not a gate: {key!r}")
    return key


def may_view(principal: access.Principal, ref: GateRef | None) -> access.Decision:
    """A gate that does not exist looks like a foreign one."""
    if not principal.is_authenticated:
        return access.Decision.LOGIN
    if ref is None:
        return access.Decision.HIDDEN
    return access.decide(principal, "admission.view", ref)


class GateScope(live.Topic):
    """A topic whose key is a gate's slug; woken by the gate's scripts and by `live.touch`."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.slug = check_slug(key)

    async def allowed(self, principal: access.Principal) -> access.Decision:
        return may_view(principal, await gate_ref(self.slug))

    def wake_channels(self) -> list[str]:
        return [door.GateKeys(self.slug).wake_channel, live.touch_channel(self.address)]
