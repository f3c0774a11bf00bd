"""The behaviour of a visitor and an agent: come, wait, vanish, come back; serve, pause."""

import asyncio
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TextIO

import httpx

BEAT_SECONDS = 5.0
MEAN_PATIENCE_SECONDS = 240.0
NAMES = ("Ann", "Bo", "Chen", "Dora", "Emil", "Fang", "Gao", "Hua", "Ines", "Jun", "Kai", "Lin")


@dataclass(frozen=True)
class QueueConfig:
    """A queue: its slug, visitors per hour, mean seconds in a room, and its topics."""

    slug: str
    visits_per_hour: float
    mean_room_seconds: float
    topics: list[str]


@dataclass(frozen=True)
class DeskConfig:
    """A desk of the simulation file. `agents` are user IDs that no one uses by hand."""

    slug: str
    token: str
    agents: list[int]
    queues: list[QueueConfig]


@dataclass
class Floor:
    """The state that all people of one desk share."""

    client: httpx.AsyncClient
    config: DeskConfig
    dice: random.Random
    seen: Counter[str] = field(default_factory=Counter)
    beat_seconds: float = BEAT_SECONDS
    log: TextIO | None = None
    resting: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self, path: str, body: dict[str, Any], token: str = "") -> dict[str, Any] | None:
        """Send a request, and log the visitor's or agent's answer with the µs before and after."""
        before = _now_us()
        told = await self.call(path, body, token)
        if told is not None:
            self._write({**_heard(told, self.config), "t0": before, "t1": _now_us()})
        return told

    async def do(
        self, deed: str, visit: str, path: str, body: dict[str, Any], token: str = ""
    ) -> dict[str, Any] | None:
        """Send a request, and log that it was acknowledged. SQL must then contain it."""
        told = await self.call(path, body, token)
        if told is not None:
            self._write({"did": deed, "visit": visit, "word": told.get("word"), "t1": _now_us()})
        return told

    def _write(self, line: dict[str, Any]) -> None:
        if self.log is not None:
            self.log.write(json.dumps(line) + "\n")
            self.log.flush()

    async def call(self, path: str, body: dict[str, Any], token: str = "") -> dict[str, Any] | None:
        """POST with the desk's token, or with a visitor's. Return None if it failed."""
        headers = {"Authorization": f"Bearer {token or self.config.token}"}
        try:
            answer = await self.client.post(f"/api/v1/{path}", json=body, headers=headers)
        except httpx.HTTPError:
            self.seen["failed"] += 1
            return None
        if answer.status_code >= 400:
            self.seen[f"status {answer.status_code}"] += 1
            self._write({"refused": answer.status_code, "path": path, "t1": _now_us()})
            return None
        found: dict[str, Any] = answer.json()
        return found


def _now_us() -> int:
    return time.monotonic_ns() // 1_000


def _heard(told: dict[str, Any], config: DeskConfig) -> dict[str, Any]:
    """Return the part of an answer that the checks of a waiting line need."""
    if "slots" in told:
        rooms = [slot for slot in told["slots"] if slot["kind"] == "room"]
        return {
            "a": told["agent"],
            "state": told["state"],
            "pending": told["pending"],
            "rooms": [slot["visit"] for slot in rooms],
            "used": len(told["slots"]),
            "capacity": told["capacity"],
            "queues": [],  # not in the answer: whether it is idle cannot be judged
        }
    names = ("answer", "ticket", "ahead", "queue", "word")
    return {"v": told.get("visit", ""), **{name: told.get(name) for name in names}}


async def play_arrivals(floor: Floor, queue: QueueConfig) -> None:
    """Simulate Poisson arrivals at one queue until the floor rests, then wait for the last visitor.

    It begins with as many visitors as would be in rooms by now, so that the page shows traffic at
    once.
    """
    load = queue.visits_per_hour * queue.mean_room_seconds / 3600
    async with asyncio.TaskGroup() as group:
        for _ in range(round(load)):
            group.create_task(play_visitor(floor, queue))
        while not floor.resting.is_set():
            await asyncio.sleep(floor.dice.expovariate(queue.visits_per_hour / 3600))
            if not floor.resting.is_set():
                group.create_task(play_visitor(floor, queue))


