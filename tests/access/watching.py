"""A live socket of the application in this process: its answers, and every byte it received."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from channels.testing import WebsocketCommunicator

from tests.support.waiting import patient

AT_ONCE = 30  # topics of one socket: the product allows 32


class Watcher:
    """A socket. `answers`: topic → `open` or the code; `text`: all frames, one a line."""

    def __init__(self, header: tuple[bytes, bytes], origin: bytes = b"http://localhost") -> None:
        from poolsite.asgi import application

        headers = [(b"host", b"localhost"), (b"origin", origin), header]
        self.socket: Any = WebsocketCommunicator(application, "/ws/live/", headers=headers)
        self.answers: dict[str, str] = {}
        self.text = ""
        self.code = 0
        self._news = asyncio.Event()

    async def __aenter__(self) -> "Watcher":
        accepted, _ = await self.socket.connect(timeout=patient(10))
        assert accepted
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reader.cancel()
        await self.socket.disconnect(timeout=patient(10))

    async def send(self, **frame: Any) -> None:
        await self.socket.send_to(text_data=json.dumps(frame))

    async def subscribe(self, addresses: Sequence[str]) -> None:
        """Subscribe, and wait until each topic has an answer or the socket has ended."""
        for address in addresses:
            await self.send(op="subscribe", topic=address)
        await self.until(lambda: all(address in self.answers for address in addresses))

    async def until(self, condition: Any) -> None:
        """Wait until the condition holds or the socket has ended."""
        async with asyncio.timeout(patient(30)):
            while not (condition() or self.code):
                self._news.clear()
                await self._news.wait()

    async def _read(self) -> None:
        while True:
            message = await self.socket.output_queue.get()
            if message["type"] == "websocket.close":
                self.code = message["code"]
                self._news.set()
                return
            self.text += message["text"] + "\n"
            frame = json.loads(message["text"])
            if frame["op"] == "snapshot":
                self.answers[frame["topic"]] = "open"
            elif frame["op"] == "refused":
                self.answers[frame["topic"]] = str(frame["code"])
            elif frame["op"] == "error":
                self.answers["error"] = frame["reason"]
            if "ack" in frame:
                await self.send(op="ack", ack=frame["ack"])
            self._news.set()


async def ask(header: tuple[bytes, bytes], addresses: Sequence[str]) -> tuple[dict[str, str], str]:
    """Subscribe to all topics, a few at a time.

    Return the answers, and everything that was received.
    """
    answers: dict[str, str] = {}
    text = ""
    for start in range(0, len(addresses), AT_ONCE):
        async with Watcher(header) as watcher:
            await watcher.subscribe(addresses[start : start + AT_ONCE])
        answers |= watcher.answers
        text += watcher.text
    return answers, text
