"""The external system's reaction to a client: refuse, fail, or work for a while.

A client is at work as long as its request is open. The count of these requests is the system's own
figure for how many clients it serves at once. Each change of it is a line of the log.
"""

import asyncio
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

LONGEST_SECONDS = 3_600.0


@dataclass
class Served:
    """What was served since the last report."""

    good: int = 0
    bad: int = 0
    took_ms: float = 0.0


@dataclass
class System:
    """A system that serves `strong` clients at once well. With more, it slows down and then fails.

    obeys: tokens past their deadline are refused, and work ends at the deadline. A system that does
    not obey shows what a gate alone cannot prevent.
    """

    strong: int
    obeys: bool = True
    log: Path | None = None
    count: int = 0
    most: int = 0
    refused: int = 0
    since: Served = field(default_factory=Served)
    _newest: dict[str, int] = field(default_factory=dict)
    _working: set[str] = field(default_factory=set)
    _written: TextIO | None = None

    def open(self) -> None:
        """Open the log."""
        if self.log is not None:
            self._written = self.log.open("a", buffering=1)

    async def work(self, client: str, token: int, deadline_us: int, seconds: float) -> str:
        """Serve one client. Return "" when done, else the reason why not.

        Reasons are late, old token, at work, overloaded and stopped.
        """
        now_us = time.time_ns() // 1_000
        if self.obeys and now_us >= deadline_us:
            return self.refuse("late")
        if self.obeys and token < self._newest.get(client, 0):
            return self.refuse("old token")
        if client in self._working:
            return self.refuse("at work")  # it came back before its first request ended
        self._newest[client] = max(token, self._newest.get(client, 0))
        self._enter(client, 1)
        began = time.monotonic()
        try:
            return await self._serve(seconds, (deadline_us - now_us) / 1e6)
        finally:
            self._enter(client, -1)
            self.since.took_ms += (time.monotonic() - began) * 1_000

    async def _serve(self, seconds: float, left_seconds: float) -> str:
        if self.count > 2 * self.strong:
            self.since.bad += 1
            return "overloaded"
        slow = max(1.0, self.count / self.strong)
        wanted = min(seconds * slow, LONGEST_SECONDS)
        if self.obeys and wanted > left_seconds:
            await asyncio.sleep(max(0.0, left_seconds))
            self.since.bad += 1
            return "stopped"
        await asyncio.sleep(wanted)
        self.since.good += 1
        return ""

    def refuse(self, why: str) -> str:
        """Count a client that is not served. Return the reason."""
        self.refused += 1
        return why

    def _enter(self, client: str, step: int) -> None:
        self.count += step
        (self._working.add if step == 1 else self._working.discard)(client)
        self.most = max(self.most, self.count)
        if self._written is not None:
            told = {"at": time.time(), "client": client, "step": step, "count": self.count}
            self._written.write(json.dumps(told) + "\n")

    def tell(self) -> dict[str, Any]:
        """Return the body of /observe, and restart the counts of what was served."""
        since, self.since = self.since, Served()
        ended = since.good + since.bad
        told: dict[str, Any] = {"count": self.count, "good": since.good, "bad": since.bad}
        if ended:
            told["took_ms"] = int(since.took_ms / ended)
        return told
