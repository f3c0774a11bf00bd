"""A peer that sends exactly what a test has it send, in either encoding."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgpack
import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.live.servers import WebServer
from tests.support.waiting import patient

JSON, MSGPACK = "poolsite.dispatch.v1.json", "poolsite.dispatch.v1.msgpack"


class RawPeer:
    """A socket."""

    def __init__(self, socket: ClientConnection, *, binary: bool) -> None:
        self.socket = socket
        self._binary = binary
        self.acks: list[dict[str, Any]] = []  # all acks that arrived
        self._waiting: list[dict[str, Any]] = []

    async def tell(self, **frame: Any) -> None:
        data = msgpack.packb(frame) if self._binary else orjson.dumps(frame).decode()
        await self.socket.send(data)

    async def hear(self, *, acks: bool = False, seconds: float = 10.0) -> dict[str, Any]:
        """Return the next frame. Heartbeats are skipped, and acks unless wanted."""
        if self._waiting and not acks:
            return self._waiting.pop(0)
        async with asyncio.timeout(patient(seconds)):
            while True:
                data = await self.socket.recv()
                frame: dict[str, Any] = (
                    msgpack.unpackb(data) if self._binary else orjson.loads(data)
                )
                if frame["op"] == "ack":
                    self.acks.append(frame)
                if frame["op"] == "beat" or (frame["op"] == "ack" and not acks):
                    continue
                return frame

    async def acknowledged(self, ack: dict[str, Any]) -> None:
        """Wait until this ack has arrived, before or after other frames."""
        while ack not in self.acks:
            frame = await self.hear(acks=True)
            if frame["op"] != "ack":
                self._waiting.append(frame)

    async def closed(self, seconds: float = 10.0) -> tuple[int, str]:
        """Read until the server closes. Return the code and the reason."""
        async with asyncio.timeout(patient(seconds)):
            try:
                while True:
                    await self.socket.recv()
            except ConnectionClosed as end:
                return (end.rcvd.code, end.rcvd.reason) if end.rcvd else (1006, "")

    async def register_front(self, peer_id: str = "bicc-1", **changes: Any) -> dict[str, Any]:
        """Register, by default as a BICC front-end. Return the answer."""
        await self.hear()
        frame = {"op": "register", "profile": "BICC", "id": peer_id, "incarnation": "f1"}
        await self.tell(**(frame | changes))
        return await self.hear()

    async def register_back(self, name: str = "as-1", **changes: Any) -> dict[str, Any]:
        """Register as an instance with the offered ID. Return the answer."""
        hello = await self.hear()
        frame = {"op": "register", "id": hello["offer"], "name": name, "version": "1"}
        await self.tell(**(frame | {"capacity": 100, "incarnation": "b1"} | changes))
        return await self.hear()


@asynccontextmanager
async def raw(
    web: WebServer, group: str, side: str, token: str, *, protocol: str = JSON, **options: Any
) -> AsyncIterator[RawPeer]:
    """Open a socket. With `protocol` "" it requests none."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with connect(
        f"ws://127.0.0.1:{web.port}/ws/dispatch/{group}/{side}/",
        additional_headers=headers,
        subprotocols=[Subprotocol(protocol)] if protocol else None,
        compression=None,
        ping_interval=None,
        max_size=None,
        proxy=None,
        open_timeout=patient(10),
        **options,
    ) as socket:
        yield RawPeer(socket, binary=protocol == MSGPACK)
