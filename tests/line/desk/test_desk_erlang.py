"""A desk in simulated time against Erlang C: how many wait, how long, and what they were told.

Poisson arrivals, exponential rooms, agents with one room each: the desk is then an M/M/c queue, for
which Erlang's formula gives the probability of waiting and the mean wait exactly. The scripts that
run are the product's own, under the test's clock; every arrival and every end of a room is one
event. Intervals are of 99.9 %, from batch means; the seed is printed, and LINE_SEED= sets it.
"""

import heapq
import os
import random
from collections import deque
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

import pytest

from numbers.erlang import blocking
from poolsite.hotpath import Command
from poolsite.runtime.redis_server import RedisServer
from queueing.line import desk
from queueing.line.services.estimates import wait_range
from tests.line.desk.desk_support import SLUG, DeskUnderTest, desk_on
from tests.support.clock import KEY, ScriptClock

pytestmark = pytest.mark.prove

SEED = int(os.environ.get("LINE_SEED", "20261122"))
AGENTS = 6
MEAN_ROOM_SECONDS = 600.0
VISITORS = 9_000
WARM_UP = 300
BATCHES = 20
T_999 = 3.883  # Student's t, 19 degrees of freedom, two-sided 99.9 %
FOR_EVER = 10_000_000  # seconds: everyone keeps responding in this test


@dataclass
class Floor:
    """A desk with its agents, and the events that are still to come."""

    bench: DeskUnderTest
    clock: ScriptClock
    dice: random.Random
    arrivals_per_second: float
    events: list[tuple[int, int, int, str]] = field(default_factory=list)  # µs, tie, agent, visit
    line: deque[str] = field(default_factory=deque)
    arrived: dict[str, int] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    inside: list[tuple[bool, bool]] = field(default_factory=list)
    told: dict[str, tuple[int, int]] = field(default_factory=dict)

    def run(self, visitors: int) -> None:
        """Let `visitors` visitors come, and serve every one of them."""
        begin = self.clock.now_us
        at, come = float(begin), 0
        while come < visitors or self.events:
            nearest = self.events[0][0] if self.events else None
            if come < visitors and (nearest is None or at < nearest):
                self._arrives(f"v{come}", round(at))
                come += 1
                at += self.dice.expovariate(self.arrivals_per_second) * 1_000_000
            else:
                self._finishes(*heapq.heappop(self.events))

    def _at(self, now_us: int, command: Command[Any]) -> list[str]:
        """Set the clock and run one script, in one round trip."""
        pipeline = self.bench.client.pipeline(transaction=False)
        pipeline.set(KEY, now_us)
        pipeline.execute_command(*command.evalsha())
        reply: list[str] = pipeline.execute()[1]
        return reply

    def _arrives(self, visit: str, now_us: int) -> None:
        standing = desk.join(SLUG, visit, 1)
        read = standing.read(self._at(now_us, standing))
        self.arrived[visit] = now_us
        if read.answer == "room":
            assert not self.line, "taken before those who wait"
            assert read.agent is not None
            self._begins(visit, read.agent, now_us)
            return
        assert (read.answer, read.ahead) == ("waiting", len(self.line))
        told = wait_range(read.ahead + 1, MEAN_ROOM_SECONDS / AGENTS)
        self.told[visit] = (told.low_seconds, told.high_seconds)
        self.line.append(visit)

    def _begins(self, visit: str, agent: int, now_us: int) -> None:
        waited = (now_us - self.arrived[visit]) / 1_000_000
        self.waits.append(waited)
        if visit in self.told:
            low, high = self.told[visit]
            self.inside.append((waited < low, waited <= high))
        lasts = self.dice.expovariate(1 / MEAN_ROOM_SECONDS) * 1_000_000
        ends = now_us + max(1, round(lasts))
        heapq.heappush(self.events, (ends, len(self.waits), agent, visit))

    def _finishes(self, now_us: int, _tie: int, agent: int, visit: str) -> None:
        reply = self._at(now_us, desk.finish(SLUG, agent, visit))
        assert reply[0] == "ok"
        if not self.line:
            assert reply[3] == "-"
            return
        first = self.line.popleft()
        assert reply[3] == f"r{first}", "not the one who had waited longest"
        self._begins(first, agent, now_us)


def erlang_c(offered_erlangs: float, agents: int) -> tuple[float, float]:
    """Return the probability of waiting, and the mean wait in mean services, over all visitors."""
    lost = blocking(offered_erlangs, agents)
    waits = lost / (1 - offered_erlangs / agents * (1 - lost))
    return waits, waits / (agents - offered_erlangs)


def batch_interval(values: list[float]) -> tuple[float, float]:
    """Return the mean, and half the width of its 99.9 % interval, by batch means."""
    size = len(values) // BATCHES
    means = [fmean(values[start : start + size]) for start in range(0, size * BATCHES, size)]
    return fmean(means), T_999 * stdev(means) / BATCHES**0.5


@pytest.mark.parametrize("load", [0.6, 0.7, 0.8])
def test_waiting_is_as_erlang_says_and_as_visitors_were_told(
    clean_redis: RedisServer, test_clock: ScriptClock, load: float
) -> None:
    print(f"LINE_SEED={SEED} load {load}")
    offered = AGENTS * load
    with desk_on(clean_redis.url, test_clock) as bench:
        bench.create()
        bench.queue(1, ttl_seconds=FOR_EVER)
        for agent in range(1, AGENTS + 1):
            bench.agent(agent, 1, ttl_seconds=FOR_EVER, online=True)
        for name in ("join", "finish"):
            bench.client.script_load(desk.SCRIPTS[name].text)
        dice = random.Random(SEED + round(load * 100))
        floor = Floor(bench, test_clock, dice, offered / MEAN_ROOM_SECONDS)
        floor.run(VISITORS)
        assert bench.wrong() == []
        assert bench.figures().answered == VISITORS
    waits, mean_wait = erlang_c(offered, AGENTS)
    seen = floor.waits[WARM_UP:]
    share, share_half = batch_interval([float(wait > 0) for wait in seen])
    mean, mean_half = batch_interval([wait / MEAN_ROOM_SECONDS for wait in seen])
    print(f"P(wait) {share:.4f} ± {share_half:.4f}, Erlang C {waits:.4f}")
    print(f"mean wait {mean:.4f} ± {mean_half:.4f} services, Erlang C {mean_wait:.4f}")
    assert abs(share - waits) <= share_half
    assert abs(mean - mean_wait) <= mean_half
    assert share_half < 0.35 * waits  # otherwise the comparison could not fail
    assert mean_half < 0.6 * mean_wait
    for place, promised in ((0, 0.1), (1, 0.9)):
        hits, half = batch_interval([float(each[place]) for each in floor.inside])
        print(f"told {promised:.0%}: {hits:.4f} ± {half:.4f}")
        assert abs(hits - promised) <= half + 0.01  # seconds are whole, quantiles are close
        assert half < 0.2
