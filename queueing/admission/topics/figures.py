"""`admission.gate:<slug>`: one gate's figures. `admission.gates:<account or all>`: a row each."""

from typing import Any

from poolsite import hotpath, live
from poolsite.live.lists import AggregateListTopic
from poolsite.live.tail import version_at
from queueing.admission import gate as door
from queueing.admission.models import Gate
from queueing.admission.selectors.gates import figures_of
from queueing.admission.topics.scope import GateScope

CLOCK_SECONDS = 1.0  # refusals and permits' ends move without an entry


@live.register
class GateFiguresTopic(GateScope, live.StateTopic):
    """The figures of `selectors.figures_of`; a change is the new state."""

    name = "admission.gate"

    async def look(self) -> live.Snapshot:
        found = await hotpath.arun(door.show(self.slug))
        version = version_at(found.generation, found.seq) if found else 0
        return live.Snapshot(version, figures_of(found))

    def due_seconds(self) -> float | None:
        return CLOCK_SECONDS


@live.register
class GateListTopic(AggregateListTopic):
    """Every gate of an account, or of the platform and all accounts: slug → figures and name."""

    name = "admission.gates"
    model = Gate
    action = "admission.view"

    def show(self, slug: str) -> hotpath.Command[door.Figures | None]:
        return door.show(slug)

    def figures(self, found: door.Figures | None) -> dict[str, Any]:
        return figures_of(found)
