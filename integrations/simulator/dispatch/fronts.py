"""Front-ends that start and run sessions, and count the lost ones themselves."""

import asyncio
import logging
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from integrations.dispatch_client import DispatchError, FrontEnd, FrontHandler, Settings
from integrations.simulator.dispatch.instances import HANG_UP, NO_NUMBER, NO_SESSION

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 30.0  # longer than a flap of either end and its reconnect
ASK_SECONDS = 5.0
SPREAD = 0.3


@dataclass
class FrontTally:
    """A front-end's own count since it began. `lost` is by reason."""

    started: int = 0
    answered: int = 0
    ended: int = 0
    no_number: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        told = f"started {self.started}, answered {self.answered}, ended {self.ended}"
        return (
            f"{told}, no number {self.no_number}, refused {dict(self.refused) or 0}, "
            f"LOST {self.lost.total()} {dict(self.lost) or ''}".rstrip()
        )


@dataclass
class Call:
    """One session from its front-end's side."""

    began: float
    seconds: float
    ends: str  # who hangs up: front or instance
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)


class SimulatedFront(FrontHandler):
    """One front-end by its ID. A session is lost if neither of its two ends ended it."""

    def __init__(
        self,
        settings: Settings,
        peer_id: str,
        profile: str,
        dice: random.Random,
        *,
        session_seconds: float,
    ) -> None:
        self.peer_id, self.profile = peer_id, profile
        self.tally = FrontTally()
        self.calls: dict[str, Call] = {}
        self._settings, self._dice, self._mean = settings, dice, session_seconds
        self._link: FrontEnd | None = None
        self._work: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Open a link with the ID."""
        self._link = FrontEnd(self._settings, self, profile=self.profile, peer_id=self.peer_id)
        await self._link.start_link()

    async def stop(self) -> None:
        """Stop at once."""
        link, self._link = self._link, None
        for task in self._work:
            task.cancel()
        if link is not None:
            await link.abort()

    async def restart(self) -> None:
        """Restart: the front-end's sessions are gone. They don't count as lost."""
        await self.stop()
        self.calls.clear()
        await self.start()

    def flap(self) -> None:
        """Break the connection for a moment."""
        if self._link is not None:
            self._link.cut()

    # -- sessions ---------------------------------------------------------------------------------

    async def offer(self, per_second: float) -> None:
        """Start sessions as Poisson arrivals, again and again."""
        while True:
            await asyncio.sleep(self._dice.expovariate(per_second))
            task = asyncio.get_running_loop().create_task(self.live())
            self._work.add(task)
            task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("%s: a session failed", self.peer_id, exc_info=task.exception())

    async def live(self) -> None:
        """Run one session from its start to its end."""
        link = self._link
        if link is None or not link.linked:
            return  # no calls while the connection is broken
        seconds = self._mean * self._dice.uniform(1 - SPREAD, 1 + SPREAD)
        call = Call(time.monotonic(), seconds, self._dice.choice(("front", "front", "instance")))
        callee = "+8613" + "".join(self._dice.choice("0123456789") for _ in range(9))
        body = {"method": "INVITE", "to": callee, "seconds": seconds, "ends": call.ends}
        try:
            session = (await link.begin(body, key=callee)).session  # it may be answered at once
            self.calls[session] = call
            self.tally.started += 1
            await self._converse(link, session, call)
        except DispatchError:
            return  # restarted or stopped in between

    async def _converse(self, link: FrontEnd, session: str, call: Call) -> None:
        if not await _within(ANSWER_SECONDS, call.answered):
            self._lose(session, "no answer")
            await link.end(session, "no answer")
            return
        if await _within(call.seconds / 2, call.over):
            return
        await link.send(session, {"method": "INFO"})
        if call.ends == "instance":
            # The hang-up may be as slow as the pool. The session isn't lost while the instance
            # answers.
            while not await _within(call.seconds + ANSWER_SECONDS, call.over):
                if not await self._lives(link, session, call):
                    self._lose(session, "no hangup")
                    await link.end(session, "no hangup")
                    return
            return
        if await _within(call.seconds / 2, call.over):
            return
        if self.calls.pop(session, None) is not None:
            self.tally.ended += 1
            await link.end(session, "bye")

    async def _lives(self, link: FrontEnd, session: str, call: Call) -> bool:
        """Whether the instance answers in the session, after repeated requests."""
        call.heard.clear()
        for _ in range(max(1, round(ANSWER_SECONDS / ASK_SECONDS))):
            await link.send(session, {"method": "INFO"})
            if await _within(ASK_SECONDS, call.heard):
                return True
        return False

    def _lose(self, session: str, reason: str) -> None:
        if self.calls.pop(session, None) is not None:
            self.tally.lost[reason] += 1
            logger.warning("%s lost %s: %s", self.peer_id, session, reason)

    # -- received frames --------------------------------------------------------------------------

    async def message(self, session: str, body: Any) -> None:
        """Handle a message. The first one is the answer."""
        call = self.calls.get(session)
        if call is None:
            return
        if isinstance(body, dict) and body.get("status") == NO_SESSION:
            self._end_lost(session, call, "unknown to its instance")
            return
        call.heard.set()
        if not call.answered.is_set():
            self.tally.answered += 1
            call.answered.set()

    async def ended(self, session: str, reason: str, body: Any) -> None:
        """Count the end: as ended if the instance ended the session, else as lost."""
        call = self.calls.get(session)
        if call is None:
            return
        if reason == NO_NUMBER:
            self.tally.no_number += 1
            self.calls.pop(session)
        elif reason == HANG_UP:
            self.tally.ended += 1
            self.calls.pop(session)
        else:
            self._lose(session, reason)
        call.answered.set()
        call.over.set()

    def _end_lost(self, session: str, call: Call, reason: str) -> None:
        self._lose(session, reason)
        call.answered.set()
        call.over.set()

    async def refused(self, session: str, what: str, reason: str) -> None:
        """Handle a refusal. A refused start was never a session; a refused message is no loss."""
        call = self.calls.get(session) if what == "start" else None
        if call is None:
            return
        self.calls.pop(session)
        self.tally.started -= 1
        self.tally.refused[reason] += 1
        call.answered.set()
        call.over.set()


async def _within(seconds: float, event: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await event.wait()
    except TimeoutError:
        return False
    return True
