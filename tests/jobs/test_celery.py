"""Real beats and a real worker: sweeps survive a killed beat, jobs a killed worker."""

import json
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from poolsite import hotpath
from poolsite.jobs import presence, queues, sweeping
from poolsite.jobs.models import Job
from tests.jobs.worker_app import SEEN
from tests.support import forking
from tests.support.database import lay_migrated
from tests.support.processes import Process, end
from tests.support.waiting import patient, until

pytestmark = pytest.mark.prove

ROOT = Path(__file__).resolve().parents[2]
OFTEN = "operations.health"  # every 5 s


class Processes:
    """Celery processes on a file database and this test's Redis."""

    def __init__(self, folder: Path, redis_url: str) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "DATABASE_URL": f"sqlite:///{folder / 'celery.sqlite3'}",
            "REDIS_URL": redis_url,
            "POOLSITE_DATA_DIR": str(folder),
            "PYTHONPATH": str(ROOT),
        }
        self.running: list[Process] = []

    def migrate(self) -> None:
        lay_migrated(self.folder / "celery.sqlite3")

    def start(self, *words: str) -> Process:
        command = ["-m", "celery", "-A", "tests.jobs.worker_app", *words]
        log = self.folder / f"{words[0]}-{len(self.running)}.log"
        process = forking.start(command, self.environment, output=log)
        self.running.append(process)
        return process

    def manage(self, code: str) -> str:
        """Run Python code in a separate process on this database. Return what it printed."""
        lines = "import poolsite, django; django.setup(); import tests.jobs.worker_app\n" + code
        done = forking.run(["-c", lines], self.environment, timeout=patient(60))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def logs(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def stop(self) -> None:
        end(*self.running)


@pytest.fixture
def processes(tmp_path, clean_redis):
    hotpath.reset()
    started = Processes(tmp_path, clean_redis.url)
    yield started
    started.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def worker(request, processes):
    """A worker with one process, on SQLite or PostgreSQL."""
    if request.param == "postgres":
        processes.environment["DATABASE_URL"] = request.getfixturevalue("postgres_url")
    processes.start("worker", "-c", "1", "-l", "WARNING", "-n", "w4@test")
    return processes


def connections_of_tasks(processes, count):
    """Run `count` tasks one after the other. Return the connections that they used."""
    hotpath.client().delete(SEEN)
    task = "tests.jobs.worker_app.connection_used"
    processes.manage(f"for _ in range({count}): {task}.delay()")
    until(lambda: hotpath.client().llen(SEEN) == count, evidence=processes.logs)
    return {int(each) for each in hotpath.client().lrange(SEEN, 0, -1)}


def ran_after(moment):
    run = sweeping.last_runs(OFTEN).get(0)
    return run is not None and run.at > moment


def test_two_beats_and_a_worker_run_the_sweeps_and_a_killed_beat_is_not_missed(processes):
    processes.migrate()
    beats = [processes.start("beat", "--pidfile=", "-l", "WARNING") for _ in range(2)]
    processes.start("worker", "-c", "2", "-l", "WARNING", "-n", "w1@test")
    until(lambda: ran_after(0), evidence=processes.logs)
    until(
        lambda: [w.name for w in presence.workers() if w.alive] == ["w1@test"],
        evidence=processes.logs,
    )
    assert sweeping.beat_alive()
    beats[0].kill()
    killed_at = time.time()
    until(lambda: ran_after(killed_at), evidence=processes.logs)
    until(lambda: len(sweeping.last_runs("history.drain")) == 4, evidence=processes.logs)
    errors = [run.error for run in sweeping.last_runs("history.drain").values() if run.error]
    assert errors == []
    ticks = hotpath.client().keys(f"tick:{OFTEN}:*")
    assert ticks, "periods are marked, so that of two beats' ticks one counts"


def test_workers_name_their_queues_and_count_what_came_too_late(processes):
    processes.migrate()
    processes.start("worker", "-Q", "books,history", "-c", "1", "-n", "w5@test", "-l", "WARNING")
    states = lambda: {state.name: state for state in queues.queues()}  # noqa: E731
    until(lambda: states()["books"].workers == ("w5@test",), evidence=processes.logs)
    assert states()["history"].workers == ("w5@test",)
    assert states()["jobs"].workers == ()
    processes.manage(
        "from datetime import datetime, UTC; from poolsite.jobs.tasks import run_shard\n"
        "for queue in ('books', 'books', 'jobs'):\n"
        "    late = datetime(2026, 1, 1, tzinfo=UTC)\n"
        "    run_shard.apply_async(('history.drain', 0), queue=queue, expires=late)"
    )
    until(lambda: states()["books"].expired_last_hour == 2, evidence=processes.logs)
    assert states()["jobs"].expired_last_hour == 0


def test_a_worker_that_is_stopped_leaves_by_the_door(processes):
    processes.migrate()
    worker = processes.start("worker", "-c", "1", "-l", "WARNING", "-n", "w2@test")
    until(lambda: [w.name for w in presence.workers()] == ["w2@test"], evidence=processes.logs)
    worker.send_signal(signal.SIGTERM)
    worker.wait(timeout=patient(30))
    assert presence.workers() == []


def test_a_job_whose_worker_is_killed_goes_on_from_its_cursor_and_does_nothing_twice(processes):
    processes.migrate()
    processes.start("beat", "--pidfile=", "-l", "WARNING")
    processes.start("worker", "-c", "2", "-l", "WARNING", "-n", "w3@test")
    start = "from poolsite import jobs; print(jobs.start('test.slow', actor=None).pk)"
    job = int(processes.manage(start))
    look = f"SELECT state, fence, done, cursor FROM {Job._meta.db_table} WHERE id = ?"

    def state():
        with closing(sqlite3.connect(processes.folder / "celery.sqlite3")) as database:
            state, fence, done, cursor = database.execute(look, [job]).fetchone()
        return state, fence, done, json.loads(cursor)

    until(lambda: state()[2] >= 3, evidence=processes.logs)
    os.kill(state()[3]["pid"], signal.SIGKILL)
    until(lambda: state()[0] == "done", seconds=90, evidence=processes.logs)
    assert state()[1] == 2
    count = "from poolsite.access.models import Account; print(Account.objects.count())"
    assert processes.manage(count) == "30"


def test_a_workers_tasks_share_a_connection_to_sql(worker):
    """PostgreSQL's pool starts with two; SQLite's thread keeps its connection for a moment."""
    assert len(connections_of_tasks(worker, 9)) <= 2


@pytest.mark.parametrize("worker", ["postgres"], indirect=True)
def test_a_worker_whose_connection_was_cut_has_the_next_task_done(worker, postgres_server):
    first = connections_of_tasks(worker, 2)
    with postgres_server.connect() as other:
        for pid in first:
            other.execute("SELECT pg_terminate_backend(%s)", [pid])
    assert connections_of_tasks(worker, 2).isdisjoint(first)
