"""Many processes at one gate, judged by their own logs: the cap is kept, each task ends once."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate
from tests.admission.gate_support import SLUG, GateUnderTest, gate_on, sweeping

pytestmark = [pytest.mark.prove, pytest.mark.alone]

DEVICES = int(os.environ.get("GATE_SOAK_DEVICES", "800"))
PROCESSES, CAP, KILLS = 8, 20, 6
CALLER = Path(__file__).with_name("device_caller.py")
SETTINGS = gate.GateSettings(
    cap=CAP, permit_seconds=2, margin_seconds=1, longest_seconds=10, attempts=50, period_seconds=1
)


class Callers:
    """The devices' processes; each may be killed and started again."""

    def __init__(self, url: str, sha: str, folder: Path) -> None:
        self.url, self.sha, self.folder = url, sha, folder
        self.processes: dict[int, subprocess.Popen[str]] = {}
        self.logs: list[tuple[Path, int | None]] = []
        self._log_of: dict[int, int] = {}

    def start(self, number: int) -> None:
        each = DEVICES // PROCESSES
        log = self.folder / f"{number}-{len(self.logs)}.log"
        words = [self.url, self.sha, number * each, each, len(self.logs)]
        with log.open("w") as written:
            self.processes[number] = subprocess.Popen(
                [sys.executable, CALLER, *map(str, words)], stdout=written, text=True
            )
        self.logs.append((log, None))
        self._log_of[number] = len(self.logs) - 1

    def kill(self, number: int) -> None:
        self.processes[number].send_signal(signal.SIGKILL)
        self.processes[number].wait()
        place = self._log_of[number]
        self.logs[place] = (self.logs[place][0], time.monotonic_ns())
        self.start(number)

    def at_once(self) -> tuple[int, int]:
        """Return the most devices at work at the same moment, and the number of pieces of work."""
        moves: list[tuple[int, int]] = []
        for log, killed_ns in self.logs:
            running: dict[str, int] = {}
            for line in log.read_text().splitlines():
                word, moment, device, *rest = line.split()
                if word == "begin" and len(rest) == 2:
                    moves.append((int(moment), 1))
                    running[device] = int(rest[1])
                elif word == "end" and device in running:
                    moves.append((int(moment), -1))
                    del running[device]
            moves += [(min(killed_ns or until, until), -1) for until in running.values()]
        level = most = 0
        for _, step in sorted(moves):
            level += step
            most = max(most, level)
        return most, len(moves) // 2


def test_the_cap_holds_and_each_task_ends_once_whatever_gets_lost(
    clean_redis: RedisServer, tmp_path: Path
) -> None:
    with gate_on(clean_redis.url) as bench:
        bench.create(**{name: getattr(SETTINGS, name) for name in SETTINGS.__slots__})
        now_us = time.time_ns() // 1_000
        bench.run(gate.batch_open(SLUG, 1, now_us + 3_600_000_000))
        for start in range(0, DEVICES, 400):
            rows = [gate.StoredTask(n + 1, f"d{n}", "x") for n in range(start, start + 400)]
            assert bench.run(gate.load(SLUG, 1, rows)) == (400, 0)
        sha = bench.client.script_load(gate.SCRIPTS["report"].text)
        callers = Callers(clean_redis.url, sha, tmp_path)
        chance = random.Random(7)
        with sweeping(bench, clean_redis.url):
            for number in range(PROCESSES):
                callers.start(number)
            most = 0
            for kill in range(KILLS):
                goal = DEVICES * (kill + 1) // (KILLS + 2)
                while bench.show().done < goal:
                    most = max(most, bench.show().used)
                callers.kill(chance.randrange(PROCESSES))
            codes = [process.wait() for process in callers.processes.values()]
        assert codes == [0] * PROCESSES
        assert most <= CAP
        judged, pieces = callers.at_once()
        assert judged <= CAP, "the devices' own logs show more at once than the cap"
        assert pieces >= DEVICES
        _check_the_end(bench)


def _check_the_end(bench: GateUnderTest) -> None:
    figures = bench.show()
    assert (figures.used, figures.permits, figures.waiting) == (0, 0, 0)
    (batch,) = figures.batches
    assert (batch.pending, batch.running, batch.done + batch.failed) == (0, 0, DEVICES)
    ends = Counter(c.task for c in bench.changes() if c.event in ("done", "failed"))
    assert len(ends) == DEVICES
    assert set(ends.values()) == {1}
    assert figures.late > 0, "no result was late: the test did not try hard enough"
    bench.check_structure()
