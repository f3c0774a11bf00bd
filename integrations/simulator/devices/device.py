"""One device: it reports, works on the external system, and reports what came of it."""

import asyncio
import contextlib
import random
from dataclasses import dataclass, field
from typing import Any

import httpx

LATE_SHARE = 0.03
NO_RESULT = ("late", "old token", "at work", "stopped")
WORK_TIMEOUT_SECONDS = 600.0


@dataclass(frozen=True)
class Habits:
    """How devices behave, and how much of what they say gets lost, doubled or delayed."""

    period_seconds: float = 10.0
    work_seconds: float = 20.0
    lost: float = 0.02
    doubled: float = 0.02
    late: float = 0.01


@dataclass
class Tally:
    """What all devices of a gate came to."""

    reports: int = 0
    tasks: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    unanswered: int = 0


@dataclass
class Device:
    """Takes each token up once, stops by its deadline, and keeps a result until it was taken."""

    name: str
    http: httpx.AsyncClient
    external: httpx.AsyncClient
    chance: random.Random
    habits: Habits
    tally: Tally
    gate: str = ""
    results: list[dict[str, Any]] = field(default_factory=list)
    old: list[dict[str, Any]] = field(default_factory=list)
    token: int = 0
    work: "asyncio.Task[None] | None" = None

    async def run(self) -> None:
        """Report for ever, each time after the seconds that the last answer named."""
        await asyncio.sleep(self.chance.random() * self.habits.period_seconds)
        while True:
            seconds = self.habits.period_seconds
            with contextlib.suppress(httpx.HTTPError, ValueError):
                seconds = min(seconds, await self.report())
            await asyncio.sleep(seconds * (0.9 + 0.2 * self.chance.random()))

    async def report(self) -> float:
        """One report; returns in how many seconds the next one is due."""
        sent = list(self.results)
        if self.old and self.chance.random() < LATE_SHARE:
            sent.append(self.old.pop(0))
        self.tally.reports += 1
        answer = await self._post({"results": sent[:32]})
        if answer is None:
            return self.habits.period_seconds
        for result, told in zip(sent, answer.get("results", []), strict=False):
            word = told["outcome"]
            self.tally.outcomes[word] = self.tally.outcomes.get(word, 0) + 1
            if result in self.results:
                self.results.remove(result)
        if answer["task"] and answer["token"] > self.token:
            self.token = answer["token"]
            self.tally.tasks += 1
            self.work = asyncio.create_task(self._carry_out(answer))
        return float(answer["retry_after"])

    async def _post(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """The answer; None when it was lost, or was none."""
        path = f"/api/v1/devices/{self.name}/report"
        for _ in range(2 if self.chance.random() < self.habits.doubled else 1):
            response = await self.http.post(path, json=body, params={"gate": self.gate})
        if response.status_code != 200:
            self.tally.unanswered += 1
            return None
        if self.chance.random() < self.habits.lost:
            return None
        answer: dict[str, Any] = response.json()
        return answer

    async def _carry_out(self, answer: dict[str, Any]) -> None:
        seconds = self.chance.uniform(0.2, 1.8) * self.habits.work_seconds
        body = {
            "client": self.name,
            "token": answer["token"],
            "deadline": answer["deadline"],
            "seconds": seconds,
        }
        try:
            done = await self.external.post("/work", json=body, timeout=WORK_TIMEOUT_SECONDS)
        except httpx.HTTPError:
            return  # nothing is known of it: the permit ends by itself
        if done.status_code == 409 and done.json()["reason"] in NO_RESULT:
            return
        result = {
            "task": answer["task"],
            "token": answer["token"],
            "ok": done.status_code == 200,
            "took_ms": int(seconds * 1_000),
        }
        if self.chance.random() < self.habits.late:
            self.old.append(result)  # told long after, if at all
        else:
            self.results.append(result)
