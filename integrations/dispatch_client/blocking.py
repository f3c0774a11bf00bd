"""The same peers with blocking calls, for several threads: each runs in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from .errors import StoppedError
from .front import BeginWords, FrontEnd, StartWords
from .handlers import FrontHandler, InstanceHandler
from .instance import Instance
from .outcomes import Outcome, Sent, Started
from .peer import Peer
from .settings import Settings

T = TypeVar("T")
HANDLER_THREADS = 8
CLOSE_SECONDS = 1.0


class BlockingHandler:
    """As `Handler`, with plain methods. They run in threads, and may block.

    At most `handler_threads` of them run at a time, those of one session one after another.
    """

    def linked(self, arrival: str) -> None:
        """See `Handler.linked`."""

    def message(self, session: str, body: Any) -> None:
        """See `Handler.message`."""

    def ended(self, session: str, reason: str, body: Any) -> None:
        """See `Handler.ended`."""

    def refused(self, session: str, what: str, reason: str) -> None:
        """See `Handler.refused`."""

    def delivered(self, sender: str, body: Any) -> None:
        """See `Handler.delivered`."""


class BlockingFrontHandler(BlockingHandler):
    """What a front-end hears."""


class BlockingInstanceHandler(BlockingHandler):
    """What an instance hears."""

    def started(self, session: str, front: str, body: Any) -> None:
        """See `InstanceHandler.started`."""


class BlockingSent:
    """A frame on its way; see `Sent`."""

    def __init__(self, sent: Sent, run: "_Thread") -> None:
        self._sent, self._run = sent, run

    @property
    def session(self) -> str:
        """The session's ID; empty for a message outside any session."""
        return self._sent.session

    @property
    def outcome(self) -> Outcome | None:
        """What became of it; None: not known yet."""
        return self._sent.outcome

    def wait(self, seconds: float | None = None) -> Outcome:
        """Wait for the outcome. Raises TimeoutError when it is not known in time."""
        return self._sent.outcome or self._run.call(self._sent.wait(), seconds)


