"""The common part of front-ends and instances."""

import asyncio
import logging
import secrets
from contextlib import suppress
from functools import partial
from typing import Self

from .codec import Frame
from .conversation import Conversation
from .errors import DispatchError, NotLinkedError, StoppedError
from .handlers import Handler
from .incoming import Acks, Inbox, Job
from .link import Link
from .outgoing import LINK_LOST
from .settings import Settings
from .waiting import within

logger = logging.getLogger(__name__)


class Peer(Conversation):
    """A registered peer. Use it in an `async with`, or with `start_link` and `stop`.

    `id` is the ID under which the dispatcher knows the peer; it is kept when a link is lost.
    `incarnation` identifies this start of the program: it is the same on every link of one object
    and different after a restart. `failure` is the reason why there will be no more links.
    """

    side = ""
    keeps_sessions = False  # whether sessions survive if the dispatcher reports the link as new

    def __init__(
        self, settings: Settings, handler: Handler, *, peer_id: str = "", incarnation: str = ""
    ) -> None:
        self.id = peer_id
        self.incarnation = incarnation or secrets.token_hex(8)
        self.arrival = ""
        self.failure: DispatchError | None = None
        super().__init__(handler, settings.unacknowledged_limit)
        self._link = Link(settings, self.side, self, self._outgoing)
        self._inbox = Inbox()
        self._registered = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._acknowledging: asyncio.Task[None] | None = None
        self._acks = Acks(self._send_ack)

    # -- start and stop ---------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        await self.start_link()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start_link(self) -> None:
        """Start linking to the dispatcher and return at once.

        `wait_registered` waits for the link.
        """
        if self._running is None and self.failure is None:
            loop = asyncio.get_running_loop()
            self._running = loop.create_task(self._run())
            self._acknowledging = loop.create_task(self._acks.run())

    async def _run(self) -> None:
        try:
            await self._link.run()
        except DispatchError as error:
            await self._fail(error)
            self._end_here(self.sessions, str(error))
            logger.error("dispatch: %s %s is refused: %s", self.side, self.id, error)

    async def _fail(self, error: DispatchError) -> None:
        self.failure = self.failure or error
        self._registered.set()  # wakes waiting callers, which then see the failure
        await self._outgoing.close(self.failure)

    async def wait_registered(self, seconds: float = 30.0) -> None:
        """Wait for a link.

        Raise NotLinkedError if there is none in time, StoppedError if stopped.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._registered.wait()
        except TimeoutError:
            raise NotLinkedError(f"no link within {seconds} s") from None
        if self.failure is not None:
            raise self.failure

    @property
    def linked(self) -> bool:
        """Whether the peer has a registered link now."""
        return self._registered.is_set() and self.failure is None

    @property
    def links(self) -> int:
        """How many links were registered so far."""
        return self._link.links

    @property
    def unacknowledged(self) -> int:
        """How many frames of this peer the dispatcher has not acknowledged."""
        return len(self._outgoing)

    async def flush(self, seconds: float = 10.0) -> bool:
        """Wait until all frames of this peer are acknowledged.

        Return False if that takes too long.
        """
        return await within(seconds, self._outgoing.empty())

    async def drain(self, seconds: float) -> bool:
        """Wait until no session is left. Return False if that takes too long.

        Drain the instance's name in the dispatcher first (page, API, `manage.py dispatch drain`).
        Otherwise it keeps getting new sessions.
        """
        return await within(seconds, self.sessions.none_left())

    async def stop(self, seconds: float = 5.0) -> None:
        """Stop cleanly: wait for the handlers and for acknowledgements, then close the socket.

        Frames that cannot be sent within `seconds` are left to the dispatcher's timers. The other
        ends are not notified: an instance that should first finish its sessions uses `drain`.
        `ended` is called for each remaining session.
        """
        if self.linked:
            done = await within(seconds, self._settle())
            if not done:
                logger.warning("dispatch: %s stops with frames that nobody acknowledged", self.id)
        await self._unlink()
        self._end_here(self.sessions, "stopped")
        await within(seconds, self._serial.idle())
        await self._serial.aclose()

    async def _settle(self) -> None:
        await self._serial.idle()
        await self._outgoing.empty()
        with suppress(OSError):
            await self._send_ack()

    async def abort(self) -> None:
        """Stop at once: send nothing more, close the socket, call no more handlers."""
        await self._unlink()
        await self._serial.aclose()

    async def _unlink(self) -> None:
        await self._fail(StoppedError("stopped"))
        for task in (self._running, self._acknowledging):
            if task is not None and task is not asyncio.current_task():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    def cut(self) -> None:
        """Drop the link as a broken line would. The next link follows after the back-off."""
        self._link.cut()

    # -- calls from the link ----------------------------------------------------------------------

    def on_registration(self, hello: Frame) -> Frame:
        """Return the frame that registers this peer."""
        raise AssertionError("each side registers in its own way")

    def on_registered(self, frame: Frame) -> bool:
        """Adopt the frame numbers of both directions. Return whether old frames are sent again."""
        self.arrival, self.id = str(frame["arrival"]), str(frame["id"])
        if int(frame["next"]) != self._inbox.received + 1:
            self._inbox = Inbox(int(frame["next"]) - 1)
        if self.arrival in ("new", "restart") and self.links and not self.keeps_sessions:
            begun = set(self.sessions) - self._starting()
            self._end_here(begun, "the dispatcher knows it no more")
        return self.arrival != "new"

    @property
    def received(self) -> int:
        """The number of the last received frame, for the registration."""
        return self._inbox.received

    def on_resync(self) -> list[Frame]:
        """Return the frames that list this peer's sessions.

        Sessions whose start is sent again are left out.
        """
        return self.sessions.resync_frames(without=self._starting())

    def _starting(self) -> frozenset[str]:
        frames = self._outgoing.frames()
        return frozenset(str(frame["session"]) for frame in frames if frame["op"] == "start")

    def on_linked(self) -> None:
        """The link is registered. Nothing was sent on it yet."""
        self._outgoing.heard(self._inbox.received)
        self._registered.set()
        self._serial.submit("link", lambda: self._handler.linked(self.arrival))

    def on_unlinked(self, reason: str) -> None:
        """The link is lost."""
        self._registered.clear()
        logger.info("dispatch: %s %s lost its link: %s", self.side, self.id, reason)

    def on_given_up(self, frames: list[Frame]) -> None:
        """Report to the handler the frames whose outcome is unknown."""
        for frame in frames:
            self._refused(str(frame["op"]), str(frame.get("session", "")), LINK_LOST)

    def on_frame(self, frame: Frame) -> None:
        """Handle a numbered frame. A peer ignores frames without a number."""
        if "seq" not in frame:
            return
        seq, inbox = int(frame["seq"]), self._inbox
        if not inbox.take(seq):
            self._acks.due()  # the acknowledgement may have been lost
            return
        jobs = self._jobs(frame)
        self._outgoing.heard(seq)
        left = len(jobs)

        async def run(job: Job) -> None:
            nonlocal left
            try:
                await job()
            finally:
                left -= 1
                if not left:
                    self._handled(inbox, seq)

        for key, job in jobs:
            self._serial.submit(key, partial(run, job))
        if not jobs:
            self._handled(inbox, seq)

    def _handled(self, inbox: Inbox, seq: int) -> None:
        if inbox.done(seq) and inbox is self._inbox:
            self._acks.handled()

    async def _send_ack(self) -> None:
        if self.linked and self._inbox.handled:
            await self._link.send({"op": "ack", "seq": self._inbox.handled})
