"""A cap that is lowered, raised or moves automatically, and a rate, while many processes race.

The judge is the log of an external system that counts its own clients (counting_system.py). A
client that works there requested its permit after the last change of the cap, so its gate knew
the new cap when it let the client in.
"""

import itertools
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate
from tests.admission.gate_support import SLUG, GateUnderTest, gate_on, sweeping
from tests.support.waiting import until

pytestmark = [pytest.mark.prove, pytest.mark.processes]

HERE = Path(__file__).parent
PROCESSES, HOLDERS = 4, 12  # of each process
SECOND_US = 1_000_000
Caps = list[tuple[int, int, int]]  # may have counted from µs, until µs, the cap


@dataclass(frozen=True)
class Step:
    """A change of the external system's count, with its client's line."""

    at_us: int
    by: int
    count: int
    holder: str
    asked_us: int
    answered_us: int


@dataclass
class Race:
    """Processes that race for the permits of one gate, and the external system's log."""

    bench: GateUnderTest
    log: Path
    complaints: Path

    def steps(self) -> list[Step]:
        lines = self.log.read_text().splitlines(keepends=True)
        words = (line.split() for line in lines if line.endswith("\n"))
        return [
            Step(int(at), int(by), int(count), holder, int(asked), int(answered))
            for at, by, count, holder, asked, answered in words
        ]

    def begun(self) -> int:
        return sum(step.by == 1 for step in self.steps())

    def wait_for(self, more: int) -> None:
        """Wait until `more` further clients have begun to work."""
        goal = self.begun() + more
        until(lambda: self.begun() >= goal, 60)

    def resize(self, cap: int) -> tuple[int, int]:
        """Change the cap. Return the times before and after."""
        before = time.time_ns() // 1_000
        self.bench.run(gate.resize(SLUG, cap, reason="the system is weaker now"))
        return before, time.time_ns() // 1_000

    def judge(self, caps: Caps) -> None:
        """Check that the number at work never passed a cap that can have let the last one in."""
        at_work: dict[str, int] = {}
        for step in self.steps():
            if step.by == -1:
                del at_work[step.holder]
                continue
            assert step.holder not in at_work
            at_work[step.holder] = step.asked_us
            newest = max(at_work.values())
            allowed = [cap for since, ends, cap in caps if since <= step.at_us and ends >= newest]
            assert step.count <= max(allowed), f"{step}: the cap was {allowed}"
        assert self.complaints.read_text() == "", "a permit ended before its holder's work"


@contextmanager
def racing(url: str, folder: Path, *, strength: int, **settings: object) -> Iterator[Race]:
    """Let 48 holders in 4 processes race for permits while the block runs."""
    system, log, complaints = folder / "s", folder / "system.log", folder / "complaints.log"
    with ExitStack() as stack:
        bench = stack.enter_context(gate_on(url))
        bench.create(permit_seconds=60, longest_seconds=60, **settings)
        stack.enter_context(sweeping(bench, url))
        shas = [
            bench.client.script_load(gate.SCRIPTS[name].text) for name in ("acquire", "release")
        ]
        output = stack.enter_context(complaints.open("w"))

        def start(program: str, *words: object) -> None:
            command = [sys.executable, HERE / program, *map(str, words)]
            process = subprocess.Popen(command, stdout=output, stderr=output)
            stack.callback(process.wait)
            stack.callback(process.kill)

        start("counting_system.py", system, strength, log)
        until(system.exists)
        for number in range(PROCESSES):
            start("holder_caller.py", url, *shas, system, number * HOLDERS, HOLDERS)
        yield Race(bench, log, complaints)


def test_a_lowered_cap_lets_nobody_in_above_it_and_drops_nobody(
    clean_redis: RedisServer, tmp_path: Path
) -> None:
    with racing(clean_redis.url, tmp_path, strength=99, cap=20) as race:
        until(lambda: max((step.count for step in race.steps()), default=0) == 20, 60)
        lowered = race.resize(5)
        race.wait_for(60)  # at most 48 of them had asked before
        raised = race.resize(12)
        until(lambda: race.steps()[-1].count == 12, 60)
        race.wait_for(60)
    far = time.time_ns()
    race.judge([(0, lowered[1], 20), (lowered[0], raised[1], 5), (raised[0], far, 12)])
    begun = [step for step in race.steps() if step.by == 1 and lowered[1] < step.asked_us]
    assert sum(step.at_us < raised[0] for step in begun) >= 12  # with 5 slots, too


def test_a_rate_is_passed_in_no_second(clean_redis: RedisServer, tmp_path: Path) -> None:
    rate = 10
    with racing(clean_redis.url, tmp_path, strength=99, cap=1_000, rate_per_second=rate) as race:
        race.wait_for(5 * rate)
        assert race.bench.show().refused > 0
    starts = sorted((s.asked_us, s.answered_us) for s in race.steps() if s.by == 1)
    for first, _ in starts:
        within = [asked for asked, end in starts if first <= asked and end < first + SECOND_US]
        assert len(within) <= rate, f"{len(within)} starts within a second from {first}"


def test_an_adaptive_cap_follows_the_system_and_is_passed_at_no_size(
    clean_redis: RedisServer, tmp_path: Path
) -> None:
    least, most, strength = 4, 24, 10
    adaptive = {
        "adaptive": True,
        "adaptive_min": least,
        "adaptive_max": most,
        "adaptive_down_percent": 50,
        "adaptive_interval_seconds": 1,
    }
    with racing(clean_redis.url, tmp_path, strength=strength, cap=20, **adaptive) as race:

        def moves() -> list[gate.GateChange]:
            return [each for each in race.bench.changes() if each.event == "resized"]

        until(lambda: {move.reason for move in moves()[1:]} >= {"errors", "healthy"}, 120)
        changes = moves()
    caps: Caps = []
    sizes = [(0, 20), *((move.at_us, int(move.data.split()[1])) for move in changes)]
    for (since, cap), (ends, _) in itertools.pairwise([*sizes, (time.time_ns(), 0)]):
        caps.append((since, ends, cap))
    race.judge(caps)
    assert all(least <= cap <= most for _, _, cap in caps)
    for move in changes:
        before, after = map(int, move.data.split())
        assert (after < before) == (move.reason == "errors")
