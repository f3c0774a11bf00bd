"""`dispatch.group:<slug>`: a group's figures. `dispatch.groups:<account or all>`: all groups."""

from poolsite import live
from poolsite.aggregates.topics import FiguresTopic
from poolsite.live.lists import AggregateListTopic
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import Group
from queueing.dispatch.selectors import figures_of
from queueing.dispatch.topics.scope import GroupScope


@live.register
class GroupFiguresTopic(GroupScope, FiguresTopic):
    """The figures of `selectors.figures_of`. A change is the new state."""

    name = "dispatch.group"
    show = staticmethod(commands.show)
    figures = staticmethod(figures_of)


@live.register
class GroupListTopic(AggregateListTopic):
    """Every group of an account, or of all accounts and the platform: slug → figures and name."""

    name = "dispatch.groups"
    model = Group
    action = "dispatch.view"
    show = staticmethod(commands.show)
    figures = staticmethod(figures_of)
