"""The websocket of a balance, `/ws/accounts/{slug}/balance/`: pushes the figures when they change.

A bare ASGI application. Every frame has the whole state, its sequence number and that of the frame
before it. So only the newest frame matters, and a reader can tell that it missed one and fetch the
balance. It sends up to five frames a second. A slow reader gets fewer frames, but never outdated
ones.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from redis.exceptions import RedisError

from billing.api import reading
from billing.api.directory import wallets
from billing.schemas import BalanceFrame
from billing.services.senders import WalletRef
from billing.wallet import Balance, WalletKeys
from poolsite import access, hotpath
from poolsite.live.hub import hub_of_loop
from poolsite.live.reading import Receive, TextFrames
from poolsite.live.routing import socket
from poolsite.live.serving import ServedSocket, admit

Send = Callable[[dict[str, Any]], Awaitable[None]]

PERIOD_SECONDS = 0.2
SAFETY_SECONDS = 2.0  # wake-ups can get lost; a wallet on another Redis is read this often
SEND_SECONDS = 2.0
FRAME_BYTES = 1024  # limit for frames from the reader, which may only send "ping"
FRAMES_PER_SECOND = 20.0
FRAMES_AT_ONCE = 50.0
BEHIND = 1013


async def balance_application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Serve one socket from its handshake to its end."""
    admitted = await admit(scope, receive, send, action="billing.view", find=wallets().get)
    if admitted is not None:
        principal, ref = admitted
        await BalanceSocket(ref, principal, receive, send).run()


class BalanceSocket(ServedSocket):
    """One accepted socket that watches one wallet."""

    def __init__(
        self, ref: WalletRef, principal: access.Principal, receive: Receive, send: Send
    ) -> None:
        super().__init__(principal, send)
        self._ref = ref
        self._told = TextFrames(
            receive,
            limit_bytes=FRAME_BYTES,
            per_second=FRAMES_PER_SECOND,
            at_once=FRAMES_AT_ONCE,
        )
        self._news = asyncio.Event()
        self._sending = asyncio.Lock()

    async def run(self) -> None:
        """Push frames until either side closes the socket or the reader loses access."""
        channel = WalletKeys(self._ref.slug).wake_channel
        with self.watching():
            async with hub_of_loop().wakes.listening([channel], lambda _: self._news.set()):
                await self.serve(self._read(), self._push())
        await self.say_goodbye()

    # -- out ------------------------------------------------------------------------------------

    async def _push(self) -> None:
        """Send the state whenever its sequence number, status or generation changes."""
        previous: int | None = None
        known: tuple[int, int, str] | None = None
        while True:
            self._news.clear()
            started = self._loop.time()
            balance = await self._balance()
            if balance is not None:
                state = (balance.generation, balance.seq, balance.status)
                if state != known:
                    await self._tell(balance, previous)
                    known, previous = state, balance.seq
            await asyncio.sleep(max(0.0, started + PERIOD_SECONDS - self._loop.time()))
            if balance is None or state == known:
                await self._wait()

    async def _balance(self) -> Balance | None:
        """Return the current figures, or None if they can't be read: the last frame stays valid."""
        try:
            return await reading.balance_of(self._ref)
        except (hotpath.HotPathError, RedisError, OSError):
            return None

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(SAFETY_SECONDS):
                await self._news.wait()
        except TimeoutError:
            pass

    async def _tell(self, balance: Balance, previous: int | None) -> None:
        out = reading.balance_out(self._ref, balance)
        frame = BalanceFrame(previous=previous, balance=out)
        await self._write(orjson.dumps(frame.model_dump()).decode())

    async def _write(self, text: str) -> None:
        try:
            async with asyncio.timeout(SEND_SECONDS), self._sending:
                await self._send({"type": "websocket.send", "text": text})
        except TimeoutError:
            self.close(BEHIND)

    # -- in -------------------------------------------------------------------------------------

    async def _read(self) -> None:
        while (told := await self._told.next()) is not None:
            if isinstance(told, int):
                self.close(told)
                return
            await self._write('{"pong":true}' if _is_ping(told) else _ONLY_PING)


_ONLY_PING = '{"error":"this socket understands {\\"ping\\":true} only"}'


def _is_ping(text: str) -> bool:
    try:
        return bool(orjson.loads(text) == {"ping": True})
    except orjson.JSONDecodeError:
        return False


websocket_urlpatterns = [
    socket(r"^ws/accounts/(?P<slug>[a-z0-9-]{1,40})/balance/$", balance_application),
]
