"""`admission.gate:<slug>`: one gate's figures. `admission.gates:<account or all>`: a row each."""

import asyncio
from typing import Any

from poolsite import access, hotpath, live
from poolsite.live.tail import version_at
from queueing.admission import gate as door
from queueing.admission.models import Gate
from queueing.admission.selectors.gates import figures_of
from queueing.admission.topics.scope import GateScope

CLOCK_SECONDS = 1.0  # refusals and permits' ends move without an entry
LIST_SECONDS = 0.5
NAMES_SECONDS = 2.0


@live.register
class GateFiguresTopic(GateScope):
    """The figures of `selectors.figures_of`; a change is the new state."""

    name = "admission.gate"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._last: dict[str, Any] = {}

    async def snapshot(self) -> live.Snapshot:
        found = await hotpath.arun(door.show(self.slug))
        self._last = figures_of(found)
        version = version_at(found.generation, found.seq) if found else 0
        return live.Snapshot(version, self._last)

    async def changes(self, since: int) -> live.Changes | None:
        before = self._last
        now = await self.snapshot()
        return live.Changes(now.version, None if now.data == before else now.data)

    def due_seconds(self) -> float | None:
        return CLOCK_SECONDS


@live.register
class GateListTopic(live.RowsTopic):
    """Every gate of an account, or of the platform and all accounts: slug → figures and name."""

    name = "admission.gates"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        if key != "all" and not (key.isascii() and key.isdecimal() and len(key) < 19):
            raise ValueError(f"no gates of {key!r}")
        self._names: dict[str, str] = {}
        self._named_at = float("-inf")

    async def allowed(self, principal: access.Principal) -> access.Decision:
        if self.key == "all":
            decision = access.decide(principal, "admission.view")
            return decision if not decision or principal.is_operator else access.Decision.FORBIDDEN
        thing = access.Thing("account", self.key, int(self.key))
        return access.decide(principal, "admission.view", thing)

    async def read(self) -> dict[str, Any]:
        now = asyncio.get_running_loop().time()
        if now - self._named_at > NAMES_SECONDS:
            self._names = await live.in_thread(self._read_names)
            self._named_at = now
        slugs = list(self._names)
        rows = {}
        found = await hotpath.arun_batch([door.show(slug) for slug in slugs])
        for slug, figures in zip(slugs, found, strict=True):
            if isinstance(figures, hotpath.HotPathError):
                raise figures
            rows[slug] = {"name": self._names[slug], **figures_of(figures)}
        return rows

    def _read_names(self) -> dict[str, str]:
        gates = Gate.objects.order_by("slug")
        if self.key != "all":
            gates = gates.filter(account_id=int(self.key))
        return dict(gates.values_list("slug", "name"))

    def due_seconds(self) -> float | None:
        return LIST_SECONDS
