"""Visitors' pages in one process: sockets that keep their own place, as the page's script does.

line_crowd.py <setup file> <which>/<n> <port>[,<port>…] <result file> line|visit

Holds every n-th page of the setup. With "visit" the pages follow only their own visit, not the
line. Prints "ready" when every page knows its place. From one line on standard input to the next
it notes four times a second what every page shows. Then writes as JSON: the samples, when each
visitor was notified of its room, and the processor time that this took.
"""

import asyncio
import json
import os
import random
import sys
import time
from base64 import b64encode
from bisect import bisect_left
from pathlib import Path
from typing import Any

import orjson

from tests.bench.line_asking import standing
from tests.bench.line_setup import SLUG

CONNECTS_AT_ONCE = 20
SAMPLE_SECONDS = 0.25
ASK_SECONDS = 2.0
VISIT_ENDED = 4401
QUEUE_TOPIC = f"line.queue:{SLUG}"


class Page(asyncio.Protocol):
    """One visitor's socket: unmasked text frames in, masked ones out."""

    def __init__(self, crowd: "Crowd", person: dict[str, Any], port: int) -> None:
        self.crowd, self.person, self.port = crowd, person, port
        self.buffer = b""
        self.open = False
        self.ready = asyncio.get_running_loop().create_future()
        self.seq = self.held = self.ahead = self.acked = 0
        self.ticket = (0, 0)
        self.missed: list[list[int]] | None = None  # moves since it requested its place again
        self.roomed_at = 0.0
        self.closed_with = 0
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        key = b64encode(os.urandom(16)).decode()
        host = f"127.0.0.1:{self.port}"
        transport.write(
            f"GET /ws/live/visitor/ HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n\r\n".encode()
        )

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
            self.send({"op": "token", "token": self.person["token"]})
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
        opcode = buffer[0] & 0x0F
        if opcode == 1:
            self.crowd.take(self, payload)
        elif opcode == 8:
            self.closed_with = int.from_bytes(payload[:2], "big") or 1005
        elif opcode == 9:  # a server closes a socket that leaves its pings unanswered
            self._write(10, payload)
        return True

    def send(self, frame: dict[str, Any]) -> None:
        self._write(1, orjson.dumps(frame))

    def _write(self, opcode: int, payload: bytes) -> None:
        size = len(payload)
        head = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
        first = bytes([0x80 | opcode])
        self.transport.write(first + head + b"\0\0\0\0" + payload)  # a mask of zeros

    def connection_lost(self, error: Exception | None) -> None:
        self.closed_with = self.closed_with or 1006

    @property
    def is_cut_off(self) -> bool:
        """Whether the socket was closed, unless its visit was served, which ends its token."""
        served = self.closed_with == VISIT_ENDED and self.roomed_at > 0
        return self.closed_with > 0 and not served


