"""Delivers reports to the platform's public interface: in order, in batches, until accepted."""

import asyncio
import contextlib
import heapq
import logging
import random
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import httpx

from integrations.simulator.gateway.ledger import Accepted, Ledger
from integrations.simulator.gateway.outcomes import NetworkPace, Plan, plan

LOG = logging.getLogger(__name__)
REPORTS_PER_REQUEST = 200
LONGEST_PAUSE_SECONDS = 5.0
IDLE_SECONDS = 60.0
END = -1  # the place in a plan that means the delivery itself


@dataclass
class Courier:
    """Plans the future of every message, and reports each event to the platform when it is due.

    A report is repeated until the platform has accepted it (2xx); a repeated report has no further
    effect there. The reports of one account are sent one request after another, in the plan's
    order.
    """

    http: httpx.AsyncClient
    token: str
    ledger: Ledger
    pace: NetworkPace = field(default_factory=NetworkPace)
    seed: int = 0
    _due: list[tuple[float, int, Accepted, int]] = field(default_factory=list)
    _count: int = 0
    _noted: asyncio.Event = field(default_factory=asyncio.Event)
    _plans: dict[tuple[str, str], Plan] = field(default_factory=dict)
    _waiting: dict[str, deque[tuple[Accepted, int]]] = field(default_factory=dict)
    _senders: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    refused: int = 0

    def resume(self) -> None:
        """Plan every message of the ledger whose future is not complete."""
        for message in list(self.ledger.messages.values()):
            self.plan(message)

    def plan(self, message: Accepted) -> None:
        """Decide about a message, and schedule its future events."""
        chance = random.Random(f"{self.seed}/{message.account}/{message.message_id}")  # noqa: S311
        decided = plan(message.number, message.native, message.fallback, self.pace, chance)
        message.outcome = decided.outcome
        self._plans[message.key] = decided
        if not message.ended:
            self._note(message, END, decided.delivered_after_seconds)
        for place in range(message.reported, len(decided.reports)):
            self._note(message, place, decided.reports[place].after_seconds)
        if message.ended and message.reported == len(decided.reports):
            del self._plans[message.key]

    def _note(self, message: Accepted, place: int, after_seconds: float) -> None:
        self._count += 1
        due = message.accepted_at + after_seconds
        heapq.heappush(self._due, (due, self._count, message, place))
        if self._due[0][2] is message:
            self._noted.set()  # it is due before all other events

    async def run(self) -> None:
        """Send the reports that are due, until cancelled."""
        try:
            while True:
                self._noted.clear()
                self._take_due(time.time())
                due = self._due[0][0] - time.time() if self._due else IDLE_SECONDS
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._noted.wait(), max(0.0, min(due, IDLE_SECONDS)))
        finally:
            for sender in self._senders.values():
                sender.cancel()

    def _take_due(self, now: float) -> None:
        while self._due and self._due[0][0] <= now:
            _, _, message, place = heapq.heappop(self._due)
            if place == END:
                self.ledger.end(message, self._plans[message.key].mode)
                self._forget(message)
                continue
            self._waiting.setdefault(message.account, deque()).append((message, place))
            sender = self._senders.get(message.account)
            if sender is None or sender.done():
                task = asyncio.create_task(self._send(message.account))
                self._senders[message.account] = task

    async def _send(self, account: str) -> None:
        waiting = self._waiting[account]
        pause_seconds = 0.1
        while waiting:
            batch = [waiting[index] for index in range(min(len(waiting), REPORTS_PER_REQUEST))]
            if await self._post(account, [self._body(*each) for each in batch]):
                pause_seconds = 0.1
                for message, place in batch:
                    waiting.popleft()
                    self.ledger.report(message, place)
                    self._forget(message)
            else:
                await asyncio.sleep(pause_seconds)
                pause_seconds = min(pause_seconds * 2, LONGEST_PAUSE_SECONDS)

    def _body(self, message: Accepted, place: int) -> dict[str, Any]:
        report = self._plans[message.key].reports[place]
        return {
            "message_id": message.message_id,
            "final": report.final,
            "delivered": report.delivered,
            "mode": report.mode,
        }

    async def _post(self, account: str, reports: list[dict[str, Any]]) -> bool:
        """Return whether the platform is done with the reports.

        Count those that it refuses for good.
        """
        headers = {"Authorization": f"Bearer {self.token}"}
        address = f"/api/v1/accounts/{account}/settlements"
        try:
            answer = await self.http.post(address, json=reports, headers=headers)
        except (httpx.HTTPError, OSError) as error:
            LOG.info("the platform cannot be reached: %r", error)
            return False
        if answer.status_code >= 500 or answer.status_code == 429:
            return False
        if answer.is_success:
            return not _open_items(answer)
        self.refused += len(reports)
        LOG.warning("reports refused: %s %s", answer.status_code, answer.text[:200])
        return True

    def _forget(self, message: Accepted) -> None:
        """Delete a plan when all of its events have happened."""
        known = self._plans.get(message.key)
        if known and message.ended and message.reported == len(known.reports):
            del self._plans[message.key]


def _open_items(answer: httpx.Response) -> bool:
    """Whether any report failed for a temporary reason. Then the whole batch is sent again."""
    try:
        body = answer.json()
    except ValueError:
        return True
    items = body if isinstance(body, list) else []
    return any(isinstance(item, dict) and int(item.get("status") or 0) >= 500 for item in items)
