"""A worker and a beat survive outages of Redis, and consume again without intervention."""

import itertools
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.jobs import sweeping
from poolsite.runtime.redis_server import RedisServer
from tests.jobs.test_celery import Processes
from tests.support.ports import free_port
from tests.support.waiting import until

pytestmark = pytest.mark.prove
AGAIN_SECONDS = 30.0


class Load:
    """Sends tasks to the workers continuously. Each task writes its number to `log`."""

    def __init__(self, processes: Processes, log: Path) -> None:
        self.processes = processes
        self.log = log
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.sent = 0

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        from tests.jobs.worker_app import app, note

        with app.connection_for_write(self.processes.environment["REDIS_URL"]) as connection:
            for number in itertools.count():
                if self._over.wait(0.02):  # waits: fifty tasks a second
                    return
                try:
                    note.apply_async(
                        (str(self.log), str(number)), connection=connection, retry=False
                    )
                except (OperationalError, RedisError, OSError):
                    continue
                self.sent = number

    def until_consumed_again(self) -> None:
        """Wait until a task has run that was sent after this call."""
        from_now = self.sent + 1
        until(lambda: self._newest() > from_now, AGAIN_SECONDS, evidence=self.processes.logs)

    def _newest(self) -> int:
        lines = self.log.read_text().split() if self.log.exists() else []
        return max(map(int, lines), default=-1)


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis", port=free_port()).start()
    with hotpath.connect(server.url):
        yield server
    server.stop()


@pytest.fixture
def processes(tmp_path: Path, redis: RedisServer) -> Iterator[Processes]:
    """A running beat and a running worker."""
    started = Processes(tmp_path, redis.url)
    started.migrate()
    started.start("beat", "--pidfile=", "-l", "WARNING")
    started.start("worker", "-c", "2", "-l", "WARNING", "-n", "w@test")
    yield started
    started.stop()


@pytest.fixture
def load(processes: Processes, tmp_path: Path) -> Iterator[Load]:
    with Load(processes, tmp_path / "notes") as running:
        running.until_consumed_again()
        yield running


def test_workers_consume_again_after_each_of_five_kills_of_redis(redis, processes, load):
    for _ in range(5):
        assert redis.process is not None
        redis.process.kill()
        redis.process.wait()
        redis.start()
        load.until_consumed_again()
        sweeps_run_again(processes)
    assert all(process.poll() is None for process in processes.running), processes.logs()


def test_workers_outlive_a_redis_without_memory_and_one_that_answers_nobody(redis, processes, load):
    with redis.client() as client:
        client.config_set("maxmemory", "1")
        refused_for_a_while()
        client.config_set("maxmemory", "0")
    load.until_consumed_again()
    sweeps_run_again(processes)
    assert redis.process is not None
    redis.process.send_signal(signal.SIGSTOP)
    refused_for_a_while()
    redis.process.send_signal(signal.SIGCONT)
    load.until_consumed_again()
    sweeps_run_again(processes)
    assert all(process.poll() is None for process in processes.running), processes.logs()


def refused_for_a_while() -> None:
    """Wait until every connection of a worker must have failed more than once."""
    time.sleep(8)  # waits: that is what the workers have to outlive


def sweeps_run_again(processes: Processes) -> None:
    """Wait for the run of a sweep that was scheduled after this call."""
    began = time.time()

    def ran() -> bool:
        run = sweeping.last_runs("jobs.resume").get(0)
        return run is not None and run.at > began

    until(ran, AGAIN_SECONDS, evidence=processes.logs)