class Crowd:
    """All pages, with what they showed and when."""

    def __init__(self, *, follows_line: bool) -> None:
        self.follows_line = follows_line
        self.pages: list[Page] = []
        self.samples: list[tuple[float, list[int]]] = []
        self.gaps = self.asked_again = 0
        self._asking: set[asyncio.Task[None]] = set()
        self._known: dict[bytes, tuple[dict[str, Any], list[Any], list[int]]] = {}

    async def connect(self, people: list[dict[str, Any]], ports: list[int]) -> None:
        """Open every page and wait until it shows its place."""
        loop = asyncio.get_running_loop()
        for start in range(0, len(people), CONNECTS_AT_ONCE):
            fresh = []
            for number, person in enumerate(people[start : start + CONNECTS_AT_ONCE], start):
                port = ports[number % len(ports)]
                page = Page(self, person, port)
                await loop.create_connection(lambda page=page: page, "127.0.0.1", port)
                fresh.append(page)
            await asyncio.wait_for(asyncio.gather(*(page.ready for page in fresh)), 120)
            self.pages += fresh

    def take(self, page: Page, payload: bytes) -> None:
        """Take one frame. Frames for all pages are decoded once."""
        known = self._known.get(payload)
        if known is None:
            frame = orjson.loads(payload)
            known = (frame, *_steps(frame))
            if frame.get("topic") == QUEUE_TOPIC:
                if len(self._known) > 100:
                    self._known.clear()
                self._known[payload] = known
        frame, tickets, sums = known
        if frame.get("ack", 0) > page.acked:
            page.acked = frame["ack"]
            page.send({"op": "ack", "ack": page.acked})
        op, topic = frame["op"], frame.get("topic", "")
        if op == "hello":
            own = f"line.visit:{page.person['visit']}"
            page.send({"op": "subscribe", "topic": QUEUE_TOPIC if self.follows_line else own})
        elif op == "beat":
            page.send({"op": "beat"})
        elif op == "personal" and frame["kind"] == "line.room":
            page.roomed_at = page.roomed_at or time.time()
        elif topic == QUEUE_TOPIC:
            self._line(page, frame, tickets, sums)
        elif op in ("snapshot", "change"):
            self._stand(page, frame["data"])

    def _line(self, page: Page, frame: dict[str, Any], tickets: list[Any], sums: list[int]) -> None:
        if frame["op"] == "snapshot":
            page.held = frame["version"]
            if not page.ready.done():
                page.send({"op": "subscribe", "topic": f"line.visit:{page.person['visit']}"})
            elif not page.roomed_at:
                self._ask_soon(page)
            return
        if frame["op"] != "change":
            return
        if frame["from"] != page.held and frame["to"] != page.held:
            self.gaps += 1
            page.send({"op": "subscribe", "topic": QUEUE_TOPIC})
            return
        page.held = frame["to"]
        moves = frame["data"]["moves"]
        if page.missed is not None:  # the place shown stays until it is known again
            page.missed += moves
            return
        if moves and moves[0][0] <= page.seq:  # some moves were already in the place that was read
            moves = [move for move in moves if move[0] > page.seq]
            page.ahead += sum(move[3] for move in moves if (move[1], move[2]) < page.ticket)
            return
        page.ahead += sums[bisect_left(tickets, page.ticket)]

    def _ask_soon(self, page: Page) -> None:
        """Request the place again because moves were missed.

        Like the page's script, not all pages at once.
        """
        self.asked_again += 1
        if page.missed is None:
            task = asyncio.create_task(self._ask(page))
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)
        page.missed = []

    async def _ask(self, page: Page) -> None:
        await asyncio.sleep(ASK_SECONDS * random.random())
        now = await standing(page.port, page.person["visit"], page.person["token"])
        moves, page.missed = page.missed or [], None
        page.seq, page.ahead = now["seq"], now["ahead"]
        page.ticket = (now["priority"], now["ticket"])
        newer = (move for move in moves if move[0] > page.seq)
        page.ahead += sum(move[3] for move in newer if (move[1], move[2]) < page.ticket)

    def _stand(self, page: Page, data: dict[str, Any]) -> None:
        page.seq, page.ahead = data["seq"], data["ahead"]
        page.ticket = (data["priority"], data["ticket"])
        if data["answer"] != "waiting":
            page.roomed_at = page.roomed_at or time.time()
        if not page.ready.done():
            page.ready.set_result(None)

    async def watch(self, stop: asyncio.Event) -> None:
        """Note what every page shows; -1 means that it is in a room."""
        while not stop.is_set():
            self._sample()
            await asyncio.sleep(SAMPLE_SECONDS)
        self._sample()

    def _sample(self) -> None:
        shown = [-1 if page.roomed_at else page.ahead for page in self.pages]
        self.samples.append((time.time(), shown))

    def result(self) -> dict[str, Any]:
        """Return what was seen."""
        return {
            "samples": self.samples,
            "roomed": {page.person["visit"]: page.roomed_at for page in self.pages},
            "closed": [page.closed_with for page in self.pages if page.is_cut_off],
            "gaps": self.gaps,
            "asked_again": self.asked_again,
        }


def _steps(frame: dict[str, Any]) -> tuple[list[Any], list[int]]:
    """Return the tickets that a frame moves, ascending, and the sum of steps before each."""
    data = frame.get("data")
    moves = data.get("moves", []) if isinstance(data, dict) else []
    ordered = sorted(((move[1], move[2]), move[3]) for move in moves)
    sums = [0]
    for _, step in ordered:
        sums.append(sums[-1] + step)
    return [ticket for ticket, _ in ordered], sums


async def play(people: list[dict[str, Any]], ports: str, follows: str) -> dict[str, Any]:
    """Hold the pages until a line arrives to stop. Return what was seen."""
    crowd = Crowd(follows_line=follows == "line")
    await crowd.connect(people, [int(port) for port in ports.split(",")])
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.readline)
    began = time.process_time()
    stop = asyncio.Event()
    watching = asyncio.create_task(crowd.watch(stop))
    await loop.run_in_executor(None, sys.stdin.readline)
    stop.set()
    await watching
    return crowd.result() | {"cpu_seconds": time.process_time() - began}


def main(setup: str, which: str, ports: str, result: str, follows: str) -> None:
    """Read the waiting visitors, hold their pages, and write the result."""
    number, _, count = which.partition("/")
    people = json.loads(Path(setup).read_text())["people"][int(number) :: int(count)]
    seen = asyncio.run(play(people, ports, follows))
    Path(result).write_text(json.dumps(seen))
    print("written", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
