"""The whole product as real processes: Redis, PostgreSQL, 2 web, 2 workers, beat, switches."""

import json
import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import redis

from poolsite.runtime.redis_server import RedisServer
from tests.chaos.processes import ROOT, StackProcess, Watch
from tests.support.ports import free_port
from tests.support.postgres import PostgresServer

READY_SECONDS = 60.0
COMMAND_SECONDS = 120.0


class Stack:
    """Starts in `start()`, ends everything that it started in `stop()`.

    Redis and PostgreSQL are `redis` and `postgres`; the rest are `processes`, brought
    back by the watch when they die.
    """

    def __init__(self, folder: Path, *, seed: int) -> None:
        self.folder = folder
        self.seed = seed
        self.redis = RedisServer(folder=folder / "redis", port=free_port())
        self.postgres = PostgresServer(fsync=True)
        self.web_ports = [free_port(), free_port()]
        self.processes: dict[str, StackProcess] = {}
        self.environment: dict[str, str] = {}
        self._watch: Watch | None = None

    # -- life ------------------------------------------------------------------------------

    def start(self) -> None:
        """Bring everything up, with pools, tokens and switches under load."""
        self.redis.start()
        self.postgres.start()
        self.environment = {
            "REDIS_URL": self.redis.url,
            "DATABASE_URL": self.postgres.create_database("poolsite"),
            "POOLSITE_DATA_DIR": str(self.folder),
            "POOLSITE_SECRET_KEY": secrets.token_hex(32),
            "POOLSITE_DEMO": "1",
        }
        self._manage_or_raise("migrate", "--verbosity", "0")
        self._manage_or_raise("collectstatic", "--noinput", "--verbosity", "0")
        self._manage_or_raise("demo_data", "--small", "--simulator-folder", str(self.folder))
        self._define_processes()
        self._watch = Watch(list(self.processes.values()))
        for name, process in self.processes.items():
            if not name.startswith("switches"):
                process.start()
        self._watch.start()
        self._wait_until_ready()
        self.start_switches()

    def _define_processes(self) -> None:
        python = sys.executable
        celery = [python, "-m", "celery", "-A", "poolsite"]
        for index, port in enumerate(self.web_ports, start=1):
            self._define(
                f"web-{index}",
                [
                    *(python, "-m", "daphne", "-b", "127.0.0.1", "-p", str(port)),
                    "poolsite.asgi:application",
                ],
            )
            self._define(f"worker-{index}", [*celery, "worker", "-c", "1", "-n", f"w{index}@%h"])
            self._define(
                f"switches-{index}",
                [
                    *(python, "-m", "integrations.simulator", "--rest-on-stop"),
                    *("--config", str(self._simulator_config(index))),
                    *("--url", f"http://127.0.0.1:{port}"),
                    *("--log", str(self.folder / f"calls-{index}.jsonl")),
                    *("--seed", str(self.seed + index)),
                ],
            )
        self._define("beat", [*celery, "beat", "--schedule", str(self.folder / "beat")])

    def _define(self, name: str, arguments: list[str]) -> None:
        self.processes[name] = StackProcess(name, arguments, self.environment, self.folder)

    def _simulator_config(self, index: int) -> Path:
        """Each simulator plays every second switch of each pool, so that pools are shared."""
        config = json.loads((self.folder / "simulator.json").read_text())
        for pool in config["pools"]:
            pool["switches"] = pool["switches"][index - 1 :: 2]
            pool["offered_erlangs"] /= 2
        path = self.folder / f"simulator-{index}.json"
        path.write_text(json.dumps(config))
        return path

    def start_switches(self) -> None:
        for name, process in self.processes.items():
            if name.startswith("switches"):
                process.start()

    def rest_switches(self) -> None:
        """Ask the switches to end their calls and go on reporting empty live lists."""
        for name, process in self.processes.items():
            if name.startswith("switches") and process.alive and process.process is not None:
                process.process.terminate()

    def stop(self) -> None:
        """End every process that this stack started."""
        if self._watch is not None:
            self._watch.stop()
        for process in self.processes.values():
            process.stop()
        self.redis.stop()
        self.postgres.stop()

    # -- looking at it -------------------------------------------------------------------------

    @property
    def call_logs(self) -> list[Path]:
        return sorted(self.folder.glob("calls-*.jsonl"))

    @property
    def pools(self) -> list[str]:
        config = json.loads((self.folder / "simulator.json").read_text())
        return [pool["slug"] for pool in config["pools"]]

    def redis_client(self) -> "redis.Redis":
        return self.redis.client()

    def all_webs_ready(self) -> bool:
        return all(self._ready(port) for port in self.web_ports)

    def all_pools_open(self) -> bool:
        """Return whether every pool's generation is known to Redis and none is recovering."""
        try:
            with self.redis_client() as client:
                return all(
                    client.hget(f"{{{slug}}}", "generation")
                    and not int(client.hget(f"{{{slug}}}", "recovering") or 0)
                    for slug in self.pools
                )
        except redis.RedisError:
            return False

    def busy_numbers(self) -> dict[str, int]:
        """Return how many numbers Redis believes to be in a call, for pools with any."""
        busy = {}
        with self.redis_client() as client:
            for slug in self.pools:
                states = client.hvals(f"{{{slug}}}:numstate")
                count = sum(json.loads(state)["callstate"] for state in states)
                if count:
                    busy[slug] = count
        return busy

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one management command of the product against this stack."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )

    def _manage_or_raise(self, *arguments: str) -> None:
        result = self.manage(*arguments)
        if result.returncode:
            raise RuntimeError(f"manage.py {' '.join(arguments)}: {result.stderr[-2000:]}")

    def _ready(self, port: int) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self.all_webs_ready():
            if time.monotonic() > deadline:
                raise RuntimeError(f"the web processes did not get ready: see {self.folder}")
            time.sleep(0.2)
