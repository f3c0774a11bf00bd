"""Registers the routes about incidents, alert recipients, saved views, webhooks, tags and notes."""

from poolsite.api import examples
from poolsite.api.root import api
from poolsite.operations.api import incidents, objects, recipients, saved_views
from poolsite.operations.api.examples import EXAMPLES
from poolsite.operations.webhooks import api as webhooks_api


def register() -> None:
    """Register the routes. poolsite.urls calls this once."""
    examples.declare(EXAMPLES)
    api.add_router("/incidents", incidents.router)
    api.add_router("/objects", objects.router)
    api.add_router("/alert-recipients", recipients.router)
    api.add_router("/saved-views", saved_views.router)
    webhooks_api.register()
