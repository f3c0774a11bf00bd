"""The provider `http`: an external lookup service, queried over HTTP."""

from billing.abilities.http.provider import provider

__all__ = ["provider"]
