"""What a peer has yet to be sent: its numbered frames in order, and frames without a number.

A wake contains the frame itself. Everything else (a lost wake, a burst, frames that waited while
the peer was away) is read from the outbox in Redis, so this queue can be small.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from poolsite import hotpath
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.frames import Codec
from queueing.dispatch.links.closes import TRY_LATER, Close, close_of

QUEUED_FRAMES = 256
READ_FRAMES = 200
URGENT_FRAMES = 1_000
SEND_SECONDS = 10.0
RETRY_SECONDS = 0.5

Send = Callable[[dict[str, Any]], Awaitable[None]]
OnClose = Callable[[Close], None]


class Delivery:
    """The outgoing side of a registered socket."""

    def __init__(
        self, slug: str, peer: str, link: str, codec: Codec, close: OnClose, *, first: int
    ) -> None:
        self._slug, self._peer, self._link = slug, peer, link
        self._codec = codec
        self._close = close
        self._next = first  # the number of the next frame to queue
        self._known = first - 1  # the highest number that is certain to exist
        self._ready: deque[tuple[int, str]] = deque()
        self._urgent: deque[dict[str, Any]] = deque()
        self._event = asyncio.Event()
        self._held = False
        self._look = False

    def begin(self, sent: int, *, held: bool) -> None:
        """Start with the numbers up to `sent`. `held`: they wait for the peer's first frame."""
        self._held = held
        self.tell(sent)
        self.look()  # a wake between the registration and now reached no socket

    def release(self, sent: int | None = None) -> None:
        """Send what was held, up to `sent`, because the peer's first frame came.

        After a `clear` there are fewer frames than before.
        """
        self._held = False
        if sent is not None:
            self._known = sent
        self.look()

    @property
    def held(self) -> bool:
        return self._held

    def tell(self, sent: int) -> None:
        """Note that the numbers up to `sent` exist."""
        if sent > self._known:
            self._known = sent
            self._event.set()

    def look(self) -> None:
        """Read the outbox, whatever is known: wakes may have been lost."""
        self._look = True
        self._event.set()

    def wake(self, seq: int, entry: str) -> None:
        """Queue a frame that exists now."""
        if seq == self._next and not self._held and len(self._ready) < QUEUED_FRAMES:
            self._ready.append((seq, entry))
            self._next += 1
            self._known = max(self._known, seq)
            self._event.set()
        else:
            self.tell(seq)

    def put(self, frame: dict[str, Any]) -> None:
        """Queue a frame without a number. It is sent before numbered frames."""
        if len(self._urgent) >= URGENT_FRAMES:
            self._close(Close(TRY_LATER, "too far behind"))
            return
        self._urgent.append(frame)
        self._event.set()

    async def run(self, send: Send) -> None:
        """Send until cancelled, one awaited send at a time. Close a peer that doesn't read."""
        while True:
            try:
                if await self._send_first(send):
                    continue
            except TimeoutError:
                self._close(Close(TRY_LATER, "too far behind"))
                return
            if not self._held and (self._look or self._next <= self._known):
                await self._read()
            else:
                self._event.clear()
                await self._event.wait()

    async def finish(self, send: Send) -> None:
        """Send what is queued, after `run`. If the group's data is lost, the outbox may be gone."""
        while await self._send_first(send):
            pass

    async def _send_first(self, send: Send) -> bool:
        """Send a queued frame, and return whether there was one.

        It leaves its queue after it was sent: an interrupted frame is sent again, and the peer
        drops duplicates.
        """
        queue: deque[Any]
        if self._urgent:
            queue, message = self._urgent, self._codec.message(self._urgent[0])
        elif self._ready:
            frame, body = frame_of(*self._ready[0])
            queue, message = self._ready, self._codec.message(frame, body)
        else:
            return False
        async with asyncio.timeout(SEND_SECONDS):
            await send(message)
        queue.popleft()
        return True

    async def _read(self) -> None:
        known, self._look = self._known, False
        try:
            rows = await hotpath.arun(
                commands.outbox(self._slug, self._peer, self._link, self._next, READ_FRAMES)
            )
        except commands.DispatchRefusedError as refused:
            self._close(close_of(refused.reason))
            await asyncio.Event().wait()  # the socket's end cancels this
            return
        except hotpath.HotPathError:
            self._look = True
            await asyncio.sleep(RETRY_SECONDS)
            return
        for seq, entry in rows:
            if seq >= self._next:
                self._ready.append((seq, entry))
                self._next = seq + 1
        if not rows:
            self._next = max(self._next, known + 1)  # missing numbers were dropped by `clear`


def frame_of(seq: int, text: str) -> tuple[dict[str, Any], str | None]:
    """Return a numbered frame of an outbox entry, and its body as JSON text, or None."""
    entry = commands.read_entry(text)
    frame: dict[str, Any] = {"op": entry.kind, "seq": seq}
    match entry.kind:
        case "start":
            return {**frame, "session": entry.session, "front": entry.peer}, entry.body
        case "started":
            return {**frame, "session": entry.session, "instance": entry.peer}, None
        case "message":
            return {**frame, "session": entry.session}, entry.body
        case "end":
            return {**frame, "session": entry.session, "reason": entry.reason}, entry.body
        case "deliver":
            return {**frame, "from": entry.peer}, entry.body
        case "refused":
            what = entry.body.strip('"')
            told = {"what": what, "of": int(entry.peer), "session": entry.session}
            return {**frame, **told, "reason": entry.reason}, None
        case "peer-lost":
            return {**frame, "peer": entry.peer, "reason": entry.reason}, None
    return {**frame, "session": entry.session, "reason": entry.reason}, None