class _Thread:
    """A thread with an event loop, and threads for the handlers."""

    def __init__(self, handler_threads: int) -> None:
        self._handlers = ThreadPoolExecutor(handler_threads, "dispatch-handler")
        self._thread = threading.Thread(target=self._run, name="dispatch", daemon=True)
        self._closing = threading.Lock()

    def start(self) -> None:
        """Begin; once."""
        self._loop = asyncio.new_event_loop()
        self._thread.start()

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.run_until_complete(_end_all(asyncio.all_tasks(self._loop)))
        self._loop.close()

    def call(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """Run it in the loop and wait for its end; given up after `seconds` (TimeoutError)."""
        with self._closing:
            if not self._thread.is_alive():
                work.close()
                raise StoppedError("stopped")
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except CancelledError:
            raise StoppedError("stopped") from None
        except BaseException:
            future.cancel()  # also when this thread is interrupted
            raise

    async def handle(self, call: Callable[..., None], *words: Any) -> None:
        """Run a handler's method in a thread."""
        await self._loop.run_in_executor(self._handlers, lambda: call(*words))

    def close(self) -> None:
        """End the loop; a second time nothing happens."""
        with self._closing:
            if self._thread.is_alive():
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
        self._handlers.shutdown(wait=False)


class _FrontBridge(FrontHandler):
    def __init__(self, run: _Thread, handler: BlockingHandler) -> None:
        self._run, self._to = run, handler

    async def linked(self, arrival: str) -> None:
        await self._run.handle(self._to.linked, arrival)

    async def message(self, session: str, body: Any) -> None:
        await self._run.handle(self._to.message, session, body)

    async def ended(self, session: str, reason: str, body: Any) -> None:
        await self._run.handle(self._to.ended, session, reason, body)

    async def refused(self, session: str, what: str, reason: str) -> None:
        await self._run.handle(self._to.refused, session, what, reason)

    async def delivered(self, sender: str, body: Any) -> None:
        await self._run.handle(self._to.delivered, sender, body)


class _InstanceBridge(_FrontBridge, InstanceHandler):
    def __init__(self, run: _Thread, handler: BlockingInstanceHandler) -> None:
        super().__init__(run, handler)
        self._started = handler.started

    async def started(self, session: str, front: str, body: Any) -> None:
        await self._run.handle(self._started, session, front, body)


class _BlockingPeer:
    """What both blocking peers have in common. Use it in a `with`, or `start_link` and `stop`."""

    _peer: Peer

    def __init__(self, handler_threads: int) -> None:
        self._run = _Thread(handler_threads)

    def __enter__(self) -> Self:
        self.start_link()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def id(self) -> str:
        """What the dispatcher knows it by."""
        return self._peer.id

    @property
    def linked(self) -> bool:
        """Whether there is a registered link now."""
        return self._peer.linked

    @property
    def sessions(self) -> list[str]:
        """The sessions that this end holds now."""
        return list(self._peer.sessions)

    def start_link(self) -> None:
        """Begin to link; `wait_registered` waits for it."""
        self._run.call(self._peer.start_link())

    def wait_registered(self, seconds: float = 30.0) -> None:
        """Wait for a link. Raises NotLinkedError when there is none in time, StoppedError."""
        self._run.call(self._peer.wait_registered(seconds))

    def send(self, session: str, body: Any = None) -> BlockingSent:
        """Send a message of a session; waits while too much is unacknowledged."""
        return self._sent(self._peer.send(session, body))

    def end(
        self, session: str, reason: str = "", body: Any = None, *, failed: bool = False
    ) -> BlockingSent:
        """End a session: the other end is told, and again until it has heard it."""
        return self._sent(self._peer.end(session, reason, body, failed=failed))

    def deliver(self, body: Any = None, to: str = "") -> BlockingSent:
        """Send a message outside any session: an instance names the front-end."""
        return self._sent(self._peer.deliver(body, to))

    def _sent(self, work: Coroutine[Any, Any, Sent]) -> BlockingSent:
        return BlockingSent(self._run.call(work), self._run)

    def flush(self, seconds: float = 10.0) -> bool:
        """Wait until all own frames are acknowledged; False: not in time."""
        return self._run.call(self._peer.flush(seconds))

    def drain(self, seconds: float) -> bool:
        """Wait until no session is left; False: not in time. See `Peer.drain`."""
        return self._run.call(self._peer.drain(seconds))

    def stop(self, seconds: float = 5.0) -> None:
        """End in order, as `Peer.stop`, then the thread. Not from a handler."""
        try:
            self._run.call(self._peer.stop(seconds))
        except StoppedError:
            return
        self._run.close()


class BlockingFrontEnd(_BlockingPeer):
    """A `FrontEnd` with blocking calls."""

    def __init__(
        self,
        settings: Settings,
        handler: BlockingFrontHandler,
        *,
        profile: str,
        peer_id: str = "",
        incarnation: str = "",
        handler_threads: int = HANDLER_THREADS,
    ) -> None:
        super().__init__(handler_threads)
        self._peer = self._front = FrontEnd(
            settings,
            _FrontBridge(self._run, handler),
            profile=profile,
            peer_id=peer_id,
            incarnation=incarnation,
        )
        self._run.start()

    def start(
        self, body: Any = None, *, seconds: float | None = None, **words: Unpack[StartWords]
    ) -> Started:
        """Begin a session and wait until an instance has accepted it; see `FrontEnd.start`.

        Raises TimeoutError after `seconds`; the session is then ended.
        """
        return self._run.call(self._front.start(body, **words), seconds)

    def begin(self, body: Any = None, **words: Unpack[BeginWords]) -> BlockingSent:
        """Have a session begun, without waiting for the answer; see `FrontEnd.begin`."""
        return self._sent(self._front.begin(body, **words))


class BlockingInstance(_BlockingPeer):
    """An `Instance` with blocking calls."""

    def __init__(
        self,
        settings: Settings,
        handler: BlockingInstanceHandler,
        *,
        name: str,
        version: str,
        capacity: int,
        weight: int = 1,
        peer_id: str = "",
        incarnation: str = "",
        handler_threads: int = HANDLER_THREADS,
    ) -> None:
        super().__init__(handler_threads)
        self._peer = Instance(
            settings,
            _InstanceBridge(self._run, handler),
            name=name,
            version=version,
            capacity=capacity,
            weight=weight,
            peer_id=peer_id,
            incarnation=incarnation,
        )
        self._run.start()


async def _end_all(tasks: set[asyncio.Task[Any]]) -> None:
    """Who waited for an outcome has been told; whatever else runs is ended."""
    if tasks:
        _, running = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
