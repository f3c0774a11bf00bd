"""A thousand browsers in one process: sockets that read, answer acks, and store little.

Frames for all sockets are the same bytes, so each is decoded once. The program takes its
parameters as one JSON object from the command line and prints a JSON line when every socket has
its snapshots. For each line it then reads from standard input, it prints what was seen since the
last one.
"""

import asyncio
import json
import os
import sys
import time
from base64 import b64encode
from collections import Counter
from typing import Any

import orjson

CONNECTS_AT_ONCE = 40


class Socket(asyncio.Protocol):
    """One websocket with only what is needed: unmasked text frames in, masked ones out."""

    def __init__(self, crowd: "Crowd") -> None:
        self.crowd = crowd
        self.buffer = b""
        self.open = False
        self.ready = asyncio.get_running_loop().create_future()
        self.topics: set[str] = set()
        self.closed_with = 0
        self.acked = 0
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        key = b64encode(os.urandom(16)).decode()
        self.transport.write(self.crowd.handshake.format(key=key).encode())

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.open:
            head, end, rest = self.buffer.partition(b"\r\n\r\n")
            if not end:
                return
            if b" 101 " not in head[:20]:
                self.ready.set_exception(RuntimeError(head.decode()))
                return
            self.open, self.buffer = True, rest
            for topic in self.crowd.topics:
                self.send(orjson.dumps({"op": "subscribe", "topic": topic}))
        while self._take_frame():
            pass

    def _take_frame(self) -> bool:
        buffer = self.buffer
        if len(buffer) < 2:
            return False
        length, start = buffer[1] & 0x7F, 2
        if length == 126:
            length, start = int.from_bytes(buffer[2:4], "big"), 4
        elif length == 127:
            length, start = int.from_bytes(buffer[2:10], "big"), 10
        if len(buffer) < start + length or (start > 2 and len(buffer) < start):
            return False
        payload = buffer[start : start + length]
        self.buffer = buffer[start + length :]
        self._take(buffer[0] & 0x0F, payload)
        return True

    def _take(self, opcode: int, payload: bytes) -> None:
        if opcode == 1:
            self.crowd.take(self, payload)
        elif opcode == 8:
            self.closed_with = int.from_bytes(payload[:2], "big") or 1005
        elif opcode == 9:
            self.send(payload, opcode=10)

    def send(self, payload: bytes, opcode: int = 1) -> None:
        assert len(payload) < 126
        self.transport.write(
            bytes([0x80 | opcode, 0x80 | len(payload), 0, 0, 0, 0]) + payload  # a mask of zeros
        )

    def connection_lost(self, error: Exception | None) -> None:
        self.closed_with = self.closed_with or 1006


class Crowd:
    """All sockets, and what they saw."""

    def __init__(self, orders: dict[str, Any]) -> None:
        self.topics: list[str] = orders["topics"]
        self.port: int = orders["port"]
        self.count: int = orders["count"]
        cookies: list[str] = orders["cookies"]
        self._cookies = cookies
        self.handshake = ""
        self.sockets: list[Socket] = []
        self._known: dict[bytes, dict[str, Any]] = {}
        self.frames: Counter[str] = Counter()
        self.sizes: list[int] = []
        self.texts: list[str] = []
        self.times: dict[str, list[float]] = {}
        self.personal: list[float] = []

    async def connect(self) -> None:
        """Open every socket and wait for all snapshots."""
        loop = asyncio.get_running_loop()
        for start in range(0, self.count, CONNECTS_AT_ONCE):
            fresh = []
            for number in range(start, min(start + CONNECTS_AT_ONCE, self.count)):
                cookie = self._cookies[number % len(self._cookies)]
                self.handshake = (
                    f"GET /ws/live/ HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                    f"Origin: http://127.0.0.1:{self.port}\r\nCookie: {cookie}\r\n"
                    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: {key}\r\n\r\n"
                )
                _, socket = await loop.create_connection(
                    lambda: Socket(self), "127.0.0.1", self.port
                )
                fresh.append(socket)
            await asyncio.wait_for(asyncio.gather(*(socket.ready for socket in fresh)), 60)
            self.sockets += fresh

    def take(self, socket: Socket, payload: bytes) -> None:
        """Count one frame. Identical bytes are decoded only the first time."""
        frame = self._known.get(payload)
        if frame is None:
            frame = orjson.loads(payload)
            if len(self._known) > 200:
                self._known.clear()
            self._known[payload] = frame
            if frame["op"] == "change":
                self.texts.append(payload.decode())
        op = frame["op"]
        self.frames[op] += 1
        if frame.get("ack", 0) > socket.acked:
            socket.acked = frame["ack"]
            socket.send(b'{"op":"ack","ack":%d}' % socket.acked)
        if op == "personal":
            self.personal.append(time.time() - frame["data"]["at"])
        elif op == "change":
            self.sizes.append(len(payload))
            self._note_last(frame)
        elif op == "snapshot" or (op == "hello" and not self.topics):
            socket.topics.add(frame.get("topic", ""))
            if len(socket.topics) >= len(self.topics) and not socket.ready.done():
                socket.ready.set_result(None)

    def _note_last(self, frame: dict[str, Any]) -> None:
        times = self.times.setdefault(f"{frame['topic']} {frame['to']}", [])
        times.append(time.time())
        if len(self.times) > 500:
            del self.times[next(iter(self.times))]

    def report(self) -> dict[str, Any]:
        """Return what was seen since the last report."""
        sizes, self.sizes = sorted(self.sizes), []
        frames, self.frames = dict(self.frames), Counter()
        texts, self.texts = self.texts, []
        personal, self.personal = sorted(self.personal), []
        return {
            "frames": frames,
            "size_p99": sizes[int(len(sizes) * 0.99)] if sizes else 0,
            "size_mean": sum(sizes) / len(sizes) if sizes else 0,
            "texts": texts,
            "closed": Counter(s.closed_with for s in self.sockets if s.closed_with),
            "times": dict(list(self.times.items())[-20:]),
            "personal": personal,
        }


async def main() -> None:
    crowd = Crowd(json.loads(sys.argv[1]))
    await crowd.connect()
    loop = asyncio.get_running_loop()
    print(json.dumps({"connected": len(crowd.sockets)}), flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(crowd.report()), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
