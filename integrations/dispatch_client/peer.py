"""What front-ends and instances have in common."""

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
    """One registered end. Use as an asynchronous context, or `start_link` and `stop`.

    `id` is what the dispatcher knows it by; it is kept over lost links. `incarnation` names this
    start of the program: the same on every link of one object, another after a restart.
    `failure` is why there will be no link any more.
    """

    side = ""
    keeps_sessions = False  # whether sessions outlive a link that the dispatcher calls new

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

    # -- life -----------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        await self.start_link()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start_link(self) -> None:
        """Begin to link; returns at once, `wait_registered` waits."""
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
        self._registered.set()  # whoever waits is told
        await self._outgoing.close(self.failure)

    async def wait_registered(self, seconds: float = 30.0) -> None:
        """Wait for a link. Raises NotLinkedError when there is none in time, StoppedError."""
        try:
            async with asyncio.timeout(seconds):
                await self._registered.wait()
        except TimeoutError:
            raise NotLinkedError(f"no link within {seconds} s") from None
        if self.failure is not None:
            raise self.failure

    @property
    def linked(self) -> bool:
        """Whether there is a registered link now."""
        return self._registered.is_set() and self.failure is None

    @property
    def links(self) -> int:
        """How many links there have been."""
        return self._link.links

    @property
    def unacknowledged(self) -> int:
        """How many own frames the dispatcher has not acknowledged."""
        return len(self._outgoing)

    async def flush(self, seconds: float = 10.0) -> bool:
        """Wait until all own frames are acknowledged; False: not in time."""
        return await within(seconds, self._outgoing.empty())

    async def drain(self, seconds: float) -> bool:
        """Wait until no session is left; False: not in time.

        Have the instance's name drained first (page, API, `manage.py dispatch drain`), else new
        sessions keep coming.
        """
        return await within(seconds, self.sessions.none_left())

    async def stop(self, seconds: float = 5.0) -> None:
        """End in order: handlers finish, own frames are acknowledged, then the socket closes.

        What cannot be told within `seconds` is left to the dispatcher's timers. The other ends
        are not told: an instance that should first serve its sessions to their end uses `drain`.
        `ended` is called for each session that is left.
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
        """End at once: nothing more is said, the socket closes, no handler is called any more."""
        await self._unlink()
        await self._serial.aclose()

    async def _unlink(self) -> None:
        await self._fail(StoppedError("stopped"))
        for task in (self._running, self._acknowledging):
            if task is not None and task is not asyncio.current_task():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    def cut(self) -> None:
        """Drop the link as a broken line would; the next one follows after the back-off."""
        self._link.cut()

    # -- what the link tells ----------------------------------------------------------------------

    def on_registration(self, hello: Frame) -> Frame:
        """The frame that registers this end."""
        raise AssertionError("each side registers in its own way")

    def on_registered(self, frame: Frame) -> bool:
        """Take up the numbers of both directions; returns whether old frames are sent again."""
        self.arrival, self.id = str(frame["arrival"]), str(frame["id"])
        if int(frame["next"]) != self._inbox.received + 1:
            self._inbox = Inbox(int(frame["next"]) - 1)
        if self.arrival in ("new", "restart") and self.links and not self.keeps_sessions:
            begun = set(self.sessions) - self._starting()
            self._end_here(begun, "the dispatcher knows it no more")
        return self.arrival != "new"

    @property
    def received(self) -> int:
        """The number of the last frame that came, for the registration."""
        return self._inbox.received

    def on_resync(self) -> list[Frame]:
        """The sessions that this end holds; those whose start goes again are not among them."""
        return self.sessions.resync_frames(without=self._starting())

    def _starting(self) -> frozenset[str]:
        frames = self._outgoing.frames()
        return frozenset(str(frame["session"]) for frame in frames if frame["op"] == "start")

    def on_linked(self) -> None:
        """The link is up; nothing was sent on it yet."""
        self._outgoing.heard(self._inbox.received)
        self._registered.set()
        self._serial.submit("link", lambda: self._handler.linked(self.arrival))

    def on_unlinked(self, reason: str) -> None:
        """The link is gone."""
        self._registered.clear()
        logger.info("dispatch: %s %s lost its link: %s", self.side, self.id, reason)

    def on_given_up(self, frames: list[Frame]) -> None:
        """Tell of frames whose fate nobody knows."""
        for frame in frames:
            self._refused(str(frame["op"]), str(frame.get("session", "")), LINK_LOST)

    def on_frame(self, frame: Frame) -> None:
        """Take a numbered frame; others are none of a peer's business."""
        if "seq" not in frame:
            return
        seq, inbox = int(frame["seq"]), self._inbox
        if not inbox.take(seq):
            self._acks.due()  # the word about it may have been lost
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
