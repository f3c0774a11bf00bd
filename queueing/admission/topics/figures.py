"""`admission.gate:<slug>`: a gate's figures. `admission.gates:<account or all>`: all gates."""

from poolsite import live
from poolsite.aggregates.topics import FiguresTopic
from poolsite.live.lists import AggregateListTopic
from queueing.admission import gate as commands
from queueing.admission.models import Gate
from queueing.admission.selectors import figures_of
from queueing.admission.topics.scope import GateScope


@live.register
class GateFiguresTopic(GateScope, FiguresTopic):
    """The figures of `selectors.figures_of`. A change is the new state."""

    name = "admission.gate"
    show = staticmethod(commands.show)
    figures = staticmethod(figures_of)


@live.register
class GateListTopic(AggregateListTopic):
    """Every gate of an account, or of all accounts and the platform: slug → figures and name."""

    name = "admission.gates"
    model = Gate
    action = "admission.view"
    show = staticmethod(commands.show)
    figures = staticmethod(figures_of)
