"""An accepted WebSocket of a peer: it registers, then frames go both ways until one side ends."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NoReturn

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.live.closing import close_socket, is_disconnect
from poolsite.live.reading import Allowance
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import frames
from queueing.dispatch.frames import FRAME_LIMIT_BYTES, Codec, MalformedFrameError, size_of
from queueing.dispatch.links import closes
from queueing.dispatch.links.closes import Close
from queueing.dispatch.links.delivery import Delivery, Send
from queueing.dispatch.links.directory import GroupRef
from queueing.dispatch.links.hub import PeerHub
from queueing.dispatch.links.inbound import BATCH, ClosedError, Inbound
from queueing.dispatch.links.registration import hello, register
from queueing.dispatch.links.waiting import first_of

logger = logging.getLogger(__name__)

Receive = Callable[[], Awaitable[dict[str, Any]]]

REGISTER_SECONDS = 10.0
FRAMES_QUEUED = 256
FRAMES_PER_SECOND = 2_000.0
FRAMES_AT_ONCE = 10_000.0
BEATS_PER_SECOND = 20.0
BEATS_AT_ONCE = 40.0
ACK_FRAMES = 64
ACK_SECONDS = 0.05
GOODBYE_SECONDS = 2.0
FAREWELL_SECONDS = 5.0

_ENDED = {4401: "the token ended", 4403: "the right was taken away"}


class PeerSocket:
    """A peer's socket. The hub uses `slug`, `peer`, `link` and `delivery`."""

    def __init__(
        self,
        hub: PeerHub,
        group: GroupRef,
        side: str,
        codec: Codec,
        principal: Principal,
        receive: Receive,
        send: Send,
    ) -> None:
        self._hub, self._group, self._side, self._codec = hub, group, side, codec
        self._principal = principal
        self._receive, self._send = receive, send
        self._loop = asyncio.get_running_loop()
        self._closing: asyncio.Future[Close] = self._loop.create_future()
        self._frames: asyncio.Queue[frames.Incoming] = asyncio.Queue(FRAMES_QUEUED)
        self._all = Allowance(FRAMES_PER_SECOND, FRAMES_AT_ONCE)
        self._beats = Allowance(BEATS_PER_SECOND, BEATS_AT_ONCE)
        self._heard = self._linked = False
        self._acked = 0
        self._left = commands.reasons.CONNECTION_LOST  # also if a send failed
        self._ack_timer: asyncio.TimerHandle | None = None
        self.slug = group.slug
        self.heartbeat_seconds = group.heartbeat_seconds
        self.limit_seconds = group.heartbeat_seconds * group.missed_limit
        self.heard_at = self._loop.time()
        self.link = secrets.token_hex(8)
        self.peer = ""
        self.delivery: Delivery

    async def run(self) -> None:
        """Serve until the peer, the server or a revoked right ends it."""
        watch = access.watch(self._principal, lambda code: self.close(_of_access(code)))
        try:
            async with self._hub.listening():
                await self._until_closed(self._serve())
                self._hub.remove(self)
                if self.peer:
                    await self._farewell()
        finally:
            watch.close()
        if self._closing.done():
            await self._say_goodbye(self._closing.result())

    def close(self, close: Close) -> None:
        """Close the socket."""
        if not self._closing.done():
            self._closing.set_result(close)

    def take_heard(self) -> bool:
        """Return whether frames were processed since the last call."""
        heard, self._heard = self._heard, False
        return heard

    async def _until_closed(self, work: Any) -> None:
        task = self._loop.create_task(work)
        try:
            await asyncio.wait({task, self._closing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        failure = None if task.cancelled() else task.exception()
        if isinstance(failure, ClosedError):
            self.close(failure.close)
        elif failure is not None and not is_disconnect(failure):
            logger.error("dispatch: a socket failed", exc_info=failure)
            self.close(Close(closes.FAULT, "a fault of the server"))

    async def _serve(self) -> None:
        if not await self._register():
            return
        await first_of(self._read(), self._work(), self.delivery.run(self._send))

    # -- registration -----------------------------------------------------------------------------

    async def _register(self) -> bool:
        """Send `hello` and process the registration. Return False if the peer has gone."""
        offer = await self._offer() if self._side == "back" else ""
        await self._tell(hello(self._group, offer))
        try:
            async with asyncio.timeout(REGISTER_SECONDS):
                raw = await self._next_frame()
        except TimeoutError:
            raise ClosedError(Close(closes.UNREGISTERED, "no registration within 10 s")) from None
        if raw is None:
            return False
        try:
            told = await register(
                self._group.slug, self._side, raw, offer, self.link, self._hub.process
            )
        except MalformedFrameError as error:
            await self._refuse(Close(closes.MALFORMED, str(error)))
        except commands.DispatchRefusedError as error:
            await self._refuse(closes.close_of(error.reason))
        except hotpath.HotPathError as error:
            logger.warning("dispatch: a peer of %s is not registered: %s", self.slug, error)
            await self._refuse(Close(closes.TRY_LATER, "no answer from Redis"))
        self.peer = told.peer
        first = told.frame["next"]
        self.delivery = Delivery(
            self.slug, self.peer, self.link, self._codec, self.close, first=first
        )
        self._hub.add(self)
        await self._tell(told.frame)
        if told.frame["resync"]:
            await self._tell({"op": "resync"})
        self.delivery.begin(told.sent, held=told.held)
        self._acked = int(told.frame["received"])
        self._inbound = Inbound(self.slug, self.peer, self.link, self._acked)
        self._linked = True
        return True

    async def _offer(self) -> str:
        try:
            return await hotpath.arun(commands.offer(self.slug))
        except commands.DispatchRefusedError as error:
            raise ClosedError(closes.close_of(error.reason)) from None
        except hotpath.HotPathError:
            raise ClosedError(Close(closes.TRY_LATER, "no answer from Redis")) from None

    async def _refuse(self, close: Close) -> NoReturn:
        await self._tell({"op": "refused", "reason": close.reason})
        raise ClosedError(close)

    async def _tell(self, frame: dict[str, Any]) -> None:
        await self._send(self._codec.message(frame))

    # -- in ---------------------------------------------------------------------------------------

    async def _next_frame(self) -> dict[str, Any] | None:
        """Return the next frame as a mapping, or None if the peer has gone. Raise ClosedError."""
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            silent = self._loop.time() - self.heard_at >= self.limit_seconds
            self._left = closes.lost_reason(message, silent=silent)
            return None
        if size_of(message) > FRAME_LIMIT_BYTES:
            raise ClosedError(Close(closes.TOO_BIG, f"more than {FRAME_LIMIT_BYTES} bytes"))
        if not self._all.take():
            raise ClosedError(Close(closes.TOO_MANY, "too many frames"))
        try:
            return self._codec.parse(message)
        except MalformedFrameError as error:
            raise ClosedError(Close(closes.MALFORMED, str(error))) from None

    async def _read(self) -> None:
        """Read frames until the peer goes.

        If a fault of the peer ends the socket, process the earlier frames first: they may already
        be in Redis and must then be acknowledged.
        """
        try:
            await self._read_frames()
        except ClosedError:
            with suppress(TimeoutError):
                async with asyncio.timeout(GOODBYE_SECONDS):
                    await self._frames.join()
            raise

    async def _read_frames(self) -> None:
        while True:
            raw = await self._next_frame()
            if raw is None:
                return
            try:
                frame = frames.read(raw)
            except MalformedFrameError as error:
                raise ClosedError(Close(closes.MALFORMED, str(error))) from None
            if isinstance(frame, frames.Beat) and not self._beats.take():
                raise ClosedError(Close(closes.TOO_MANY, "too many heartbeats"))
            await self._frames.put(frame)

    async def _work(self) -> None:
        while True:
            taken = [await self._frames.get()]
            while not self._frames.empty() and len(taken) < BATCH:
                taken.append(self._frames.get_nowait())
            await self._do(taken)
            for _ in taken:
                self._frames.task_done()
            self.heard_at = self._loop.time()
            self._heard = True  # only now: the frame itself must be processed before its heartbeat
            if self.delivery.held:
                await self._hub.tell_heard(self.slug, [self])

    async def _do(self, taken: list[frames.Incoming]) -> None:
        run: list[frames.Counted] = []
        ack = 0
        for frame in taken:
            if isinstance(frame, frames.Sequenced):
                run.append(frame)
            elif isinstance(frame, frames.Ack):
                ack = max(ack, frame.seq)
            elif isinstance(frame, frames.Resync):
                await self._count(run)
                run = []
                await self._inbound.resync(frame)
        await self._count(run)
        if ack:
            await self._inbound.ack(ack)

    async def _count(self, run: list[frames.Counted]) -> None:
        if not run:
            return
        if await self._inbound.counted(run):
            self.delivery.release()
        if self._inbound.done - self._acked >= ACK_FRAMES or run[0].seq <= self._acked:
            self._send_ack()
        elif self._ack_timer is None:
            self._ack_timer = self._loop.call_later(ACK_SECONDS, self._send_ack)

    def _send_ack(self) -> None:
        if self._ack_timer is not None:
            self._ack_timer.cancel()
            self._ack_timer = None
        self._acked = self._inbound.done
        self.delivery.put({"op": "ack", "seq": self._acked, **self._inbound.refusals()})

    # -- the end ----------------------------------------------------------------------------------

    async def _farewell(self) -> None:
        """Report the link's end to the group, which would otherwise notice it later."""
        reason = self._closing.result().reason if self._closing.done() else self._left
        try:
            async with asyncio.timeout(FAREWELL_SECONDS):
                await hotpath.arun(commands.lost(self.slug, self.peer, self.link, reason[:100]))
        except (hotpath.HotPathError, TimeoutError) as error:
            logger.warning("dispatch: %s of %s is lost, untold: %s", self.peer, self.slug, error)

    async def _say_goodbye(self, close: Close) -> None:
        """Close the socket after sending the acknowledgement and the queued frames.

        If the group's data is lost, nothing else has the acknowledgement, and the peer would repeat
        frames that were processed.
        """
        if self._linked:
            self._send_ack()
            await self._say(self.delivery.finish(self._send))
        await self._say(close_socket(self._send, close.code, close.reason))

    @staticmethod
    async def _say(sending: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(GOODBYE_SECONDS):
                await sending
        except Exception as failure:
            if not is_disconnect(failure):
                raise


def _of_access(code: int) -> Close:
    return Close(code, _ENDED.get(code, "rights cannot be read"))
