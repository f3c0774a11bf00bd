"""A queue in simulated time that differs from the model, and the ranges given to its visitors.

Agents take visitors in order. Rooms last lognormally, other queues take agents away without the
model's knowing, and visitors give up. Ranges are computed and calibrated by the product's own
functions, each from what had happened by then.
"""

import heapq
import random
from collections import deque
from dataclasses import dataclass
from statistics import fmean

from queueing.line.services.calibration import LOOKED_AT, PLAIN, Factors, RangeOutcome, calibrate
from queueing.line.services.estimates import Estimate, wait_range

AGENTS = 6
MEAN_ROOM_SECONDS = 300.0
SPREAD = 0.9  # of the logarithm of a room's length
AWAY_AFTER_ROOM = 0.5  # how often an agent serves elsewhere, unknown to the model
MEAN_AWAY_SECONDS = 600.0
MEAN_PATIENCE_SECONDS = 3_600.0
CALIBRATED_EVERY = 20  # visitors


@dataclass
class Visitor:
    """A visitor of the line. `told`: its range; `over_at`: when it was served, or gave up."""

    joined: float
    gives_up_at: float
    rank: int = 0
    told: Estimate | None = None
    is_served: bool = False
    over_at: float | None = None

    def outcome(self, now: float) -> RangeOutcome:
        """Return what calibration sees of it at a moment."""
        assert self.told is not None
        until = self.over_at if self.over_at is not None and self.over_at <= now else now
        seen = self.is_served and self.over_at is not None and self.over_at <= now
        return RangeOutcome(self.rank, self.told.expected_seconds, until - self.joined, seen)


class WaitingWorld:
    """Visitors come at a load: the room time that they need, divided by the agents' time."""

    def __init__(self, seed: int, load: float, *, is_calibrated: bool = True) -> None:
        self._dice = random.Random(seed)
        busy = MEAN_ROOM_SECONDS + AWAY_AFTER_ROOM * MEAN_AWAY_SECONDS
        self._every = busy / (AGENTS * load)
        self._is_calibrated = is_calibrated
        self._free = AGENTS
        self._ends: list[float] = []  # when agents are free again
        self._line: deque[Visitor] = deque()
        self._factors: Factors = PLAIN
        self._rooms: deque[float] = deque(maxlen=200)
        self.told: list[Visitor] = []

    def run(self, visitors: int) -> None:
        """Let `visitors` visitors come, and the line run empty."""
        at = 0.0
        for _ in range(visitors):
            at += self._dice.expovariate(1 / self._every)
            self._serve_until(at)
            self._joins(at)
        self._serve_until(float("inf"))

    def _joins(self, now: float) -> None:
        visitor = Visitor(now, now + self._dice.expovariate(1 / MEAN_PATIENCE_SECONDS))
        if self._free:
            self._begins(visitor, now)
            return
        self._line = deque(each for each in self._line if not self._gave_up(each, now))
        visitor.rank = len(self._line) + 1
        if len(self._rooms) >= 10:
            if self._is_calibrated and len(self.told) % CALIBRATED_EVERY == 0:
                self._factors = calibrate([each.outcome(now) for each in self.told[-LOOKED_AT:]])
            pace = fmean(self._rooms) / AGENTS
            visitor.told = wait_range(visitor.rank, pace, self._factors)
            self.told.append(visitor)
        self._line.append(visitor)

    def _gave_up(self, visitor: Visitor, now: float) -> bool:
        if visitor.gives_up_at > now:
            return False
        visitor.over_at = visitor.gives_up_at
        return True

    def _begins(self, visitor: Visitor, now: float) -> None:
        visitor.is_served, visitor.over_at = True, now
        self._free -= 1
        lasts = MEAN_ROOM_SECONDS * self._dice.lognormvariate(-SPREAD * SPREAD / 2, SPREAD)
        self._rooms.append(lasts)
        if self._dice.random() < AWAY_AFTER_ROOM:
            lasts += self._dice.expovariate(1 / MEAN_AWAY_SECONDS)
        heapq.heappush(self._ends, now + lasts)

    def _serve_until(self, at: float) -> None:
        while self._ends and self._ends[0] <= at:
            now = heapq.heappop(self._ends)
            self._free += 1
            while self._line and self._free:
                first = self._line.popleft()
                if not self._gave_up(first, now):
                    self._begins(first, now)


def share_inside(told: list[Visitor]) -> tuple[float, float]:
    """Return the shares inside, and sooner, of ranges with a known result, as pages count them."""
    of = inside = sooner = 0
    for each in told:
        assert each.told is not None
        assert each.over_at is not None
        waited = each.over_at - each.joined
        if not each.is_served and waited <= each.told.high_seconds:
            continue
        of += 1
        inside += each.is_served and each.told.low_seconds <= waited <= each.told.high_seconds
        sooner += waited < each.told.low_seconds
    return inside / of, sooner / of
