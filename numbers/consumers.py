"""The websocket by which switches report events, `/ws/pools/{slug}/events/`."""

from typing import Any

websocket_urlpatterns: list[Any] = []
