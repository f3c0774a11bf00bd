"""Processes what a registered peer sends, in order. Numbered frames share a pipeline."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, TypeVar

from poolsite import hotpath, tracing
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import frames
from queueing.dispatch.dispatcher import reasons
from queueing.dispatch.frames import MalformedFrameError
from queueing.dispatch.links.closes import FOREIGN_SESSION, MALFORMED, TRY_LATER, Close, close_of

logger = logging.getLogger(__name__)

T = TypeVar("T")
BATCH = 32
OUTBOX_FRAMES = 200
PATIENCE_SECONDS = 20.0
RETRY_SECONDS = (0.05, 0.2, 0.5, 1.0)


class ClosedError(Exception):
    """The socket must be closed. `close` has the code and reason."""

    def __init__(self, close: Close) -> None:
        super().__init__(close.reason)
        self.close = close


class Inbound:
    """Processes the frames of a peer. Repeating a frame is harmless, because it has a number.

    `done` is the number of the last processed numbered frame, also from earlier links.
    """

    def __init__(self, slug: str, peer: str, link: str, done: int) -> None:
        self._slug, self._peer, self._link = slug, peer, link
        self.done = done
        self._refused: list[int] = []
        self._is_front = commands.is_front(peer)
        self._own = commands.id_of(peer) + "/"

    async def counted(self, wanted: Sequence[frames.Counted]) -> bool:
        """Process numbered frames. Return whether held frames may be sent now.

        Raise ClosedError. While Redis is away, try again for up to 20 s.
        """
        to_run = [self._command(frame) for frame in wanted]
        done, released, failures = 0, False, 0
        deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        while done < len(to_run):
            with tracing.commands("dispatch.link", len(to_run) - done):
                results = await hotpath.arun_batch(to_run[done:])
            for place, result in enumerate(results):
                if isinstance(result, hotpath.HotPathError):
                    if place == 0 or not _is_gap(result):
                        failures = await self._pause(result, failures, deadline)
                    break  # after a gap, repeat at once: the frame before was late (its slot moved)
                if result.reason == reasons.NOT_YOURS:
                    raise ClosedError(Close(FOREIGN_SESSION, "a session of another peer"))
                await self._note(wanted[done], result)
                self.done = max(self.done, wanted[done].seq)
                done += 1
                released = released or result.released
        return released

    async def ack(self, seq: int) -> None:
        """Acknowledge everything up to `seq` for the peer. Raise ClosedError."""
        await self._run(commands.ack(self._slug, self._peer, self._link, seq))

    async def resync(self, frame: frames.Resync) -> None:
        """Report sessions that the peer has. Raise ClosedError."""
        sessions = [
            (session, other, None if deadline is None else int(deadline * 1_000_000))
            for session, other, deadline in frame.sessions
        ]
        for session, _, _ in sessions:
            self._check_own(session)
        await self._run(commands.resync(self._slug, self._peer, self._link, sessions, frame.last))

    def refusals(self) -> dict[str, Any]:
        """Return the numbers of the frames refused since the last `ack`, for the next one."""
        refused, self._refused = self._refused, []
        return {"refused": refused} if refused else {}

    async def _note(self, frame: frames.Counted, result: commands.Routed) -> None:
        """Remember whether a frame was refused, for its sender. Raise ClosedError."""
        if frame.seq <= self.done:
            return  # sent twice: its sender was notified
        is_repeat = result.outcome == "repeat"  # processed in an attempt whose reply was lost
        if result.outcome == "refused" or (is_repeat and await self._is_refused(frame.seq)):
            self._refused.append(frame.seq)

    async def _is_refused(self, seq: int) -> bool:
        """Return whether the frame was refused and the peer has not acknowledged that yet."""
        first = 1
        while rows := await self._run(
            commands.outbox(self._slug, self._peer, self._link, first, OUTBOX_FRAMES)
        ):
            for _, text in rows:
                entry = commands.read_entry(text)
                if entry.kind == "refused" and int(entry.peer) == seq:
                    return True
            first = rows[-1][0] + 1
        return False

    async def _run(self, command: hotpath.Command[T]) -> T:
        failures = 0
        deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        while True:
            try:
                with tracing.commands("dispatch.link", 1):
                    return await hotpath.arun(command)
            except hotpath.HotPathError as error:
                failures = await self._pause(error, failures, deadline)

    async def _pause(self, error: hotpath.HotPathError, failures: int, deadline: float) -> int:
        """Wait before the next attempt. Raise ClosedError if there must be none."""
        if isinstance(error, commands.DispatchRefusedError):
            raise ClosedError(close_of(error.reason))
        if asyncio.get_running_loop().time() > deadline:
            raise ClosedError(Close(TRY_LATER, "no answer from Redis"))
        if not failures:
            logger.warning("dispatch: %s of %s waits: %s", self._peer, self._slug, error)
        await asyncio.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
        return failures + 1

    def _check_own(self, session: str) -> None:
        if self._is_front and not session.startswith(self._own):
            raise ClosedError(Close(FOREIGN_SESSION, "a session of another peer"))

    def _command(self, frame: frames.Counted) -> hotpath.Command[commands.Routed]:
        place = (self._slug, self._peer, self._link, frame.seq)
        if isinstance(frame, frames.Clear):
            self._front_only("clear")
            return commands.clear(*place)
        try:
            body = frame.body_text
        except MalformedFrameError as error:
            raise ClosedError(Close(MALFORMED, str(error))) from None
        if isinstance(frame, frames.Deliver):
            if not self._is_front and frame.to is None:
                raise ClosedError(Close(MALFORMED, "deliver: an instance names the front-end"))
            return commands.deliver(*place, frame.to or "", body)
        self._check_own(frame.session)
        if isinstance(frame, frames.Start):
            self._front_only("start")
            word = frame.session.partition("/")[2]
            return commands.start(
                *place, word, frame.key or "", frame.ttl_seconds, body, frame.confirm
            )
        if isinstance(frame, frames.SessionMessage):
            return commands.message(*place, frame.session, body)
        return commands.end(*place, frame.session, frame.reason, body, frame.failed)

    def _front_only(self, op: str) -> None:
        if not self._is_front:
            raise ClosedError(Close(MALFORMED, f"{op}: of front-ends only"))


def _is_gap(error: hotpath.HotPathError) -> bool:
    return isinstance(error, commands.DispatchRefusedError) and error.reason == reasons.GAP
