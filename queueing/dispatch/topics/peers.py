"""`dispatch.peers:<slug>`: every instance and front-end of a group, live."""

import asyncio
from typing import Any

from poolsite import hotpath, live
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import Group, Instance
from queueing.dispatch.selectors import front_counts, peers_of
from queueing.dispatch.topics.scope import GroupScope

CLOCK_SECONDS = 1.0
Known = tuple[list[Instance], dict[str, tuple[int | None, int | None]]]


@live.register
class PeersTopic(live.RowsTopic, GroupScope):
    """Key of `selectors.peers_of` → its fields, and `rate`: frames per second, both ways."""

    name = "dispatch.peers"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._marks: dict[str, tuple[float, int, float]] = {}  # time, messages, rate

    async def read(self) -> dict[str, Any]:
        rows, (instances, counts) = await asyncio.gather(
            hotpath.arun(commands.peers(self.slug)), live.in_thread(self._read_sql)
        )
        found = peers_of(rows, instances, counts)
        now = asyncio.get_running_loop().time()
        for key, row in found.items():
            row["rate"] = self._rate(key, row["messages"], now)
        self._marks = {key: mark for key, mark in self._marks.items() if key in found}
        return found

    def _rate(self, key: str, messages: int, now: float) -> float:
        """Return messages per second since the last reading at least half a clock ago."""
        at, before, rate = self._marks.get(key, (now, messages, 0.0))
        passed = now - at
        if key not in self._marks:
            self._marks[key] = (now, messages, 0.0)
        elif passed >= CLOCK_SECONDS / 2:
            rate = round(max(0, messages - before) / passed, 1)
            self._marks[key] = (now, messages, rate)
        return rate

    def _read_sql(self) -> Known:
        group = Group.objects.filter(slug=self.slug).first()
        if group is None:
            return [], {}
        return list(Instance.objects.filter(group=group)), front_counts(group)

    def due_seconds(self) -> float | None:
        return CLOCK_SECONDS
