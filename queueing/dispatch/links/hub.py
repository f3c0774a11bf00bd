"""All peers' sockets of a process, with one Redis subscription and one heartbeat loop."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from poolsite import hotpath
from poolsite.live.wakes import Wakes
from poolsite.per_loop import PerLoop
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.dispatcher import reasons
from queueing.dispatch.links.closes import REPLACED, UNKNOWN_LINK, Close
from queueing.dispatch.links.delivery import Delivery

logger = logging.getLogger(__name__)

HEARD_SECONDS = 1.0
LISTEN_SECONDS = 2.0  # after 3 s a group counts us as away (lua/modules/group.lua)
SILENT_SLACK_SECONDS = 0.05  # Redis received the frame a little later than we did
SILENT_BATCH = 100
BEAT = {"op": "beat"}


class Registered(Protocol):
    """A socket with a registered peer, as the hub uses it."""

    slug: str
    peer: str
    link: str
    heartbeat_seconds: int
    limit_seconds: int
    heard_at: float
    delivery: Delivery

    def take_heard(self) -> bool:
        """Return whether frames came since the last call."""

    def close(self, close: Close) -> None:
        """Close the socket."""


class PeerHub:
    """The hub of an event loop, created by `hub_of_loop`. `process` is its name in Redis."""

    def __init__(self) -> None:
        self.process = secrets.token_hex(8)
        self._loop = asyncio.get_running_loop()
        self._wakes = Wakes(on_change=self._wakes_changed)
        self._sockets: dict[tuple[str, str, str], Registered] = {}
        self._beaten_at: dict[tuple[str, str, str], float] = {}
        self._listened_at: dict[str, float] = {}
        self._silences: set[asyncio.Task[None]] = set()
        self._open = 0
        self._subscribed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Receive what this process' sockets must send. Enter this before a peer registers."""
        self._open += 1
        if not self._tasks:
            self._tasks = [self._loop.create_task(each) for each in (self._keep(), self._tick())]
        try:
            await self._subscribed.wait()
            yield
        finally:
            self._open -= 1
            if not self._open:
                tasks, self._tasks = self._tasks, []
                self._subscribed.clear()
                for task in tasks:
                    task.cancel()

    async def _keep(self) -> None:
        """Keep one subscription for all sockets. Registrations wait until Redis confirms it."""
        async with self._wakes.listening([commands.process_channel(self.process)], self._woken):
            self._subscribed.set()
            await asyncio.Event().wait()

    def add(self, socket: Registered) -> None:
        """Add a socket whose peer has registered."""
        key = (socket.slug, socket.peer, socket.link)
        self._sockets[key] = socket
        self._beaten_at[key] = self._loop.time()

    def remove(self, socket: Registered) -> None:
        """Remove a socket. Calling this twice is safe."""
        key = (socket.slug, socket.peer, socket.link)
        self._sockets.pop(key, None)
        self._beaten_at.pop(key, None)

    def _woken(self, text: str) -> None:
        try:
            slug, peer, link, seq, rest = text.split("\t", 4)
        except ValueError:
            logger.warning("dispatch: nonsense on the channel of a process")
            return
        socket = self._sockets.get((slug, peer, link))
        if socket is None:
            return
        if seq == "close":
            code, _, reason = rest.partition("\t")
            again = code == str(REPLACED) and reason != reasons.REPLACED  # by an operator
            socket.close(Close(UNKNOWN_LINK if again else int(code), reason))
        else:
            socket.delivery.wake(int(seq), rest)

    def _wakes_changed(self, connected: bool) -> None:
        if connected:
            for socket in self._sockets.values():
                socket.delivery.look()

    # -- heartbeats -------------------------------------------------------------------------------

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(HEARD_SECONDS)
            self._beat()
            try:
                await self._tell_heard()
                self._expect_silence()
                await self._say_that_we_listen()
            except Exception:
                logger.exception("dispatch: heartbeats were not told")

    def _beat(self) -> None:
        now = self._loop.time()
        for key, socket in list(self._sockets.items()):
            if now - self._beaten_at[key] >= socket.heartbeat_seconds - HEARD_SECONDS / 2:
                self._beaten_at[key] = now
                socket.delivery.put(BEAT)

    async def _tell_heard(self) -> None:
        groups: dict[str, list[Registered]] = {}
        for socket in list(self._sockets.values()):
            if socket.take_heard():
                groups.setdefault(socket.slug, []).append(socket)
        for slug, sockets in groups.items():
            for start in range(0, len(sockets), commands.HEARD_LIMIT):
                await self.tell_heard(slug, sockets[start : start + commands.HEARD_LIMIT])

    async def tell_heard(self, slug: str, sockets: Sequence[Registered]) -> None:
        """Report these sockets' frames to the group, and tell each socket what waits for it."""
        now = self._loop.time()
        self._listened_at[slug] = now
        links = [
            (socket.peer, socket.link, max(0, round((now - socket.heard_at) * 1_000_000)))
            for socket in sockets
        ]
        try:
            rows = await hotpath.arun(commands.heard(slug, self.process, links))
        except commands.DispatchRefusedError as refused:
            for socket in sockets:
                socket.close(Close(UNKNOWN_LINK, refused.reason))
            return
        except hotpath.HotPathError as error:
            logger.warning("dispatch: heartbeats of %s were not told: %s", slug, error)
            return
        for socket, row in zip(sockets, rows, strict=True):
            if not row.ok:
                socket.close(Close(UNKNOWN_LINK, "register again"))
            elif socket.delivery.held:
                socket.delivery.release(row.sent)
            else:
                socket.delivery.tell(row.sent)

    async def _say_that_we_listen(self) -> None:
        """Report that we listen, for groups whose peers sent nothing: only the peers are quiet."""
        now = self._loop.time()
        slugs = {socket.slug for socket in self._sockets.values()}
        self._listened_at = {slug: self._listened_at.get(slug, 0.0) for slug in slugs}
        for slug, at in list(self._listened_at.items()):
            if now - at > LISTEN_SECONDS - HEARD_SECONDS / 2:
                await self.tell_heard(slug, [])

    # -- silence ----------------------------------------------------------------------------------

    def _expect_silence(self) -> None:
        """Plan sweeps of the groups with peers whose limit ends before the next tick or has ended.

        The sweeps repeat until the peer sends a frame or its socket ends.
        """
        now = self._loop.time()
        first: dict[str, float] = {}
        for socket in self._sockets.values():
            over = socket.heard_at + socket.limit_seconds + SILENT_SLACK_SECONDS
            wait = max(0.0, over - now)
            if wait < HEARD_SECONDS:
                first[socket.slug] = min(first.get(socket.slug, wait), wait)
        for slug, wait in first.items():
            task = self._loop.create_task(self._look_at(slug, wait))
            self._silences.add(task)
            task.add_done_callback(self._silences.discard)

    async def _look_at(self, slug: str, wait: float) -> None:
        """Sweep a group after `wait` seconds: peers that sent nothing become pending or stopped."""
        await asyncio.sleep(wait)
        try:
            await hotpath.arun(commands.sweep(slug, SILENT_BATCH))
        except hotpath.HotPathError as error:
            logger.warning("dispatch: silent peers of %s were not told: %s", slug, error)


hub_of_loop = PerLoop(PeerHub)
