"""Eight processes on one desk, killed at random: the four laws, by the clients' own logs."""

import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from poolsite.runtime.redis_server import RedisServer, die_with_parent
from tests.line.desk.desk_support import DeskUnderTest, desk_on
from tests.line.judge import judge, read_logs
from tests.line.soak_caller import AGENTS_EACH, QUEUE, capacity_of
from tests.live.servers import ROOT
from tests.support.waiting import until

pytestmark = [pytest.mark.prove, pytest.mark.alone]

SECONDS = float(os.environ.get("LINE_SOAK_SECONDS", "30"))
SEED = int(os.environ.get("LINE_SEED", "20261122"))
TTL_SECONDS, GRACE_SECONDS = 2, 4
CREW = (
    *(("visitors", f"visitors-{number}") for number in range(5)),
    *(("agents", f"agents-{number}") for number in range(2)),
    ("sweep", "sweep-0"),
)
REST_SECONDS = 90.0


@dataclass
class Crew:
    """The processes. A killed one comes back."""

    url: str
    folder: Path
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    kills: int = 0

    def start(self, play: str, name: str) -> None:
        words = [play, self.url, str(self.folder), name, str(SEED)]
        self.running[name] = subprocess.Popen(
            [sys.executable, "-m", "tests.line.soak_caller", *words],
            cwd=ROOT,
            preexec_fn=die_with_parent,
        )

    def kill(self, name: str) -> None:
        """Kill a process as a crash would."""
        self.running[name].kill()
        self.running[name].wait()
        self.kills += 1

    def stop(self) -> None:
        for process in self.running.values():
            process.kill()
            process.wait()


def _hurt(crew: Crew, dice: random.Random) -> None:
    """Kill one after the other. Each comes back after 0 to 3 s: longer than a heartbeat."""
    due: list[tuple[float, str, str]] = []
    end = time.monotonic() + SECONDS  # waits: so long is the soak
    while time.monotonic() < end or due:
        now = time.monotonic()
        for each in [each for each in due if each[0] <= now]:
            due.remove(each)
            crew.start(*each[1:])
        away = {name for _, _, name in due}
        able = [who for who in CREW if who[1] not in away]
        if now < end and able:
            play, name = dice.choice(able)
            assert crew.running[name].poll() is None, f"{name} ended by itself"
            crew.kill(name)
            due.append((now + dice.uniform(0, TTL_SECONDS * 1.5), play, name))
        time.sleep(dice.uniform(0.5, 2))  # waits: the pace of the kills


def _make(bench: DeskUnderTest) -> None:
    bench.create()
    bench.queue(QUEUE, ttl_seconds=TTL_SECONDS, grace_seconds=GRACE_SECONDS)
    for agent in range(1, 2 * AGENTS_EACH + 1):
        bench.agent(agent, QUEUE, capacity=capacity_of(agent), ttl_seconds=TTL_SECONDS)


def test_the_four_laws_hold_by_the_clients_own_logs(
    clean_redis: RedisServer, tmp_path: Path
) -> None:
    print(f"LINE_SEED={SEED} LINE_SOAK_SECONDS={SECONDS:.0f}")
    crew = Crew(clean_redis.url, tmp_path)
    with desk_on(clean_redis.url) as bench:
        _make(bench)
        try:
            for play, name in CREW:
                crew.start(play, name)
            logs = [tmp_path / f"{name}.jsonl" for play, name in CREW if play != "sweep"]
            until(lambda: all(log.exists() and log.stat().st_size for log in logs))
            _hurt(crew, random.Random(SEED))
            (tmp_path / "rest").touch()
            visitors = [crew.running[name] for play, name in CREW if play == "visitors"]
            until(lambda: all(process.poll() is not None for process in visitors), REST_SECONDS)
            assert [process.returncode for process in visitors] == [0] * len(visitors)
            assert bench.wrong() == []
        finally:
            crew.stop()
        figures = bench.figures()
        read = read_logs(sorted(tmp_path.glob("*.jsonl")))
        judged = judge(read, TTL_SECONDS)
        print(judged, f"{crew.kills} kills")
        assert figures.joined == len(read.visits) == judged["ended"]
        assert sum(queue.waiting for queue in figures.queues.values()) == 0
        assert crew.kills >= SECONDS / 3
        assert min(judged["rooms"], judged["matches"], judged["free"]) > 50
        kinds = {entry["k"] for entry in bench.log()}
        assert {"agent_lost", "returned", "away", "back"} <= kinds
