"""Application-server instances that answer sessions, get a number for each, and hang up."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from integrations.dispatch_client import (
    DispatchError,
    Instance,
    InstanceHandler,
    Sent,
    Settings,
)
from integrations.simulator.dispatch.caller import Caller

logger = logging.getLogger(__name__)

HANG_UP = "bye"  # how an instance ends a session that went well
NO_NUMBER = "no number"
NO_SESSION = 481  # the answer in a session that it does not hold
AGAIN_SECONDS = 0.3  # a message for a pending front-end is refused and sent again


class SimulatedInstance(InstanceHandler):
    """One name of the group. Its process may end, and come back with another version."""

    def __init__(self, settings: Settings, name: str, capacity: int, caller: Caller | None) -> None:
        self.name, self.version = name, ""
        self._settings, self._capacity, self._caller = settings, capacity, caller
        self._link: Instance | None = None
        self._work: set[asyncio.Task[None]] = set()
        self._answers: dict[str, dict[str, Any]] = {}  # of running sessions
        self.served = 0

    @property
    def sessions(self) -> int:
        """How many sessions the instance holds."""
        return len(self._link.sessions) if self._link is not None else 0

    async def start(self, version: str) -> None:
        """Start a new incarnation, which registers under the name."""
        self.version = version
        self._link = Instance(
            self._settings, self, name=self.name, version=version, capacity=self._capacity
        )
        await self._link.start_link()

    async def stop(self) -> None:
        """Stop cleanly. The sessions that it still serves are lost."""
        await self._end(gently=True)

    async def die(self) -> None:
        """End as after a crash."""
        await self._end(gently=False)

    async def _end(self, *, gently: bool) -> None:
        link, self._link = self._link, None
        for task in self._work:
            task.cancel()
        if link is not None:
            held = list(link.sessions)
            await (link.stop() if gently else link.abort())
            for session in held:
                await self._release(session)

    def flap(self) -> None:
        """Break the connection for a moment."""
        if self._link is not None:
            self._link.cut()

    # -- sessions ---------------------------------------------------------------------------------

    async def started(self, session: str, front: str, body: Any) -> None:
        """Answer with a number. Hang up after a while if this is the end that should."""
        self._begin(self._serve(session, body if isinstance(body, dict) else {}))

    async def message(self, session: str, body: Any) -> None:
        """Answer every message of a session."""
        if self._link is not None:
            status = 200 if session in self._link.sessions else NO_SESSION
            await self._link.send(session, {"status": status})

    async def ended(self, session: str, reason: str, body: Any) -> None:
        """Return the number to the pool."""
        self._begin(self._release(session))

    async def _serve(self, session: str, body: dict[str, Any]) -> None:
        link = self._link
        if link is None:
            return
        self.served += 1
        # Send "ringing" first, so that a slow pool doesn't cause a lost session.
        self._answers[session] = {"status": 180}
        await self._answer(link, session)
        number = ""
        if self._caller is not None:
            number = await self._caller.call(self._call_id(session), str(body.get("to", "")))
        if self._caller is not None and not number:
            self._answers.pop(session, None)
            await link.end(session, NO_NUMBER, {"status": 480})
            return
        if session not in link.sessions:
            await self._release(session)  # it ended during the pool's answer
            return
        self._answers[session] = {"status": 200, "number": number}
        await self._answer(link, session)
        if body.get("ends") == "instance":
            await asyncio.sleep(float(body.get("seconds", 20)))
            if session in link.sessions:
                await link.end(session, HANG_UP)
                await self._release(session)

    async def _answer(self, link: Instance, session: str) -> None:
        """Send the newest answer, and repeat it in the background until it arrives."""
        sent = await link.send(session, self._answers[session])
        self._begin(self._answer_again(link, session, sent))

    async def _answer_again(self, link: Instance, session: str, sent: Sent) -> None:
        """Send the newest answer again as long as it is refused and the session is open."""
        while (await sent).state == "refused":
            await asyncio.sleep(AGAIN_SECONDS)
            if session not in link.sessions or session not in self._answers:
                return
            sent = await link.send(session, self._answers[session])

    async def _release(self, session: str) -> None:
        self._answers.pop(session, None)
        if self._caller is not None:
            await self._caller.hang_up(self._call_id(session))

    def _call_id(self, session: str) -> str:
        return f"{session.replace('/', '-')}@{self.name}"

    def _begin(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._work.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if task.cancelled() or task.exception() is None:
            return
        if not isinstance(task.exception(), DispatchError):  # stopped in between, as expected
            logger.error("%s: a session failed", self.name, exc_info=task.exception())
