"""Rate limits in front of everything that a body or a page could cost: 429 with `Retry-After`.

Static files and the three probes are not counted: a page loads many static files, and an
orchestrator needs the probes most under heavy load.
"""

import logging

from django.conf import settings
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from poolsite.access import client_address_of_scope, limiting
from poolsite.access.limiting import OutsideError, RateLimitedError
from poolsite.api.plain_pages import refusal

logger = logging.getLogger("poolsite.refused")

PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
_SAYS = {
    "token": "too many requests with this token",
    "visitor": "too many requests for this visit",
    "user": "too many requests by this user",
    "address": "too many requests from this address",
    "bad-token": "too many tokens from this address that are not valid",
}


def guarded(application: ASGIApp) -> ASGIApp:
    """Put rate limits in front of the HTTP application. They refuse before a body is read."""
    static = "/" + str(settings.STATIC_URL).strip("/") + "/"

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if not (path in PROBES or path.startswith(static) or limiting.admit_at_once(scope)):
            try:
                await limiting.admit(scope)
            except RateLimitedError as refused:
                await too_many(scope, refused)(scope, receive, send)
                return
            except OutsideError:
                await outside(scope)(scope, receive, send)
                return
        await application(scope, receive, send)

    return serve


def guarded_sockets(application: ASGIApp) -> ASGIApp:
    """Put the same limits in front of the websockets. A handshake counts as a request."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if not limiting.admit_at_once(scope):
                await limiting.admit(scope)
        except RateLimitedError as refused:
            await receive()
            await refuse_socket(scope, receive, send, too_many(scope, refused), 4429)
            return
        except OutsideError:
            await receive()
            await refuse_socket(scope, receive, send, outside(scope), 4403)
            return
        await application(scope, receive, send)

    return serve


def too_many(scope: Scope, refused: RateLimitedError) -> Response:
    """Return the response 429, and log it."""
    said = _SAYS[refused.kind]
    logger.warning("Refused: %s: %s", said, scope["path"], extra={"status_code": 429})
    headers = {"Retry-After": str(refused.retry_after)}
    if _has_body(scope):
        headers["Connection"] = "close"  # its body is unread, so no other request can follow
    context = {"seconds": refused.retry_after}
    return refusal(scope, "rate-limited", said, headers=headers, context=context)


def outside(scope: Scope) -> Response:
    """Return the response 403 for a token that is used outside its networks, and log it."""
    address = client_address_of_scope(scope) or "an unknown address"
    said = f"this token may not be used from {address}"
    logger.warning("Refused: %s: %s", said, scope["path"], extra={"status_code": 403})
    headers = {"Connection": "close"} if _has_body(scope) else {}
    return refusal(scope, "network", said, headers=headers, context={})


async def refuse_socket(
    scope: Scope, receive: Receive, send: Send, response: Response, code: int
) -> None:
    """Send the response instead of the handshake if the server can, otherwise its own 403."""
    if "websocket.http.response" in scope.get("extensions", {}):
        await response(scope, receive, send)  # Starlette sends it as a denial
    else:
        await send({"type": "websocket.close", "code": code})


def _has_body(scope: Scope) -> bool:
    given: dict[bytes, bytes] = dict(scope["headers"])
    return b"transfer-encoding" in given or given.get(b"content-length", b"0") != b"0"
