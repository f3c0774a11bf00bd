"""`manage.py timers` as real processes, on a real Redis, without SQL and without Celery."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from poolsite import hotpath
from poolsite.jobs import sweeping
from poolsite.runtime.redis_server import RedisServer
from poolsite.timers import state
from queueing.admission import gate
from tests.support import forking
from tests.support.processes import Process, end
from tests.support.waiting import until

pytestmark = pytest.mark.processes
ROOT = Path(__file__).resolve().parents[2]
GENERATION = 1_600_000_000_000_000


class Runs:
    """The processes of a test. No database exists at the URL that they are given."""

    def __init__(self, folder: Path, redis_url: str) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "DATABASE_URL": f"sqlite:///{folder}/nowhere/there-is-none.sqlite3",
            "REDIS_URL": redis_url,
            "POOLSITE_DATA_DIR": str(folder),
        }
        self.running: list[Process] = []

    def start(self) -> Process:
        log = self.folder / f"timers-{len(self.running)}.log"
        process = forking.start(["manage.py", "timers"], self.environment, output=log)
        self.running.append(process)
        return process

    def logs(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))


@pytest.fixture
def runs(tmp_path: Path, clean_redis: RedisServer) -> Iterator[Runs]:
    hotpath.reset()
    runs = Runs(tmp_path, clean_redis.url)
    yield runs
    end(*runs.running)


def held_by() -> dict[str, tuple[int, ...]]:
    """Return process → its shards, for the processes that have reported recently."""
    return {mark.process: mark.shards for mark in state.read().processes}


def make(slug: str, permit_seconds: int = 2) -> None:
    settings = gate.GateSettings(cap=2, permit_seconds=permit_seconds, margin_seconds=1, fair=False)
    hotpath.run(gate.create(slug, GENERATION, settings))


def figures(slug: str) -> gate.GateFigures:
    shown = hotpath.run(gate.show(slug))
    assert shown is not None
    return shown


def expired(slug: str) -> int:
    return figures(slug).expired


def scripts_are_there() -> bool:
    return all(hotpath.client().script_exists(*(s.sha1 for s in gate.SCRIPTS.values())))


def test_it_ends_what_is_due_without_sql_and_gives_its_leases_back(runs: Runs) -> None:
    make("before")
    process = runs.start()
    hotpath.run(gate.acquire("before", "a"))
    until(lambda: state.read().running, evidence=runs.logs)
    make("after")  # announced by its script
    hotpath.run(gate.acquire("after", "b"))
    until(lambda: (expired("before"), expired("after")) == (1, 1), evidence=runs.logs)
    process.terminate()
    until(lambda: process.poll() is not None)
    assert process.returncode == 0
    now = state.read()
    assert (now.processes, len(now.unheld)) == ((), state.SHARDS)


def test_shorter_settings_count_at_once(runs: Runs) -> None:
    make("tower", permit_seconds=600)
    runs.start()
    until(lambda: state.read().running, evidence=runs.logs)
    settings = gate.GateSettings(cap=2, permit_seconds=2, margin_seconds=1, fair=False)
    hotpath.run(gate.configure("tower", settings))
    hotpath.run(gate.acquire("tower", "a"))
    until(lambda: expired("tower") == 1, evidence=runs.logs)


@pytest.mark.prove
def test_two_share_the_shards_and_one_takes_over_from_a_dead_one(runs: Runs) -> None:
    first = runs.start()
    until(lambda: state.read().running, evidence=runs.logs)
    runs.start()
    half = state.SHARDS // 2
    until(lambda: sorted(map(len, held_by().values())) == [half, half], evidence=runs.logs)
    for number in range(12):
        make(f"gate-{number}")
        hotpath.run(gate.acquire(f"gate-{number}", "a"))
    first.kill()
    until(lambda: all(expired(f"gate-{number}") == 1 for number in range(12)), evidence=runs.logs)
    until(lambda: state.read().running, evidence=runs.logs)
    ended = [
        change.event
        for number in range(12)
        for _, fields in hotpath.client().xrange(f"{{gate.gate-{number}}}:log")
        if (change := gate.read_change(fields)).event == "expired"
    ]
    assert len(ended) == 12, "each permit ended once"


@pytest.mark.prove
def test_scripts_are_loaded_again_after_they_were_flushed(runs: Runs) -> None:
    runs.start()
    until(lambda: state.read().running, evidence=runs.logs)
    hotpath.client().script_flush()
    until(scripts_are_there, evidence=runs.logs)


@pytest.mark.prove
def test_a_redis_that_was_killed_and_came_back_has_its_visits_again(
    runs: Runs, clean_redis: RedisServer
) -> None:
    runs.start()
    until(lambda: state.read().running, evidence=runs.logs)
    clean_redis.kill()
    clean_redis.start()
    make("tower")
    hotpath.run(gate.acquire("tower", "a"))
    until(lambda: expired("tower") == 1, evidence=runs.logs)
    until(lambda: state.read().running, evidence=runs.logs)
    until(scripts_are_there, evidence=runs.logs)


def test_while_the_clock_is_in_doubt_nothing_is_ended_and_the_mark_says_why(runs: Runs) -> None:
    sweeping.pause("clock step")
    runs.start()
    until(lambda: state.read().running, evidence=runs.logs)
    make("tower")
    hotpath.run(gate.acquire("tower", "a"))
    until(lambda: [mark.paused for mark in state.read().processes] == ["clock step"])
    until(lambda: figures("tower").used == 0, evidence=runs.logs)  # its time has passed
    assert expired("tower") == 0
    sweeping.resume()
    until(lambda: expired("tower") == 1, evidence=runs.logs)
