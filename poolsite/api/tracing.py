"""A span for each HTTP request, by its route: the part of a trace that a client can join."""

from typing import Any

from django.conf import settings
from django.urls import Resolver404, resolve
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from poolsite import tracing
from poolsite.api import lane
from poolsite.api.guard import PROBES

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def traced_requests(application: ASGIApp) -> ASGIApp:
    """Wrap the HTTP application in spans. Return `application` itself while tracing is off.

    Probes and static files have no spans. A request's `traceparent` header is joined.
    """
    if not tracing.is_on():
        return application
    static = "/" + str(settings.STATIC_URL).strip("/") + "/"
    hot = lane.routes()

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in PROBES or scope["path"].startswith(static):
            await application(scope, receive, send)
            return
        given = tracing.context_of(scope)
        method = scope["method"]
        with tracing.span(
            method, "server", parent=given, attributes={"http.request.method": method}
        ) as span:
            if not span.is_recording():
                await application(scope, receive, send)
                return
            if route := _route_of(scope["path"], hot):
                span.update_name(f"{method} {route}")
                span.set_attribute("http.route", route)

            async def tell(message: Message) -> None:
                if message["type"] == "http.response.start":
                    _answered(span, message["status"])
                await send(message)

            if method in SAFE_METHODS:
                await application(scope, receive, tell)
            else:
                with tracing.causing():
                    await application(scope, receive, tell)

    return serve


def _route_of(path: str, hot: list[Route]) -> str:
    """Return the pattern that serves a path, not the path, which may contain names and secrets."""
    for route in hot:
        if route.path_regex.match(path):
            return route.path
    try:
        return "/" + resolve(path).route
    except Resolver404:
        return ""


def _answered(span: Any, status: int) -> None:
    span.set_attribute("http.response.status_code", status)
    if status >= 500:
        from opentelemetry.trace import StatusCode

        span.set_status(StatusCode.ERROR)
