"""Front-ends and instances with blocking calls. Each peer has a thread of its own."""

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
    """Like `Handler`, with plain methods. They run in threads and may block.

    Up to `handler_threads` methods run at the same time. Those of one session run one after
    another.
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
    """The calls that a blocking front-end receives."""


class BlockingInstanceHandler(BlockingHandler):
    """The calls that a blocking instance receives."""

    def started(self, session: str, front: str, body: Any) -> None:
        """See `InstanceHandler.started`."""


class BlockingSent:
    """A frame that was queued for sending; see `Sent`."""

    def __init__(self, sent: Sent, run: "_Thread") -> None:
        self._sent, self._run = sent, run

    @property
    def session(self) -> str:
        """The session's ID; empty for a message outside any session."""
        return self._sent.session

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the frame, or None while it is not known yet."""
        return self._sent.outcome

    def wait(self, seconds: float | None = None) -> Outcome:
        """Wait for the outcome. Raise TimeoutError if it is not known in time."""
        return self._sent.outcome or self._run.call(self._sent.wait(), seconds)


class _Thread:
    """A thread with an event loop, and a pool of threads for the handlers."""

    def __init__(self, handler_threads: int) -> None:
        self._handlers = ThreadPoolExecutor(handler_threads, "dispatch-handler")
        self._thread = threading.Thread(target=self._run, name="dispatch", daemon=True)
        self._closing = threading.Lock()

    def start(self) -> None:
        """Start the thread. Call this once."""
        self._loop = asyncio.new_event_loop()
        self._thread.start()

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.run_until_complete(_end_all(asyncio.all_tasks(self._loop)))
        self._loop.close()

    def call(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """Run `work` in the loop and return its result. Raise TimeoutError after `seconds`."""
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
        """Run a handler's method in one of the handler threads."""
        await self._loop.run_in_executor(self._handlers, lambda: call(*words))

    def close(self) -> None:
        """Stop the loop and the threads. A second call does nothing."""
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
    """The common part of both peers. Use it in a `with`, or with `start_link` and `stop`."""

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
        """The ID under which the dispatcher knows the peer."""
        return self._peer.id

    @property
    def linked(self) -> bool:
        """Whether the peer has a registered link now."""
        return self._peer.linked

    @property
    def sessions(self) -> list[str]:
        """The sessions that this peer holds now."""
        return list(self._peer.sessions)

    def start_link(self) -> None:
        """Start linking to the dispatcher. `wait_registered` waits for the link."""
        self._run.call(self._peer.start_link())

    def wait_registered(self, seconds: float = 30.0) -> None:
        """Wait for a link. Raise NotLinkedError if there is none in time, or StoppedError."""
        self._run.call(self._peer.wait_registered(seconds))

    def send(self, session: str, body: Any = None) -> BlockingSent:
        """Send a message of a session. Wait while too many frames are unacknowledged."""
        return self._sent(self._peer.send(session, body))

    def end(
        self, session: str, reason: str = "", body: Any = None, *, failed: bool = False
    ) -> BlockingSent:
        """End a session. The other end is notified; a lost notice is sent again."""
        return self._sent(self._peer.end(session, reason, body, failed=failed))

    def deliver(self, body: Any = None, to: str = "") -> BlockingSent:
        """Send a message outside any session. An instance names the front-end in `to`."""
        return self._sent(self._peer.deliver(body, to))

    def _sent(self, work: Coroutine[Any, Any, Sent]) -> BlockingSent:
        return BlockingSent(self._run.call(work), self._run)

    def flush(self, seconds: float = 10.0) -> bool:
        """Wait until all frames are acknowledged. Return False if that takes too long."""
        return self._run.call(self._peer.flush(seconds))

    def drain(self, seconds: float) -> bool:
        """Wait until no session is left. Return False if that takes too long. See `Peer.drain`."""
        return self._run.call(self._peer.drain(seconds))

    def stop(self, seconds: float = 5.0) -> None:
        """Stop like `Peer.stop`, then end the thread. Don't call this from a handler."""
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
        """Start a session and wait until an instance has accepted it; see `FrontEnd.start`.

        Raise TimeoutError after `seconds`. The session is ended in that case.
        """
        return self._run.call(self._front.start(body, **words), seconds)

    def begin(self, body: Any = None, **words: Unpack[BeginWords]) -> BlockingSent:
        """Start a session without waiting for an instance to accept it; see `FrontEnd.begin`."""
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
    """Give callers that wait for an outcome time to receive it, then cancel the remaining tasks."""
    if tasks:
        _, running = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
