"""The websocket of a balance, `/ws/accounts/{slug}/balance/`: the figures, pushed as they change.

A bare ASGI application. Every frame is the whole state with its sequence number and that of the
frame before it, so the newest counts and a reader that missed one can tell: it fetches the
balance. At most five frames a second; a slow reader gets fewer, never old ones.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from django.db import Error as DatabaseError
from django.urls import re_path
from redis.exceptions import RedisError

from billing.api import reading
from billing.api.directory import wallets
from billing.api.hot import decide
from billing.schemas import BalanceFrame
from billing.services.senders import WalletRef
from billing.wallet import Balance, WalletKeys
from poolsite import access, hotpath
from poolsite.live.closing import close_socket
from poolsite.live.hub import hub_of_loop

logger = logging.getLogger(__name__)

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

PERIOD_SECONDS = 0.2
SAFETY_SECONDS = 2.0  # news can get lost; a wallet on a server of its own is asked so often
SEND_SECONDS = 2.0
GOODBYE_SECONDS = 2.0
FRAME_BYTES = 1024  # of what a reader sends: nothing but "ping"
FRAMES_PER_SECOND = 20.0
FRAMES_AT_ONCE = 50.0
NOT_TEXT, TOO_BIG, FAULT, BEHIND, TOO_MANY = 1003, 1009, 1011, 1013, 4429


async def balance_application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Serve one socket from its handshake to its end."""
    await receive()
    if not access.origin_allowed(scope):
        await send({"type": "websocket.close", "code": 4403})  # before accept: HTTP 403
        return
    await send({"type": "websocket.accept"})
    try:
        principal = await access.principal_of_scope(scope)
        ref = await wallets().get(str(scope["url_route"]["kwargs"]["slug"]))
    except (RedisError, OSError, DatabaseError, hotpath.HotPathError):
        logger.warning("balance socket: rights cannot be read", exc_info=True)
        await close_socket(send, BEHIND)
        return
    decision = decide(principal, "billing.view", ref)
    if not decision or ref is None:
        await close_socket(send, decision.socket_code)
        return
    await BalanceSocket(ref, principal, receive, send).run()


class BalanceSocket:
    """One accepted socket that watches one wallet."""

    def __init__(
        self, ref: WalletRef, principal: access.Principal, receive: Receive, send: Send
    ) -> None:
        self._ref, self._principal = ref, principal
        self._receive, self._send = receive, send
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._sending = asyncio.Lock()
        self._closing: asyncio.Future[int] = self._loop.create_future()
        self._allowance, self._counted_at = FRAMES_AT_ONCE, self._loop.time()

    async def run(self) -> None:
        """Push until one side, or a lost right, ends it."""
        watch = access.watch(self._principal, self.close)
        channel = WalletKeys(self._ref.slug).wake_channel
        who = f"{self._principal.kind}:{self._principal.id}"
        async with hub_of_loop().wakes.listening([channel], lambda _: self._news.set()):
            tasks = [
                self._loop.create_task(self._read(), name=f"balance reader {who}"),
                self._loop.create_task(self._push(), name=f"balance {self._ref.slug}"),
            ]
            ends: list[asyncio.Future[Any]] = [*tasks, self._closing]
            try:
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                self._report(tasks)
            finally:
                watch.close()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        if self._closing.done():
            await self._say_goodbye(self._closing.result())

    def close(self, code: int) -> None:
        """Have the socket closed with this code."""
        if not self._closing.done():
            self._closing.set_result(code)

    def _report(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            failure = task.exception() if task.done() and not task.cancelled() else None
            if failure is not None and not _is_disconnect(failure):
                logger.error("balance socket failed", exc_info=failure)
                self.close(FAULT)

    async def _say_goodbye(self, code: int) -> None:
        try:
            async with asyncio.timeout(GOODBYE_SECONDS):
                await close_socket(self._send, code)
        except Exception as failure:
            if not _is_disconnect(failure):
                raise

    # -- out ------------------------------------------------------------------------------------

    async def _push(self) -> None:
        """Send the state whenever it has another sequence number, status or generation."""
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
        """The figures; None while they cannot be read: the last frame stands."""
        try:
            return await self._ref.path.arun(reading.balance_command(self._ref.slug))
        except (hotpath.HotPathError, RedisError, OSError):
            return None

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(SAFETY_SECONDS):
                await self._news.wait()
        except TimeoutError:
            pass

    async def _tell(self, balance: Balance, previous: int | None) -> None:
        out = reading.balance_out(self._ref.slug, self._ref.currency, balance)
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
        while True:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None:
                self.close(NOT_TEXT)
            elif len(text) > FRAME_BYTES:
                self.close(TOO_BIG)
            elif not self._within_rate():
                self.close(TOO_MANY)
            else:
                await self._write('{"pong":true}' if _is_ping(text) else _ONLY_PING)

    def _within_rate(self) -> bool:
        now = self._loop.time()
        earned = (now - self._counted_at) * FRAMES_PER_SECOND
        self._counted_at = now
        self._allowance = min(FRAMES_AT_ONCE, self._allowance + earned) - 1.0
        return self._allowance >= 0


_ONLY_PING = '{"error":"this socket understands {\\"ping\\":true} only"}'


def _is_ping(text: str) -> bool:
    try:
        return bool(orjson.loads(text) == {"ping": True})
    except orjson.JSONDecodeError:
        return False


def _is_disconnect(failure: BaseException) -> bool:
    """Whether a server's send failed because the peer has gone (uvicorn: ClientDisconnected)."""
    return isinstance(failure, OSError | TimeoutError) or "after sending" in str(failure)


websocket_urlpatterns = [
    # Channels takes ASGI applications where the stubs know views only.
    re_path(r"^ws/accounts/(?P<slug>[a-z0-9-]{1,40})/balance/$", balance_application),  # type: ignore[arg-type]
]
