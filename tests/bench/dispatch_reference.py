"""Row 13's reference: two sockets joined by one XADD and a channel-layer wake, nothing else.

The process that is woken reads the stream. There is no registration, route, numbering or
acknowledgement, and no second try for a lost link.
"""

from typing import Any

import poolsite  # noqa: F401  first: see poolsite/__init__.py

STREAM = "bench:ref"


def _application() -> Any:
    from channels.generic.websocket import AsyncWebsocketConsumer
    from channels.layers import channel_layers
    from channels.routing import ProtocolTypeRouter, URLRouter
    from channels_redis.core import RedisChannelLayer
    from django.conf import settings
    from django.core.asgi import get_asgi_application
    from django.urls import re_path

    pages = get_asgi_application()

    from poolsite import hotpath

    # redis-py's own limit for an answer is shorter than the layer's blocking reads.
    host = {"address": settings.CACHE_URL, "socket_timeout": None}
    channel_layers.set("default", RedisChannelLayer(hosts=[host], prefix="bench"))

    class Front(AsyncWebsocketConsumer):
        async def connect(self) -> None:
            await self.accept()

        async def receive(self, text_data: str | None = None, bytes_data: Any = None) -> None:
            await hotpath.aclient().xadd(STREAM, {"frame": text_data}, maxlen=1000)
            await self.channel_layer.group_send("bench", {"type": "bench.wake"})

    class Back(AsyncWebsocketConsumer):
        seen = "0-0"

        async def connect(self) -> None:
            for self.seen, _ in await hotpath.aclient().xrevrange(STREAM, count=1):
                pass  # what an earlier round left does not count
            await self.channel_layer.group_add("bench", self.channel_name)
            await self.accept()

        async def bench_wake(self, event: Any) -> None:
            rows = await hotpath.aclient().xrange(STREAM, min=f"({self.seen}")
            for self.seen, fields in rows:
                await self.send(text_data=fields["frame"])

        async def disconnect(self, code: int) -> None:
            await self.channel_layer.group_discard("bench", self.channel_name)

    # Django's function knows views only; channels' router takes any ASGI application.
    sockets = URLRouter(
        [
            re_path("^ws/dispatch/east/front/$", Front.as_asgi()),
            re_path("^ws/dispatch/east/back/$", Back.as_asgi()),
        ]
    )
    return ProtocolTypeRouter({"http": pages, "websocket": sockets})


application = _application()
