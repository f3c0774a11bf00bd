"""Registers the routers of the line."""

from poolsite.api import examples
from poolsite.api.root import api
from queueing.line.api import (  # importing them adds routes to visits, queues and agents
    attachments,  # noqa: F401
    visitor_options,  # noqa: F401
    wrap_up,  # noqa: F401
)
from queueing.line.api.agent_setup import agent_setup
from queueing.line.api.agents import agents, document
from queueing.line.api.desk_setup import setup
from queueing.line.api.desks import desks
from queueing.line.api.examples import EXAMPLES
from queueing.line.api.forecasts import forecasts
from queueing.line.api.lists import lists
from queueing.line.api.messages import messages
from queueing.line.api.queue_setup import queue_setup
from queueing.line.api.supervising import supervising
from queueing.line.api.visit_records import records
from queueing.line.api.visitor_setup import visitor_setup
from queueing.line.api.visits import queues, visits


def register() -> None:
    """Register all routers. Called once, by poolsite.urls."""
    document()
    examples.declare(EXAMPLES)
    api.add_router("/queues", queues)
    api.add_router("/visits", visits)
    api.add_router("/agent", agents)
    for router in (setup, desks, messages, forecasts, supervising, records):
        api.add_router("/desks", router)
    for router in (queue_setup, agent_setup, lists, visitor_setup):
        api.add_router("/desks", router)
