"""A peer's link to the dispatcher: connects, registers, beats, reads, writes, reconnects."""

import asyncio
import logging
import random
from collections.abc import Coroutine
from typing import Any, Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from .codec import Frame, codec
from .errors import RefusedError
from .outgoing import Outgoing
from .settings import Settings

logger = logging.getLogger(__name__)

FINAL_CODES = frozenset({4400, 4401, 4403, 4404, 4410})  # connecting again would change nothing
FRAME_LIMIT_BYTES = 1 << 20
CLOSE_SECONDS = 2.0
LONGEST_NAMED_SECONDS = 60.0  # a pause that the dispatcher names is respected up to this
_LOST = (OSError, InvalidHandshake, ConnectionClosed, ValueError, KeyError, TypeError)


class Owner(Protocol):
    """The calls that a link makes to its peer."""

    def on_registration(self, hello: Frame) -> Frame:
        """Return the frame that answers the dispatcher's hello."""

    def on_registered(self, frame: Frame) -> bool:
        """Handle an accepted registration. Return whether unacknowledged frames are sent again."""

    def is_void(self, frame: Frame) -> bool:
        """Whether a frame belongs to an earlier ID of the peer, so that this link can't send it."""

    def on_resync(self) -> list[Frame]:
        """Return the frames that list the peer's sessions. The dispatcher has lost its data."""

    def on_linked(self) -> None:
        """The link is registered. Nothing was sent on it yet."""

    def on_given_up(self, frames: list[Frame]) -> None:
        """Handle frames of an earlier link whose outcome is unknown."""

    def on_frame(self, frame: Frame) -> None:
        """Handle a frame that the link does not handle itself.

        On ValueError, the link is reopened.
        """

    def on_unlinked(self, reason: str) -> None:
        """The link is lost. Another one follows unless the peer was stopped or refused."""


