"""Reports that wait for the platform: in order, the newest of each line, up to a limit."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Hashable, Iterable

from .reports import QueuedEvent

logger = logging.getLogger(__name__)


class Outbox:
    """A queue in which a newer report replaces an older one of the same line or call.

    So during an outage of the platform, it holds each line's last state and each ended call once,
    however long the outage lasts. If that is still more than `limit`, the queue is emptied and
    `overflowed` is set: FreeSWITCH's own lists then provide the current state.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._reports: OrderedDict[Hashable, QueuedEvent] = OrderedDict()
        self._filled = asyncio.Event()
        self._emptied = asyncio.Event()
        self._emptied.set()
        self.overflowed = False

    def __len__(self) -> int:
        return len(self._reports)

    def put(self, reports: Iterable[QueuedEvent]) -> None:
        """Append reports to the queue."""
        for report in reports:
            self._reports.pop(report.key, None)
            self._reports[report.key] = report
        if len(self._reports) > self._limit:
            logger.error("%d reports wait, too many: starting anew from lists", len(self._reports))
            self._reports.clear()
            self.overflowed = True
        self._tell()

    async def first(self, count: int) -> list[QueuedEvent]:
        """Wait for reports and return the oldest ones.

        They stay in the queue until they are `done`.
        """
        await self._filled.wait()
        return [report for _, report in zip(range(count), self._reports.values(), strict=False)]

    def done(self, reports: Iterable[QueuedEvent]) -> None:
        """Remove answered reports, unless a newer report has replaced them in the meantime."""
        for report in reports:
            if self._reports.get(report.key) is report:
                del self._reports[report.key]
        self._tell()

    async def emptied(self) -> None:
        """Wait until the queue is empty."""
        await self._emptied.wait()

    def _tell(self) -> None:
        filled, emptied = self._filled, self._emptied
        for event, holds in ((filled, bool(self._reports)), (emptied, not self._reports)):
            (event.set if holds else event.clear)()
