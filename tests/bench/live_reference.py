"""The reference of row 11: a bare Channels consumer that sends recorded frames 5 times a second.

The file named by BENCH_FRAMES holds {"snapshots": {topic: text}, "turns": [[text, …], …]}. All
sockets get the frames of one turn, then all get those of the next.
"""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import poolsite  # noqa: F401  first: see poolsite/__init__.py

PERIOD_SECONDS = 0.2


def _application() -> Any:
    from channels.generic.websocket import AsyncWebsocketConsumer
    from channels.routing import ProtocolTypeRouter, URLRouter
    from django.core.asgi import get_asgi_application
    from django.urls import path

    pages = get_asgi_application()
    recorded = json.loads(Path(os.environ["BENCH_FRAMES"]).read_text())
    sockets: set[Any] = set()
    sender: set[asyncio.Task[None]] = set()

    async def send_all() -> None:
        loop = asyncio.get_running_loop()
        turn = 0
        while True:
            began = loop.time()
            for text in recorded["turns"][turn % len(recorded["turns"])]:
                for socket in tuple(sockets):
                    await socket.send(text_data=text)
            turn += 1
            await asyncio.sleep(max(0.0, began + PERIOD_SECONDS - loop.time()))

    class Bare(AsyncWebsocketConsumer):
        channel_layer_alias = "none"  # no channel layer: even barer

        async def connect(self) -> None:
            await self.accept()
            sockets.add(self)
            if not sender:
                sender.add(asyncio.create_task(send_all()))

        async def disconnect(self, code: int) -> None:
            sockets.discard(self)

        async def receive(self, text_data: str = "", bytes_data: bytes | None = None) -> None:
            frame = json.loads(text_data)
            await self.send(text_data=recorded["snapshots"][frame["topic"]])

    routes = URLRouter([path("ws/live/", Bare.as_asgi())])
    return ProtocolTypeRouter({"http": pages, "websocket": routes})


application = _application()
