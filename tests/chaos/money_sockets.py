"""A storm of sockets on one account's balance, and readers that must stay correct in it."""

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

import httpx
import websockets
from websockets.asyncio.client import ClientConnection, connect

from tests.chaos.money_load import TIMEOUT_SECONDS, Chatbot, client_of
from tests.chaos.stack import Stack
from tests.support.waiting import patient

READERS = 10
SOCKETS_AT_ONCE = 25
STORM_SECONDS = 90.0
LOOK_SECONDS = 20.0


@dataclass
class Reader:
    """A socket of the balance that stays: what it shows, and whether it knows of its gaps."""

    number: int
    shown: dict[int, Any] = field(default_factory=dict)
    last: int | None = None
    gaps: int = 0
    frames: int = 0
    wrong: str = ""

    def take(self, frame: dict[str, Any]) -> bool:
        """Take a frame. Return whether the reader missed one and must fetch the balance."""
        balance, previous = frame["balance"], frame["previous"]
        missed = previous != self.last
        if self.last is not None and balance["seq"] < self.last:
            self.wrong = f"reader {self.number} went back from {self.last} to {balance['seq']}"
        self.frames += 1
        self.gaps += missed
        self.last = balance["seq"]
        self.shown[balance["seq"]] = balance
        return bool(missed)


@dataclass
class Storm:
    """The results. `stored`: the balance by its sequence number, fetched during the storm."""

    reconnects: int = 0
    readers: list[Reader] = field(default_factory=list)
    stored: dict[int, Any] = field(default_factory=dict)

    @property
    def frames(self) -> int:
        return sum(reader.frames for reader in self.readers)

    @property
    def gaps(self) -> int:
        return sum(reader.gaps for reader in self.readers)

    @property
    def wrong(self) -> list[str]:
        return [reader.wrong for reader in self.readers if reader.wrong]


_FIGURES = ("spendable", "held", "receivable", "status")


def shown_is_stored(storm: Storm) -> list[str]:
    """Return the readers that differ from what is stored, or that never saw the storm's end."""
    found = []
    for reader in storm.readers:
        both = reader.shown.keys() & storm.stored.keys()
        differing = [
            seq
            for seq in both
            if any(reader.shown[seq][name] != storm.stored[seq][name] for name in _FIGURES)
        ]
        if differing:
            found.append(f"reader {reader.number} showed other figures at {sorted(differing)[:3]}")
        elif not both:
            found.append(f"reader {reader.number} never showed what was stored")
    return found


def storm(stack: Stack, chatbot: Chatbot, reconnects: int) -> Storm:
    """Open and close `reconnects` sockets of one account's balance, with some readers that stay."""
    return asyncio.run(_storm(stack, chatbot, reconnects))


async def _storm(stack: Stack, chatbot: Chatbot, reconnects: int) -> Storm:
    its = Storm(readers=[Reader(number) for number in range(READERS)])
    over, calm = asyncio.Event(), asyncio.Event()
    each = [_read(stack, chatbot, reader, calm) for reader in its.readers]
    readers = [asyncio.create_task(one) for one in each]
    looking = asyncio.create_task(_look(stack, chatbot, its, over))
    try:
        async with asyncio.timeout(patient(STORM_SECONDS)):
            while its.reconnects < reconnects:
                comers = [_come_and_go(stack, chatbot, n) for n in range(SOCKETS_AT_ONCE)]
                its.reconnects += sum(await asyncio.gather(*comers))
    except TimeoutError:
        raise RuntimeError(f"only {its.reconnects} sockets in {STORM_SECONDS:.0f} s") from None
    finally:
        over.set()
        await looking
        calm.set()
        await asyncio.gather(*readers)
    return its


def _socket(stack: Stack, chatbot: Chatbot, place: int) -> connect:
    port = stack.web_ports[place % 2]
    return connect(
        f"ws://127.0.0.1:{port}/ws/accounts/{chatbot['account']}/balance/",
        additional_headers={"Authorization": f"Bearer {chatbot['token']}"},
        open_timeout=TIMEOUT_SECONDS,
        close_timeout=1.0,
        proxy=None,
    )


async def _come_and_go(stack: Stack, chatbot: Chatbot, place: int) -> bool:
    """Open a socket, read its first frame, and drop it. Return whether it was let in."""
    try:
        socket = await _socket(stack, chatbot, place)
        await asyncio.wait_for(socket.recv(), TIMEOUT_SECONDS)
        socket.transport.abort()
    except (OSError, TimeoutError, websockets.WebSocketException):
        return False
    return True


async def _read(stack: Stack, chatbot: Chatbot, reader: Reader, calm: asyncio.Event) -> None:
    """Read until the storm is over.

    Reconnect if thrown out, and fetch the balance if one was missed.
    """
    while not calm.is_set():
        try:
            async with _socket(stack, chatbot, reader.number) as socket:
                reader.last = None
                await _read_socket(stack, chatbot, reader, socket, calm)
        except (OSError, TimeoutError, websockets.WebSocketException):
            await asyncio.sleep(0.2)


async def _read_socket(
    stack: Stack, chatbot: Chatbot, reader: Reader, socket: ClientConnection, calm: asyncio.Event
) -> None:
    while not calm.is_set():
        try:
            text = await asyncio.wait_for(socket.recv(), 0.5)
        except TimeoutError:
            continue
        if reader.take(json.loads(text)):
            async with _async_client(stack, chatbot, reader.number) as client:
                balance = (await client.get("balance")).json()
            reader.shown[balance["seq"]] = balance


async def _look(stack: Stack, chatbot: Chatbot, its: Storm, over: asyncio.Event) -> None:
    """Fetch what is stored until every reader has shown it, for at most 20 s after the storm."""
    deadline = 0.0
    async with _async_client(stack, chatbot, 0) as client:
        while not deadline or (shown_is_stored(its) and time.monotonic() < deadline):
            if over.is_set():
                deadline = deadline or time.monotonic() + patient(LOOK_SECONDS)
            try:
                answer = await client.get("balance")
            except httpx.HTTPError:
                continue
            if answer.status_code == 200:
                its.stored[answer.json()["seq"]] = answer.json()
            await asyncio.sleep(0.1)


def _async_client(stack: Stack, chatbot: Chatbot, place: int) -> httpx.AsyncClient:
    its = client_of(stack, place, chatbot)
    return httpx.AsyncClient(
        base_url=its.base_url, headers=its.headers, timeout=its.timeout, trust_env=False
    )
