"""`admission.gate:<slug>`: one gate's figures. `admission.gates:<account or all>`: a row each."""

from typing import Any

from poolsite import hotpath, live
from poolsite.aggregates.topics import FiguresTopic
from poolsite.live.lists import AggregateListTopic
from queueing.admission import gate as door
from queueing.admission.models import Gate
from queueing.admission.selectors.gates import figures_of
from queueing.admission.topics.scope import GateScope


@live.register
class GateFiguresTopic(GateScope, FiguresTopic):
    """The figures of `selectors.figures_of`; a change is the new state."""

    name = "admission.gate"

    def show(self, slug: str) -> hotpath.Command[door.Figures | None]:
        return door.show(slug)

    def figures(self, found: door.Figures | None) -> dict[str, Any]:
        return figures_of(found)


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
