"""Registers the routes about incidents, webhooks, and tags and notes of objects."""

from poolsite.api import examples
from poolsite.api.root import api
from poolsite.operations.api import incidents, objects
from poolsite.operations.api.examples import EXAMPLES
from poolsite.operations.webhooks import api as webhooks_api


def register() -> None:
    """Called once, by poolsite.urls."""
    examples.declare(EXAMPLES)
    api.add_router("/incidents", incidents.router)
    api.add_router("/objects", objects.router)
    webhooks_api.register()