async def play_visitor(floor: Floor, queue: QueueConfig) -> None:
    """Join, send heartbeats, talk, and leave when patience ends.

    One in ten vanishes for a while.
    """
    dice = floor.dice
    said = {"name": dice.choice(NAMES), "topic": dice.choice(queue.topics)}
    joined = await floor.ask(f"queues/{queue.slug}/join", said)
    if joined is None:
        return
    floor.seen["joined"] += 1
    visit, token = joined["visit"], joined["token"]
    patience = dice.expovariate(1 / MEAN_PATIENCE_SECONDS)
    waited, greeted = 0.0, False
    if dice.random() < 0.1:
        await asyncio.sleep(dice.uniform(18, 50))
        floor.seen["vanished"] += 1
    while True:
        standing = await floor.ask(f"visits/{visit}/beat", {"place": joined["place"]}, token)
        answer = standing["answer"] if standing else "waiting"
        if answer in ("ended", "gone"):
            floor.seen[answer] += 1
            return
        if answer == "room" and not greeted:
            greeted = True
            words = {"id": "hello", "text": f"Hello, it is about: {said['topic'].lower()}."}
            await floor.do("visitor said", visit, f"visits/{visit}/messages", words, token)
        elif answer != "room" and waited > patience and not floor.resting.is_set():
            await floor.do("left", visit, f"visits/{visit}/leave", {}, token)
            floor.seen["gave up"] += 1
            return
        await asyncio.sleep(floor.beat_seconds)
        waited += floor.beat_seconds


async def play_agent(floor: Floor, agent: int) -> None:
    """Go online, end each room after an exponential time, pause now and then.

    At rest, a room that has begun is ended at once, because an exponential time has no upper limit.
    """
    dice, query = floor.dice, f"?agent={agent}"
    means = {queue.slug: queue.mean_room_seconds for queue in floor.config.queues}
    ends: dict[str, float] = {}
    clock = asyncio.get_running_loop().time
    await asyncio.sleep(dice.uniform(0, 10))
    await floor.ask(f"agent/login{query}", {})
    while True:
        state = await floor.ask(f"agent/beat{query}", {})
        if state is not None and state.get("state") == "offline":
            await floor.ask(f"agent/login{query}", {})
        for slot in state.get("slots", []) if state else []:
            visit = slot["visit"]
            if slot["kind"] == "offer":
                taken = {"visit": visit, "token": state.get("offer_token", "") if state else ""}
                await floor.call(f"agent/accept{query}", taken)
            elif slot["kind"] == "room":
                mean = means.get(slot.get("queue_slug", ""), 240.0)
                if visit not in ends:
                    ends[visit] = clock() + max(8.0, dice.expovariate(1 / mean))
                    words = {"visit": visit, "id": "hello", "text": "Hello, how can I help you?"}
                    await floor.do("agent said", visit, f"agent/messages{query}", words)
                elif ends[visit] <= clock() or floor.resting.is_set():
                    if await floor.do("finished", visit, f"agent/finish{query}", {"visit": visit}):
                        floor.seen["served"] += 1
                    ends.pop(visit, None)
        if dice.random() < 0.002 and not floor.resting.is_set():
            await floor.call(f"agent/pause{query}", {"reason": dice.choice(["lunch", "training"])})
            await _stay(floor, query, dice.uniform(60, 240))
            await floor.ask(f"agent/login{query}", {})
        await asyncio.sleep(floor.beat_seconds)


async def _stay(floor: Floor, query: str, seconds: float) -> None:
    """Stay without new visitors. At rest, return at once, because an open room must be ended."""
    for _ in range(int(seconds / BEAT_SECONDS)):
        if floor.resting.is_set():
            return
        await floor.call(f"agent/beat{query}", {})
        await asyncio.sleep(BEAT_SECONDS)
