"""The dispatcher's load in `make chaos`: peers that converse, and log what they saw.

python -m tests.chaos.dispatch_load fronts OPTIONS LOG PART
python -m tests.chaos.dispatch_load instances OPTIONS LOG PART

OPTIONS: the library's settings as JSON. A front-end's session is a count: it sends 1, 2, 3 …, the
instance sends each back, and the session is in order if they come back in this order. One JSON line
for each fact: `boot` and `tick` of the process; `begin`, `wrong`, `over` of a session.
SIGTERM to the front-ends: they begin no new sessions and end the open ones; the process stays.
"""

import asyncio
import json
import random
import signal
import sys
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from integrations.dispatch_client import (
    DispatchError,
    FrontEnd,
    FrontHandler,
    Instance,
    InstanceHandler,
    Sent,
    Settings,
)
from tests.support.waiting import patient

FRONTS = 2
INSTANCES = 2
SESSIONS_PER_SECOND = 2.0
MESSAGES = 12
MESSAGE_SECONDS = 0.5
TICK_SECONDS = 0.5
AGAIN_SECONDS = 0.5
ANSWER_SECONDS = 20.0
LATER = ("peer pending", "peer full", "recovering")  # refused now: send the same number again


class Log:
    """A line for each fact, written through at once because the writer may be killed."""

    def __init__(self, path: str) -> None:
        self._file: IO[str] = Path(path).open("a", buffering=1)  # noqa: SIM115  open for life
        self.tell("boot")

    def tell(self, op: str, **facts: Any) -> None:
        self._file.write(json.dumps({"op": op, "at": time.time(), **facts}) + "\n")

    async def tick(self) -> None:
        """Show that the process lives: a gap in the ticks is a pause."""
        while True:
            self.tell("tick")
            await asyncio.sleep(TICK_SECONDS)


@dataclass
class Talk:
    """One session from its front-end's side: the number sent last, and the last that came back."""

    sent: int = 0
    back: int = 0
    refused: bool = False
    moved: asyncio.Event = field(default_factory=asyncio.Event)


class Talker(FrontHandler):
    """One front-end and its sessions."""

    def __init__(self, settings: Settings, log: Log, peer_id: str) -> None:
        self._log = log
        self.resting = False
        self._talks: dict[str, Talk] = {}
        self.front = FrontEnd(settings, self, profile="BICC", peer_id=peer_id)

    async def message(self, session: str, body: Any) -> None:
        talk = self._talks.get(session)
        if talk is None:
            return  # ended here; what was under way does not matter
        if body != talk.back + 1:
            self._log.tell("wrong", session=session, due=talk.back + 1, got=body)
        talk.back = max(talk.back, int(body))
        talk.moved.set()

    async def ended(self, session: str, reason: str, body: Any) -> None:
        self._over(session, reason)

    async def refused(self, session: str, what: str, reason: str) -> None:
        if what == "start":
            self._over(session, f"refused: {reason}")
        elif reason in LATER and session in self._talks:
            self._talks[session].refused = True
            self._talks[session].moved.set()
        else:
            self._over(session, reason)

    def _over(self, session: str, how: str) -> None:
        talk = self._talks.pop(session, None)
        if talk is not None:
            talk.moved.set()
            self._log.tell("over", session=session, how=how, sent=talk.sent, back=talk.back)

    async def converse(self) -> None:
        """One session from its start to its end: a number, its echo, the next number."""
        session = (await self.front.begin()).session
        talk = self._talks[session] = Talk()
        self._log.tell("begin", session=session)
        while session in self._talks and talk.sent < MESSAGES and not self.resting:
            talk.sent += 1
            await self.front.send(session, talk.sent)
            while session in self._talks and talk.back < talk.sent:
                talk.moved.clear()
                if not await self._heard(talk):
                    await self._end(session, "no echo")
                if talk.refused and session in self._talks:
                    talk.refused = False
                    await asyncio.sleep(AGAIN_SECONDS)
                    await self.front.send(session, talk.sent)
            await asyncio.sleep(MESSAGE_SECONDS)
        await self._end(session, "bye")

    async def _heard(self, talk: Talk) -> bool:
        """Wait for the session's next message.

        At rest, not forever: a loss of data may have taken it.
        """
        while True:
            try:
                async with asyncio.timeout(patient(ANSWER_SECONDS)):
                    return await talk.moved.wait()
            except TimeoutError:
                if self.resting:
                    return False

    async def _end(self, session: str, how: str) -> None:
        if session in self._talks:
            self._over(session, how)
            await self.front.end(session, how)

    async def play(self, chance: random.Random) -> None:
        """Begin sessions until the rest phase."""
        talks: set[asyncio.Task[None]] = set()
        while True:
            await asyncio.sleep(chance.expovariate(SESSIONS_PER_SECOND / FRONTS))
            if not self.resting and self.front.linked:
                task = asyncio.create_task(self._one())
                talks.add(task)
                task.add_done_callback(talks.discard)

    async def _one(self) -> None:
        try:
            await self.converse()
        except DispatchError as error:
            self._log.tell("failed", what=str(error))


class Echo(InstanceHandler):
    """An instance that sends every number back."""

    def __init__(self, settings: Settings, log: Log, name: str) -> None:
        self._log = log
        self._live: set[str] = set()
        self._again: set[asyncio.Task[None]] = set()
        self.instance = Instance(settings, self, name=name, version="1", capacity=500)

    async def started(self, session: str, front: str, body: Any) -> None:
        self._live.add(session)
        self._log.tell("begin", session=session, name=self.instance.name)

    async def message(self, session: str, body: Any) -> None:
        task = asyncio.create_task(self._send_again(session, body, await self._send(session, body)))
        self._again.add(task)
        task.add_done_callback(self._again.discard)

    def _send(self, session: str, body: Any) -> Coroutine[Any, Any, Sent]:
        return self.instance.send(session, body)

    async def _send_again(self, session: str, body: Any, sent: Sent) -> None:
        while (await sent).reason in LATER and session in self._live:
            await asyncio.sleep(AGAIN_SECONDS)
            sent = await self._send(session, body)

    async def ended(self, session: str, reason: str, body: Any) -> None:
        self._live.discard(session)
        self._log.tell("over", session=session, how=reason)


async def fronts(settings: Settings, log: Log, part: int) -> None:
    talkers = [Talker(settings, log, f"front-{part}-{n}") for n in range(FRONTS)]

    def rest() -> None:
        for talker in talkers:
            talker.resting = True

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, rest)
    for talker in talkers:
        await talker.front.start_link()
    chance = random.Random(part)
    await asyncio.gather(log.tick(), *(talker.play(chance) for talker in talkers))


async def instances(settings: Settings, log: Log, part: int) -> None:
    for number in range(INSTANCES):
        await Echo(settings, log, f"echo-{part}-{number}").instance.start_link()
    await log.tick()


if __name__ == "__main__":
    side, options, path, which = sys.argv[1:]
    work = {"fronts": fronts, "instances": instances}[side]
    asyncio.run(work(Settings(**json.loads(options)), Log(path), int(which)))
