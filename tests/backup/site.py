"""For the drill: a small site of real processes, with a PostgreSQL and a Redis that can be lost."""

import json
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from poolsite.runtime.redis_server import RedisServer
from tests.chaos.console import Completed, manage
from tests.chaos.processes import StackProcess
from tests.support.environment import SAFE
from tests.support.ports import free_port
from tests.support.postgres import PostgresServer
from tests.support.rates import GENEROUS
from tests.support.waiting import patient, until

DATABASE = "drill"
SIMULATOR = "integrations.simulator"
READY_SECONDS = 90.0


class DrillSite:
    """A web process, a worker with its beat, and timers, with switches and visitors as load.

    The load logs the answers that it gets, in `folder`. It continues while the site is down.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.postgres = PostgresServer()
        self.redis_port, self.web_port = free_port(), free_port()
        self.redis = self._new_redis("redis")
        self.environment: dict[str, str] = {}
        self.simulation: dict[str, Any] = {}
        self.services: list[StackProcess] = []
        self.load: list[StackProcess] = []

    def start(self) -> None:
        """Create the stores and the demo's data, and start the processes and the load."""
        self.redis.start()
        self.postgres.start()
        self.environment.update(self._environment(self.postgres.create_database(DATABASE)))
        self.manage_well("migrate", "--verbosity=0")
        self.manage_well("demo_data", "--small")
        self.simulation = json.loads((self.folder / "demo" / "simulation.json").read_text())
        self._define()
        self.start_services()
        for process in self.load:
            process.start()

    def _environment(self, database: str) -> dict[str, str]:
        return {
            **GENEROUS,
            **SAFE,
            "REDIS_URL": f"redis://127.0.0.1:{self.redis_port}/0",
            "DATABASE_URL": database,
            "POOLSITE_DATA_DIR": str(self.folder),
            "POOLSITE_DEMO": "1",
            "POOLSITE_PERSIST_SECONDS": "60",  # as in production, where Redis is ahead of SQL
            "POOLSITE_LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "poolsite.settings",
        }

    def _define(self) -> None:
        config = ["--config", str(self.folder / "demo" / "simulation.json"), "--rest-on-stop"]
        address = ["--url", f"http://127.0.0.1:{self.web_port}"]
        web = ["--port", str(self.web_port), "--lifespan", "off", "--no-access-log"]
        celery = ["celery", "-A", "poolsite", "worker", "-c", "2", "-B", "-s"]
        celery += [str(self.folder / "beat"), "--without-gossip", "--without-mingle"]
        for name, words in (
            ("web", ["uvicorn", "poolsite.asgi:application", *web]),
            ("worker", celery),
            ("timers", ["manage", "timers"]),
        ):
            self.services.append(self._process(name, words))
        for name, words in (
            ("switches", [SIMULATOR, *config, *address, "--log", str(self.calls)]),
            ("people", [f"{SIMULATOR}.desk", *config, *address, "--log", str(self.visits)]),
        ):
            self.load.append(self._process(name, words))

    def _process(self, name: str, words: list[str]) -> StackProcess:
        return StackProcess(name, [sys.executable, "-m", *words], self.environment, self.folder)

    @property
    def calls(self) -> Path:
        """The log of the switches' calls."""
        return self.folder / "calls.jsonl"

    @property
    def visits(self) -> Path:
        """The log of what visitors and agents were sent."""
        return self.folder / "visits.jsonl"

    # -- commands and stores ----------------------------------------------------------------------

    def manage(self, *arguments: str) -> Completed:
        return manage([*arguments], self.environment)

    def manage_well(self, *arguments: str) -> str:
        """Run a command that must succeed. Return what it printed."""
        done = self.manage(*arguments)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self.postgres.connect(DATABASE) as connection:
            return connection.execute(query.encode(), values or None).fetchall()

    def start_services(self) -> None:
        """Start the services, and wait until the site reports that it is ready."""
        for process in self.services:
            process.start()
        until(lambda: self._status("readyz") == 200, READY_SECONDS, self._logs)

    def _status(self, path: str) -> int:
        try:
            return httpx.get(
                f"http://127.0.0.1:{self.web_port}/{path}", trust_env=False
            ).status_code
        except httpx.HTTPError:
            return 0

    def _logs(self) -> str:
        paths = (self.folder / f"{process.name}.log" for process in self.services)
        return "\n".join(path.read_text()[-1500:] for path in paths)

    def destroy(self) -> None:
        """Lose everything except the backup: processes, Redis with its folder, the database."""
        for process in self.services:
            process.kill()
        self.redis.kill()
        shutil.rmtree(self.redis.folder)
        with self.postgres.connect() as connection:
            connection.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)".encode())
            connection.execute(f"CREATE DATABASE {DATABASE}".encode())
        self.redis = self._new_redis("redis-2")
        self.redis.start()

    def _new_redis(self, name: str) -> RedisServer:
        return RedisServer(self.folder / name, port=self.redis_port)

    def stop(self) -> None:
        """End and remove everything that this object started."""
        for process in [*self.services, *self.load]:
            process.signal(signal.SIGCONT)
            process.kill()
        self.redis.stop()
        self.postgres.remove()


@dataclass
class Holder:
    """Holds the price of a message again and again, and records which holds were acknowledged when.

    held: message → (time of the answer, time of the request), in seconds since 1970.
    """

    site: DrillSite
    held: dict[str, tuple[float, float]] = field(default_factory=dict)
    prefix: str = "drill"
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def account(self) -> str:
        return str(self._chatbot["account"])

    @property
    def _chatbot(self) -> dict[str, Any]:
        return self.site.simulation["chatbots"][0]

    def start(self) -> "Holder":
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        address = f"http://127.0.0.1:{self.site.web_port}/api/v1/accounts/{self.account}/"
        log_in = {"Authorization": f"Bearer {self._chatbot['token']}"}
        with httpx.Client(
            base_url=address, headers=log_in, timeout=patient(10), trust_env=False
        ) as client:
            for name in self._names():
                asked = time.time()
                try:
                    answer = client.post("holds", json=_hold(name))
                except httpx.HTTPError:
                    continue
                if answer.status_code == 200:
                    self.held[name] = (time.time(), asked)

    def _names(self) -> Iterator[str]:
        count = 0
        while not self._stop.wait(0.02):
            count += 1
            yield f"{self.prefix}-{count}"


def _hold(name: str) -> dict[str, str]:
    return {"message_id": name, "text": "Hello", "fallback": "none"}


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the complete lines of a log: its writer may be writing the next one."""
    texts = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(text) for text in texts if text.endswith("\n")]
