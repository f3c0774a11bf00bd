"""`dispatch.group:<slug>`: one group's figures. `dispatch.groups:<account or all>`: a row each."""

from typing import Any

from poolsite import hotpath, live
from poolsite.aggregates.topics import FiguresTopic
from poolsite.live.lists import AggregateListTopic
from queueing.dispatch import dispatcher as door
from queueing.dispatch.models import Group
from queueing.dispatch.selectors.groups import figures_of
from queueing.dispatch.topics.scope import GroupScope


@live.register
class GroupFiguresTopic(GroupScope, FiguresTopic):
    """The figures of `selectors.figures_of`; a change is the new state."""

    name = "dispatch.group"

    def show(self, slug: str) -> hotpath.Command[door.Figures | None]:
        return door.show(slug)

    def figures(self, found: door.Figures | None) -> dict[str, Any]:
        return figures_of(found)


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
