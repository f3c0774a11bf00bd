"""Finds the principal of a request, of a scope, or of a user."""

from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpRequest

from poolsite.access import lookup
from poolsite.access.addresses import client_address, client_address_of_scope
from poolsite.access.headers import bearer, cookie, header
from poolsite.access.networks import allows
from poolsite.access.principal import ANONYMOUS, Principal, TokenScope

if TYPE_CHECKING:
    from poolsite.access.models import User

LONGEST_SECRET = 1024
CREDENTIAL = "poolsite.credential"  # of a scope
PRINCIPAL = "poolsite.principal"  # of a request's scope, once its limits were checked


async def principal_of_scope(scope: MutableMapping[str, Any]) -> Principal:
    """Return the principal of a socket or a hot-lane request; cached ≤ 30 s, dropped by pub/sub.

    With an `Authorization` header, only the header counts; otherwise the session's cookie. This
    does not check the origin: `origin_allowed` does. It never raises for a bad credential. A token
    outside its networks is ANONYMOUS; `limiting.admit` has refused it before.

    A principal that the limits have just found is taken from the scope once: a second call looks it
    up again.
    """
    known: Principal | None = scope.pop(PRINCIPAL, None)
    if known is not None:
        return known
    from poolsite.access.rights.cache import CACHE, principal_of_credential

    credential = credential_of_scope(scope)
    if not credential:
        return ANONYMOUS
    principal = CACHE.get(credential)  # the hot lane runs this at every request
    if principal is None:
        principal = await principal_of_credential(credential, client_address_of_scope(scope))
    return principal if is_inside(principal, scope) else ANONYMOUS


def is_inside(principal: Principal, scope: Mapping[str, Any]) -> bool:
    """Whether this scope comes from a network where the principal's token may be used."""
    return not _limited_to(principal) or is_at(principal, client_address_of_scope(scope))


def is_at(principal: Principal, address: str) -> bool:
    """Whether the principal's token may be used at this address; True for other principals."""
    networks = _limited_to(principal)
    return not networks or allows(networks, address)


def _limited_to(principal: Principal) -> tuple[str, ...]:
    return principal.scope.networks if isinstance(principal.scope, TokenScope) else ()


def credential_of_scope(scope: Mapping[str, Any]) -> str:
    """Return the credential of this scope as `lookup` names it; "" if it is missing or malformed.

    `limiting.admit` may already have stored it in the scope.
    """
    known = scope.get(CREDENTIAL)
    if known is not None:
        return str(known)
    authorization = header(scope, b"authorization")
    if authorization:
        secret = bearer(authorization)
        fits = 0 < len(secret) <= LONGEST_SECRET
        return lookup.credential_of_bearer(secret) if fits else ""
    session_key = cookie(scope, settings.SESSION_COOKIE_NAME)
    return lookup.SESSION + session_key if 0 < len(session_key) <= LONGEST_SECRET else ""


def principal_of_request(request: HttpRequest) -> Principal:
    """Return the principal of a Django request, read from SQL, so that changes count at once.

    Also `request.principal`, by the middleware. With an `Authorization` header, only the header
    counts, so that a bad token never falls back to a cookie.
    """
    from poolsite.access.rights.cache import load

    known: Principal | None = request.__dict__.get("_principal")
    if known is not None:
        return known
    authorization = request.headers.get("Authorization", "")
    if authorization:
        secret = bearer(authorization)
        fits = 0 < len(secret) <= LONGEST_SECRET
        address = client_address(request)
        principal = load(lookup.credential_of_bearer(secret), address) if fits else ANONYMOUS
        if not is_at(principal, address):
            principal = ANONYMOUS
    else:
        principal = _of_session(request)
    request.__dict__["_principal"] = principal
    return principal


def _of_session(request: HttpRequest) -> Principal:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return ANONYMOUS
    session = request.session
    idle_end = session.get_expiry_date().timestamp()
    return lookup.of_session_data(user, session, session.session_key or "", idle_end=idle_end)


def principal_of_user(user: "User") -> Principal:
    """Return the principal of a user with the current rights in SQL (tasks, commands, tests)."""
    return lookup.of_user(user)
