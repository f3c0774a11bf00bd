"""The live socket's address, and the answer to every address that does not exist."""

from typing import Any

from django.urls import path

from poolsite.live.outbox import Send
from poolsite.live.reading import Receive
from poolsite.live.socket import HIDDEN, live_application, visitor_application


async def missing_socket(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Answer 4404: there is no such socket."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": HIDDEN})


# Django's path() knows views only; channels' URLRouter takes any ASGI application.
websocket_urlpatterns = [
    path("ws/live/", live_application),  # type: ignore[arg-type]
    path("ws/live/visitor/", visitor_application),  # type: ignore[arg-type]
]
