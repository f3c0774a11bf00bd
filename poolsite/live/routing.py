"""Addresses of sockets: the live sockets', and the answer for addresses that don't exist."""

from collections.abc import Awaitable, Callable
from typing import Any

from django.urls import URLPattern, re_path

from poolsite.live.outbox import Send
from poolsite.live.reading import Receive
from poolsite.live.socket import HIDDEN, live_application, visitor_application

Application = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


def socket(route: str, application: Application) -> URLPattern:
    """Return an entry of `websocket_urlpatterns`, by regular expression."""
    return re_path(route, application)  # type: ignore[arg-type]  # the stubs know views only


async def missing_socket(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Close the socket with 4404: the address does not exist."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": HIDDEN})


websocket_urlpatterns = [
    socket(r"^ws/live/$", live_application),
    socket(r"^ws/live/visitor/$", visitor_application),
]
