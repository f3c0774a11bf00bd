"""What the pages about people share."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponseBase

from poolsite.access import principal_of_request, require, selectors
from poolsite.access.models import User

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def asks(action: str) -> Callable[[View[P]], View[P]]:
    """Let a view run only for principals who may do `action` at all."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def asked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            require(principal_of_request(request), action)
            return view(request, *args, **kwargs)

        return asked

    return decorate


def sign_on_of(user: User) -> dict[str, Any]:
    """Return the context for a person's page: the linked login, and the rights by its groups."""
    linked = selectors.linked_account(user)
    return {"linked": linked, "rights_by_group": selectors.rights_by_group(user) if linked else []}
