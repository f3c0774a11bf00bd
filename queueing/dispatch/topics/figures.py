"""`dispatch.group:<slug>`: one group's figures. `dispatch.groups:<account or all>`: a row each."""

from typing import Any

from poolsite import hotpath, live
from poolsite.live.lists import AggregateListTopic
from poolsite.live.tail import version_at
from queueing.dispatch import dispatcher as door
from queueing.dispatch.models import Group
from queueing.dispatch.selectors.groups import figures_of
from queueing.dispatch.topics.scope import GroupScope

CLOCK_SECONDS = 1.0  # sessions and messages move without an entry


@live.register
class GroupFiguresTopic(GroupScope, live.StateTopic):
    """The figures of `selectors.figures_of`; a change is the new state."""

    name = "dispatch.group"

    async def look(self) -> live.Snapshot:
        found = await hotpath.arun(door.show(self.slug))
        version = version_at(found.generation, found.seq) if found else 0
        return live.Snapshot(version, figures_of(found))

    def due_seconds(self) -> float | None:
        return CLOCK_SECONDS


@live.register
class GroupListTopic(AggregateListTopic):
    """Every group of an account, or of the platform and all accounts: slug → figures and name."""

    name = "dispatch.groups"
    model = Group
    action = "dispatch.view"

    def show(self, slug: str) -> hotpath.Command[door.Figures | None]:
        return door.show(slug)

    def figures(self, found: door.Figures | None) -> dict[str, Any]:
        return figures_of(found)
