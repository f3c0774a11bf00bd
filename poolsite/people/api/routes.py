"""Registers the routes about accounts, people, tokens, the audit log and the user's profile."""

from poolsite.api import examples
from poolsite.api.root import api
from poolsite.people.api import accounts, audit, operators, profile, tokens
from poolsite.people.api.examples import EXAMPLES


def register() -> None:
    """Register the routes. Called once, by poolsite.urls."""
    examples.declare(EXAMPLES)
    api.add_router("/people", accounts.router)
    api.add_router("/people", operators.router)
    api.add_router("/tokens", tokens.router)
    api.add_router("/audit-log", audit.router)
    api.add_router("/profile", profile.router)
