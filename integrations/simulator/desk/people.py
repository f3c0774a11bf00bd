"""What one visitor and one agent do: come, wait, vanish and come back; serve for a while, pause."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx

BEAT_SECONDS = 5.0
NAMES = ("Ann", "Bo", "Chen", "Dora", "Emil", "Fang", "Gao", "Hua", "Ines", "Jun", "Kai", "Lin")


@dataclass(frozen=True)
class QueueConfig:
    """One queue: its slug, visitors an hour, mean seconds in a room, and its topics."""

    slug: str
    visits_per_hour: float
    mean_room_seconds: float
    topics: list[str]


@dataclass(frozen=True)
class DeskConfig:
    """One desk of the simulation file: `agents` are user ids that nobody plays by hand."""

    slug: str
    token: str
    agents: list[int]
    queues: list[QueueConfig]


@dataclass
class Floor:
    """What everybody of one desk shares."""

    client: httpx.AsyncClient
    config: DeskConfig
    dice: random.Random
    seen: Counter[str] = field(default_factory=Counter)

    async def call(self, path: str, body: dict[str, Any], token: str = "") -> dict[str, Any] | None:
        """POST as the desk's machine, or as a visitor by its token; None = it did not work."""
        headers = {"Authorization": f"Bearer {token or self.config.token}"}
        try:
            answer = await self.client.post(f"/api/v1/{path}", json=body, headers=headers)
        except httpx.HTTPError:
            self.seen["failed"] += 1
            return None
        if answer.status_code >= 400:
            self.seen[f"status {answer.status_code}"] += 1
            return None
        found: dict[str, Any] = answer.json()
        return found


async def play_arrivals(floor: Floor, queue: QueueConfig) -> None:
    """Poisson arrivals at one queue, for ever."""
    async with asyncio.TaskGroup() as group:
        while True:
            await asyncio.sleep(floor.dice.expovariate(queue.visits_per_hour / 3600))
            group.create_task(play_visitor(floor, queue))


async def play_visitor(floor: Floor, queue: QueueConfig) -> None:
    """Join, beat, talk a little; leave when patience ends. One in ten vanishes for a while."""
    dice = floor.dice
    said = {"name": dice.choice(NAMES), "topic": dice.choice(queue.topics)}
    joined = await floor.call(f"queues/{queue.slug}/join", said)
    if joined is None:
        return
    floor.seen["joined"] += 1
    visit, token = joined["visit"], joined["token"]
    patience = dice.expovariate(1 / 240)
    waited, greeted = 0.0, False
    if dice.random() < 0.1:
        await asyncio.sleep(dice.uniform(18, 50))
        floor.seen["vanished"] += 1
    while True:
        standing = await floor.call(f"visits/{visit}/beat", {"place": joined["place"]}, token)
        answer = standing["answer"] if standing else "waiting"
        if answer in ("ended", "gone"):
            floor.seen[answer] += 1
            return
        if answer == "room" and not greeted:
            greeted = True
            words = {"id": "hello", "text": f"Hello, it is about: {said['topic'].lower()}."}
            await floor.call(f"visits/{visit}/messages", words, token)
        elif answer != "room" and waited > patience:
            await floor.call(f"visits/{visit}/leave", {}, token)
            floor.seen["gave up"] += 1
            return
        await asyncio.sleep(BEAT_SECONDS)
        waited += BEAT_SECONDS


async def play_agent(floor: Floor, agent: int) -> None:
    """Go online, end each room after an exponential time, pause now and then."""
    dice, query = floor.dice, f"?agent={agent}"
    means = {queue.slug: queue.mean_room_seconds for queue in floor.config.queues}
    ends: dict[str, float] = {}
    clock = asyncio.get_running_loop().time
    await asyncio.sleep(dice.uniform(0, 10))
    await floor.call(f"agent/login{query}", {})
    while True:
        state = await floor.call(f"agent/beat{query}", {})
        if state is not None and state.get("state") == "offline":
            await floor.call(f"agent/login{query}", {})
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
                    await floor.call(f"agent/messages{query}", words)
                elif ends[visit] <= clock():
                    if await floor.call(f"agent/finish{query}", {"visit": visit}):
                        floor.seen["served"] += 1
                    ends.pop(visit, None)
        if dice.random() < 0.002:
            await floor.call(f"agent/pause{query}", {"reason": dice.choice(["lunch", "training"])})
            await _stay(floor, query, dice.uniform(60, 240))
            await floor.call(f"agent/login{query}", {})
        await asyncio.sleep(BEAT_SECONDS)


async def _stay(floor: Floor, query: str, seconds: float) -> None:
    for _ in range(int(seconds / BEAT_SECONDS)):
        await floor.call(f"agent/beat{query}", {})
        await asyncio.sleep(BEAT_SECONDS)
