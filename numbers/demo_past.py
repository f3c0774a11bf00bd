"""The demo's past: an hour of simulated calls, so that charts and the sizing advice have data.

A loss system in simulated time: Poisson arrivals under a slowly changing load, exponential call
lengths, the longest idle number first, and blocked calls when no number is free. Only the demo
creates it. Its rows have generation 0, which no data in Redis has.
"""

import heapq
import math
import random
import zlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from numbers.models import CallRecord, MinuteSample, Pool

PAST_GENERATION = 0
PAST_HOURS = 1
ANSWERED, BAD_ANSWERED, BAD_OF = 0.65, 0.08, 40
RING_SECONDS = 20.0
UNANSWERED_CAUSES = ("17", "19", "19", "18", "21")


@dataclass(frozen=True)
class Traffic:
    """The offered load: Erlangs on average, a swing around it (a share), and the mean call."""

    offered_erlangs: float
    mean_call_seconds: float
    agents: Sequence[str]
    swing: float = 0.12

    def at(self, share_of_time: float) -> float:
        """Offered Erlangs at a point of the past: 0 is its start, 1 is now."""
        return self.offered_erlangs * (
            1 + self.swing * math.sin(math.pi * (2 * share_of_time - 0.6))
        )


class PoolPast:
    """Simulates the past of one pool. `run` returns unsaved rows."""

    def __init__(self, pool: Pool, lines: Sequence[str], traffic: Traffic, seed: int) -> None:
        self.pool, self.traffic = pool, traffic
        self.chance = random.Random(seed)  # noqa: S311  a simulation, no secret
        self.idle = deque(lines)
        self.busy: list[tuple[float, str, int]] = []
        self.calls: list[CallRecord] = []
        self.samples: list[MinuteSample] = []

    def run(self, end: datetime) -> tuple[list[MinuteSample], list[CallRecord]]:
        """Return the minute samples and the ended calls of the hour before `end`."""
        start = end - timedelta(hours=PAST_HOURS)
        began, finish = start.timestamp(), end.timestamp()
        now = began - 4 * self.traffic.mean_call_seconds  # so that the load is steady by then
        minute = began
        counted = {"offered": 0, "carried": 0, "blocked": 0}
        while now < finish:
            rate = (
                self.traffic.at((now - began) / (finish - began)) / self.traffic.mean_call_seconds
            )
            now += self.chance.expovariate(rate)
            while now >= minute + 60 and minute < finish:
                self._hang_up_until(minute + 60)
                self._sample(minute, counted)
                counted = dict.fromkeys(counted, 0)
                minute += 60
            self._hang_up_until(now)
            carried = self._call(now)
            if now >= began:
                counted["offered"] += 1
                counted["carried" if carried else "blocked"] += 1
        still_running = {index for _, _, index in self.busy}
        ended = [
            call
            for index, call in enumerate(self.calls)
            if index not in still_running and call.started_at >= start
        ]
        return self.samples, ended

    def _call(self, now: float) -> bool:
        if not self.idle:
            return False
        line = self.idle.popleft()
        length, answered, talk, cause = self._end(line)
        heapq.heappush(self.busy, (now + length, line, len(self.calls)))
        self.calls.append(
            CallRecord(
                pool=self.pool,
                number=line,
                call_id=f"past-{self.pool.slug}-{len(self.calls)}",
                agent=self.chance.choice(self.traffic.agents),
                callee="+861" + "".join(self.chance.choices("3456789", k=10)),
                switch="fs-01",
                started_at=datetime.fromtimestamp(now, UTC),
                ended_at=datetime.fromtimestamp(now + length, UTC),
                ended_how="hangup",
                answered=answered,
                talk_seconds=talk if answered else None,
                cause=cause,
                generation=PAST_GENERATION,
                seq=len(self.calls) + 1,
            )
        )
        return True

    def _end(self, line: str) -> tuple[float, bool, int, str]:
        """Return a call's length, whether it is answered, its talk time, and its release cause.

        As in the simulator: two of three calls are answered, but hardly any of the few bad numbers.
        """
        mean = self.traffic.mean_call_seconds
        ring = min(RING_SECONDS, mean / 2)
        share = BAD_ANSWERED if zlib.crc32(line.encode()) % BAD_OF == 0 else ANSWERED
        if self.chance.random() >= share:
            cause = self.chance.choice(UNANSWERED_CAUSES)
            return self.chance.expovariate(1 / ring), False, 0, cause
        length = self.chance.expovariate(ANSWERED / (mean - (1 - ANSWERED) * ring))
        return length, True, int(max(0.0, length - self.chance.uniform(0, ring))), "16"

    def _hang_up_until(self, now: float) -> None:
        while self.busy and self.busy[0][0] <= now:
            self.idle.append(heapq.heappop(self.busy)[1])

    def _sample(self, minute: float, counted: dict[str, int]) -> None:
        self.samples.append(
            MinuteSample(
                pool=self.pool,
                minute=datetime.fromtimestamp(minute, UTC),
                idle_up=len(self.idle),
                busy_up=len(self.busy),
                call_seconds=len(self.busy) * 60,
                **counted,
            )
        )
