"""How long a message takes between a front-end and an instance on two web processes.

python dispatch_latency.py <front's port> <back's port> <token or ""> <count>

Both peers run in this one process. With a token the program registers both and speaks the
dispatcher's protocol. Without a token it sends the same texts over row 13's reference. It sends
one message at a time and prints microseconds as a JSON list.
"""

import asyncio
import json
import os
import sys
import time
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect

FRONT = f"bench-{os.getpid()}"  # a different ID in each round
SESSION = f"{FRONT}/1"
BODY = {"method": "INFO", "text": "x" * 200}
ACK_EVERY = 64


async def main(front_port: int, back_port: int, token: str, count: int) -> list[float]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    options: dict[str, Any] = {
        "additional_headers": headers,
        "compression": None,
        "ping_interval": None,
        "proxy": None,
    }
    address = "ws://127.0.0.1:{port}/ws/dispatch/east/{side}/"
    async with (
        connect(address.format(port=back_port, side="back"), **options) as back,
        connect(address.format(port=front_port, side="front"), **options) as front,
    ):
        seq = await _register(front, back) if token else 0
        reading = asyncio.create_task(_pass_over(front))
        times = []
        for number in range(count):
            seq += 1
            frame = {"op": "message", "seq": seq, "session": SESSION, "body": BODY}
            began = time.perf_counter()
            await front.send(orjson.dumps(frame).decode())
            got = await _hear(back, "message")
            times.append((time.perf_counter() - began) * 1e6)
            assert got["seq"] == seq
            if token and number % ACK_EVERY == 0:
                await back.send(orjson.dumps({"op": "ack", "seq": seq}).decode())
        reading.cancel()
        return times


async def _register(front: ClientConnection, back: ClientConnection) -> int:
    """Register both peers and begin the session. Return the last number used."""
    offer = (await _hear(back, "hello"))["offer"]
    instance = {"op": "register", "id": offer, "name": "as-1", "version": "1", "capacity": 10}
    await back.send(orjson.dumps(instance).decode())
    await _hear(back, "registered")
    await _hear(front, "hello")
    await front.send(orjson.dumps({"op": "register", "profile": "BICC", "id": FRONT}).decode())
    await _hear(front, "registered")
    await front.send(orjson.dumps({"op": "start", "seq": 1, "session": SESSION}).decode())
    await _hear(back, "start")
    return 1


async def _hear(socket: ClientConnection, op: str) -> dict[str, Any]:
    while True:
        frame: dict[str, Any] = orjson.loads(await socket.recv())
        if frame["op"] == op:
            return frame


async def _pass_over(socket: ClientConnection) -> None:
    async for _ in socket:
        pass


if __name__ == "__main__":
    front, back, secret, count = sys.argv[1:]
    print(json.dumps(asyncio.run(main(int(front), int(back), secret, int(count)))))
