"""The provider `http`: somebody else's look-up, asked over HTTP."""

from billing.abilities.http.provider import provider

__all__ = ["provider"]