class Link:
    """Keeps one socket open while `run` runs."""

    def __init__(self, settings: Settings, side: str, owner: Owner, outgoing: Outgoing) -> None:
        self._settings = settings
        self._side = side
        self._owner = owner
        self._outgoing = outgoing
        self._codec = codec(binary=settings.binary)
        self._socket: ClientConnection | None = None
        self._heard_at = 0.0
        self._beat_seconds = 5.0
        self._silence_seconds = 15.0
        self.links = 0  # how many times it was registered

    async def run(self) -> None:
        """Connect again and again. Raise RefusedError when another attempt cannot succeed."""
        attempt = failures = 0
        while True:
            before, named = self.links, 0.0
            try:
                await self._once(attempt)
                reason = "closed"
            except _LOST as error:
                reason = _told(error)
                named = _named_seconds(error)
                code = _code(error)
                if code in FINAL_CODES:
                    raise RefusedError(code, reason.removeprefix(f"{code} ")) from None
            finally:
                self._outgoing.pause()
            failures = 0 if self.links > before else failures + 1
            attempt += 1
            self._owner.on_unlinked(reason)
            await asyncio.sleep(max(named, self._pause_seconds(failures)))

    def _pause_seconds(self, failures: int) -> float:
        pauses = self._settings.backoff_seconds
        seconds = pauses[min(failures, len(pauses) - 1)]
        return seconds * random.uniform(0.5, 1.0)  # noqa: S311  spread, not secrecy

    async def _once(self, attempt: int) -> None:
        settings = self._settings
        async with connect(
            settings.address(attempt, self._side),
            additional_headers={"Authorization": f"Bearer {settings.token}"},
            subprotocols=[Subprotocol(self._codec.subprotocol)],
            open_timeout=settings.open_seconds,
            close_timeout=CLOSE_SECONDS,
            ping_interval=None,  # the protocol has its own heartbeat, in both directions
            max_size=FRAME_LIMIT_BYTES,
            compression=None,
            proxy=settings.proxy,
            ssl=settings.ssl,
        ) as socket:
            self._socket = socket
            try:
                await self._register(socket)
                await self._serve(socket)
            finally:
                self._socket = None

    # -- registration ---------------------------------------------------------------------------

    async def _register(self, socket: ClientConnection) -> None:
        async with asyncio.timeout(self._settings.open_seconds):
            hello = self._codec.decode(await socket.recv())
            if hello["op"] != "hello":
                raise ValueError(f"{hello['op']} in place of hello")
            self._beat_seconds = float(hello["heartbeat_seconds"])
            self._silence_seconds = self._beat_seconds * int(hello["missed_limit"])
            await self.send(self._owner.on_registration(hello))
            answer = self._codec.decode(await socket.recv())
            if answer["op"] != "registered":
                await socket.wait_closed()
                reason = str(answer.get("reason", answer["op"]))
                raise _ClosedError(socket.close_code or 0, reason)
            again = self._owner.on_registered(answer)
            if answer["resync"]:
                await self._resync(socket)
        given_up = self._outgoing.begin(
            int(answer["received"]),
            again=again,
            refusals_until=int(answer.get("sent", 0)),  # absent in the previous release
            forgot=bool(answer["resync"]),
            is_void=self._owner.is_void,
        )
        self.links += 1
        self._owner.on_linked()
        self._owner.on_given_up(given_up)
        await self._outgoing.acknowledge(int(answer["received"]))  # wakes waiting senders

    async def _resync(self, socket: ClientConnection) -> None:
        """Answer the dispatcher's resync request before sending anything that builds on it."""
        asked = self._codec.decode(await socket.recv())
        if asked["op"] != "resync":
            raise ValueError(f"{asked['op']} in place of resync")
        for frame in self._owner.on_resync():
            await self.send(frame)

    # -- traffic --------------------------------------------------------------------------------

    async def _serve(self, socket: ClientConnection) -> None:
        self._heard_at = _now()
        if not self._outgoing.waiting:
            await self.send({"op": "beat"})  # the dispatcher holds frames until our first
        try:
            await _first_of(self._read(socket), self._write(), self._beat(), self._listen())
        except _ClosedError:
            # Read what arrived before the close. It may contain acknowledgements and refusals.
            await self._read(socket)
            raise

    async def _read(self, socket: ClientConnection) -> None:
        async for data in socket:
            self._heard_at = _now()
            frame = self._codec.decode(data)
            if frame["op"] == "ack":
                refused = frozenset(frame.get("refused", ()))
                await self._outgoing.acknowledge(int(frame["seq"]), refused)
            elif frame["op"] != "beat":
                self._owner.on_frame(frame)
        code, reason = socket.close_code or 1006, socket.close_reason or ""
        raise _ClosedError(code, reason)

    async def _write(self) -> None:
        while True:
            await self.send(await self._outgoing.next())

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._beat_seconds)
            await self.send({"op": "beat"})

    async def _listen(self) -> None:
        while True:
            left = self._heard_at + self._silence_seconds - _now()
            if left <= 0:
                raise OSError("the dispatcher is silent")
            await asyncio.sleep(left)

    async def send(self, frame: Frame) -> None:
        """Send an unnumbered frame now. Raise OSError if there is no link."""
        if self._socket is None:
            raise OSError("no link")
        try:
            await self._socket.send(self._codec.encode(frame))
        except ConnectionClosed as error:
            raise _ClosedError(_code(error), _told(error)) from None

    def cut(self) -> None:
        """Drop the connection without a close frame."""
        if self._socket is not None:
            self._socket.transport.abort()


class _ClosedError(OSError):
    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}".strip())
        self.code = code


def _named_seconds(error: BaseException) -> float:
    """Return the bounded pause in the `Retry-After` of a refused handshake; 0 without one."""
    if not isinstance(error, InvalidStatus):
        return 0.0
    named = error.response.headers.get("Retry-After", "")
    plain = named.isascii() and named.isdecimal() and len(named) < 9
    return min(float(named), LONGEST_NAMED_SECONDS) if plain else 0.0


def _code(error: Exception) -> int:
    if isinstance(error, _ClosedError):
        return error.code
    if isinstance(error, ConnectionClosed):
        return error.rcvd.code if error.rcvd else 1006
    return 0


def _told(error: Exception) -> str:
    if isinstance(error, ConnectionClosed) and error.rcvd:
        return f"{error.rcvd.code} {error.rcvd.reason}".strip()
    return str(error) or type(error).__name__


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _first_of(*work: Coroutine[Any, Any, None]) -> None:
    """Run all until the first one ends, then cancel the rest.

    Raise the first one's error, if any.
    """
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
