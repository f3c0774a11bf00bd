"""FreeSWITCH's side of the Event Socket, spoken over a real TCP socket.

FreeSWITCH is in no package that tests can install. So this side speaks a conversation that is
stored byte for byte in freeswitch_session.txt, written after the sources of mod_event_socket,
mod_sofia and switch_event (1.10, commit cc93a683ca): its frames, its field names, its order.
"""

import asyncio
import contextlib
import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from integrations.freeswitch import Daemon
from integrations.freeswitch.esl import Framer, event_of

SESSION = Path(__file__).with_name("freeswitch_session.txt")
PASSWORD = "a-password"
CORE = "6ddf010e-bc0b-4366-8413-6becd7f77076"
_HEAD = re.compile(rb"(FreeSWITCH|client) ([0-9]+) ?([^\n]*)\n")


def session() -> Iterator[tuple[str, str, bytes]]:
    """Yield the stored conversation: the speaker, the name of the piece, its bytes."""
    data, at = SESSION.read_bytes(), 0
    while at < len(data):
        head = _HEAD.match(data, at)
        assert head, data[at : at + 80]
        start, size = head.end(), int(head[2])
        yield head[1].decode(), head[3].decode(), data[start : start + size]
        at = start + size + 1


PIECES = {name: data for who, name, data in session() if who == "FreeSWITCH"}


def event(name: str, **changes: str) -> dict[str, str]:
    """Return an event of the conversation, with changes (`Hangup_Cause=` for Hangup-Cause)."""
    (frame,) = Framer().feed(PIECES[name])
    read = event_of(frame)
    assert read is not None
    return {**read, **{key.replace("_", "-"): value for key, value in changes.items()}}


def of_call(name: str, call: str, number: str = "") -> dict[str, str]:
    """Return an event of the conversation's call (channels a and b), as one of another call."""
    text = json.dumps(event(name))
    first, second = event("create a")["Unique-ID"], event("create b")["Unique-ID"]
    text = text.replace(first, call).replace(second, f"{call}-b")
    read: dict[str, str] = json.loads(text)
    if number:
        read["variable_pool_number"] = number
    return read


class EventSocket:
    """Answers the daemon's requests from `channels`, `variables` and `registrations`, and sends
    what the test says. `piece_bytes`: writes go out in pieces of that size.
    """

    def __init__(self) -> None:
        self.core = CORE
        self.password = PASSWORD
        self.channels: list[str] = []
        self.variables: dict[str, dict[str, str]] = {}
        self.registrations: list[dict[str, str]] = []
        self.gateways: dict[str, str] = {}
        self.asked: list[str] = []
        self.killed: list[str] = []
        self.answers: dict[str, str] = {}
        self.connections = 0
        self.piece_bytes = 0
        self.port = 0
        self._sequence = 22_000
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._listening: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            self.cut()
            self._server = None

    @property
    def heard(self) -> bool:
        """Whether a client has subscribed."""
        return bool(self._listening)

    def cut(self) -> None:
        """Cut every connection."""
        for writer in self._writers | self._listening:
            writer.transport.abort()
        self._listening.clear()

    async def say(self, told: dict[str, str], *, skip: int = 0) -> None:
        """Send an event of the present time and this run. `skip`: earlier events that got lost."""
        self._sequence += 1 + skip
        now = {
            "Core-UUID": self.core,
            "Event-Sequence": str(self._sequence),
            "Event-Date-Timestamp": str(time.time_ns() // 1000),
        }
        body = json.dumps({**told, **now}, ensure_ascii=False).encode()
        head = f"Content-Length: {len(body)}\nContent-Type: text/event-json\n\n"
        await self.raw(head.encode() + body)

    async def raw(self, data: bytes) -> None:
        """Send bytes unchanged to every subscribed client."""
        for writer in list(self._listening):
            await self._write(writer, data)

    def begin(self, call: str, number: str = "") -> None:
        """Add two channels of a call to the list."""
        for channel in (call, f"{call}-b"):
            self.channels.append(channel)
            self.variables[channel] = {"pool_call": call, "pool_number": number}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        try:
            await self._write(writer, PIECES["auth request"])
            while line := (await reader.readuntil(b"\n\n")).decode().strip():
                await self._answer(writer, line)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._writers.discard(writer)
            self._listening.discard(writer)
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, line: str) -> None:
        self.asked.append(line)
        verb, _, rest = line.partition(" ")
        if verb == "api":
            body = self._api(rest).encode()
            head = f"Content-Type: api/response\nContent-Length: {len(body)}\n\n"
            await self._write(writer, head.encode() + body)
        elif verb == "auth" and rest != self.password:
            await self._write(writer, b"Content-Type: command/reply\nReply-Text: -ERR invalid\n\n")
        elif verb == "auth":
            await self._write(writer, PIECES["auth accepted"])
        else:
            assert line.startswith("event json "), line
            await self._write(writer, PIECES["subscribed"])
            self._listening.add(writer)

    def _api(self, line: str) -> str:
        if line in self.answers:
            return self.answers[line]
        words = line.split()
        if words[0] == "global_getvar":
            return self.core
        if words[0] == "uuid_getvar":
            if words[1] not in self.channels:
                return "-ERR No such channel!\n"
            return self.variables.get(words[1], {}).get(words[2], "") or "_undef_"
        if words[0] == "uuid_kill":
            self.killed.append(words[1])
            return "+OK\n"
        if words[:2] == ["sofia", "xmlstatus"]:
            state = self.gateways.get(words[3], "")
            return f"<gateway><name>{words[3]}</name><state>{state}</state></gateway>"
        if words[:2] == ["show", "channels"]:
            return _listing([{"uuid": channel} for channel in self.channels])
        assert line == "show registrations as json", line
        return _listing(self.registrations)

    async def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        size = self.piece_bytes or len(data) or 1
        with contextlib.suppress(OSError):
            for start in range(0, len(data), size):
                writer.write(data[start : start + size])
                await writer.drain()


def _listing(rows: list[dict[str, str]]) -> str:
    """Return the output of `show … as json`: without rows, it has no key for them."""
    if not rows:
        return '{"row_count": 0}\n'
    return json.dumps({"row_count": len(rows), "rows": rows}, separators=(",", ":"))


@contextlib.asynccontextmanager
async def running(daemon: Daemon) -> AsyncIterator[asyncio.Task[None]]:
    """Run a daemon during the block. Its failure fails the test."""
    task = asyncio.create_task(daemon.run())
    try:
        yield task
        assert not task.done(), task
    finally:
        task.cancel()
        (end,) = await asyncio.gather(task, return_exceptions=True)
    if isinstance(end, Exception):
        raise end
