"""A device: it reports, works on the external system, and reports the results."""

import asyncio
import json
import random
from dataclasses import dataclass, field
from typing import Any, TextIO

import httpx

from integrations.poolsite_client import clock
from integrations.poolsite_client.steps import Answer
from integrations.poolsite_client.tasks import RESULTS_PER_REPORT, DeviceState, Task
from integrations.simulator.devices.reports import FAULTS, Reports

LATE_SHARE = 0.03
NO_RESULT = ("late", "old token", "at work", "stopped", "expired", "superseded")
WORK_TIMEOUT_SECONDS = 600.0
OK = 200


@dataclass(frozen=True)
class Habits:
    """How devices behave, and how many of their messages are lost, doubled or delayed."""

    period_seconds: float = 10.0
    work_seconds: float = 20.0
    spread: float = 0.8  # of the work: 0.2 to 1.8 times the seconds above
    unsent: float = 0.01  # a report that never arrives
    lost: float = 0.02  # a report whose answer never arrives
    doubled: float = 0.02
    reordered: float = 0.01  # the previous report arrives again after this one
    late: float = 0.01  # a result that is reported long after, if ever


@dataclass
class DeviceTally:
    """The counts of all devices of a gate."""

    reports: int = 0
    tasks: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    unanswered: int = 0
    faults: dict[str, int] = field(default_factory=dict)

    def fault(self, error: Exception) -> None:
        """Count a report without an answer by its error."""
        name = type(error).__name__
        self.faults[name] = self.faults.get(name, 0) + 1


@dataclass
class Device:
    """A device with the client library's `state`, plus the mishaps of its habits."""

    name: str
    reports: Reports
    external: httpx.AsyncClient
    chance: random.Random
    habits: Habits
    tally: DeviceTally
    state: DeviceState = field(init=False)
    journal: TextIO | None = None
    old: list[dict[str, Any]] = field(default_factory=list)
    before: dict[str, Any] = field(default_factory=dict)
    work: "asyncio.Task[None] | None" = None

    def __post_init__(self) -> None:
        self.state = DeviceState(self.name)

    async def run(self) -> None:
        """Report again and again, each time after the seconds that the last answer named."""
        await asyncio.sleep(self.chance.random() * self.habits.period_seconds)
        while True:
            seconds = self.habits.period_seconds
            try:
                seconds = min(seconds, await self.report())
            except FAULTS as error:
                self.tally.fault(error)
            await asyncio.sleep(seconds * (0.9 + 0.2 * self.chance.random()))

    async def report(self) -> float:
        """Send one report. Return the seconds until the next one is due."""
        sent = list(self.state.results)
        if self.old and self.chance.random() < LATE_SHARE:
            sent.append(self.old.pop(0))
        self.tally.reports += 1
        asked_at = clock.now()
        answer = await self._post({"results": sent[:RESULTS_PER_REPORT]})
        if answer is None:
            return self.habits.period_seconds
        told = self.state.take(sent, Answer(answer, asked_at))
        for result, (_, word) in zip(sent, told.outcomes, strict=False):
            self.tally.outcomes[word] = self.tally.outcomes.get(word, 0) + 1
            self._note("result", result["task"], result["token"], ok=result["ok"], word=word)
        if told.task is not None and told.task.token > self.state.done_token:
            self.state.done_token = told.task.token
            self.tally.tasks += 1
            self._note("task", told.task.name, told.task.token)
            self.work = asyncio.create_task(self._carry_out(told.task))
        return told.retry_after

    def _note(self, op: str, task: str, token: int, **facts: Any) -> None:
        """Log what the gate has acknowledged, before anything else is done."""
        self._write({"op": op, "device": self.name, "task": task, "token": token, **facts})

    def _write(self, line: dict[str, Any]) -> None:
        if self.journal is not None:
            self.journal.write(json.dumps(line) + "\n")
            self.journal.flush()

    async def _post(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer, or None if it was lost or not a success."""
        if self.chance.random() < self.habits.unsent:
            return None
        status, answer = await self.reports.post(self.name, body)
        if self.chance.random() < self.habits.doubled:
            status, answer = await self.reports.post(self.name, body)
        if self.before and self.chance.random() < self.habits.reordered:
            await self.reports.post(self.name, self.before)  # the answer is ignored
        self.before = body
        if status != OK:
            self.tally.unanswered += 1
            self._write({"op": "refused", "device": self.name, "status": status})
            return None
        if self.chance.random() < self.habits.lost:
            return None
        told: dict[str, Any] = answer
        return told

    async def _carry_out(self, task: Task) -> None:
        share = self.chance.uniform(1 - self.habits.spread, 1 + self.habits.spread)
        seconds = share * self.habits.work_seconds
        body = {
            "client": self.name,
            "token": task.token,
            "deadline": task.deadline,
            "permit": task.signed,
            "seconds": seconds,
        }
        try:
            done = await self.external.post("/work", json=body, timeout=WORK_TIMEOUT_SECONDS)
        except httpx.HTTPError:
            return  # the outcome is unknown: the permit ends automatically
        if done.status_code == 409 and done.json()["reason"] in NO_RESULT:
            return
        self.state.add_result(task, ok=done.status_code == OK, took_ms=int(seconds * 1_000))
        if self.chance.random() < self.habits.late:
            self.old.append(self.state.results.pop())  # reported long after, if ever
