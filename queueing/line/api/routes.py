"""Where the line's routers hang."""

from poolsite.api import examples
from poolsite.api.root import api
from queueing.line.api import attachments, wrap_up  # noqa: F401  # add to visits and agents
from queueing.line.api.agents import agents, document
from queueing.line.api.desks import desks
from queueing.line.api.examples import EXAMPLES
from queueing.line.api.forecasts import forecasts
from queueing.line.api.messages import messages
from queueing.line.api.supervising import supervising
from queueing.line.api.visitor_options import queues, visits


def register() -> None:
    """Called once, by poolsite.urls."""
    document()
    examples.declare(EXAMPLES)
    api.add_router("/queues", queues)
    api.add_router("/visits", visits)
    api.add_router("/agent", agents)
    api.add_router("/desks", desks)
    api.add_router("/desks", messages)
    api.add_router("/desks", forecasts)
    api.add_router("/desks", supervising)
