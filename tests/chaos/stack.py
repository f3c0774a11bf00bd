"""The whole product as real processes: Redis, PostgreSQL, 2 web, 2 workers, beat, switches.

Everything listens on loopback, in one folder, with one secret of its own.
"""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import redis

from tests.chaos import gates
from tests.chaos.processes import ROOT, StackProcess, Watch, family
from tests.chaos.redis_node import RedisNode
from tests.support.ports import free_port
from tests.support.postgres import PostgresServer
from tests.support.proxy import FaultyProxy

READY_SECONDS = 90.0
COMMAND_SECONDS = 120.0
DATABASE = "poolsite"
SIMULATOR = "integrations.simulator"
LOAD = ("switches", "senders", "devices")


class Stack:
    """Starts in `start()`, ends everything that it started in `stop()`, also after a failure.

    Redis and PostgreSQL stand behind proxies (`redis.proxy`, `sql_proxy`); `processes` are
    brought back by the watch when they die. `clock`: run a Redis whose clock can be stepped.
    """

    def __init__(self, folder: Path, *, seed: int, clock: bool = False) -> None:
        self.folder = folder
        self.seed = seed
        self.redis = RedisNode(folder / "redis", clock=clock)
        self.postgres = PostgresServer(fsync=True)
        self.sql_proxy = FaultyProxy(("127.0.0.1", 0))
        self.web_ports = [free_port(), free_port()]
        self.gateway_port = free_port()
        self.external_port = free_port()
        self.processes: dict[str, StackProcess] = {}
        self.environment: dict[str, str] = {}
        self.simulation: dict[str, Any] = {}
        self._watch: Watch | None = None

    # -- life ------------------------------------------------------------------------------

    def start(self) -> None:
        """Bring everything up, with pools, tokens and switches under load."""
        self.redis.start()
        self.postgres.start()
        self.postgres.create_database(DATABASE)
        self.sql_proxy.target = ("127.0.0.1", self.postgres.port)
        self.sql_proxy.start()
        self.environment = self._environment()
        self._manage_or_raise("migrate", "--verbosity", "0")
        self._manage_or_raise("demo_data", "--small")
        self.simulation = json.loads((self.folder / "demo" / "simulation.json").read_text())
        self._define_processes()
        self._watch = Watch(list(self.processes.values()))
        for name, process in self.processes.items():
            if not name.startswith(LOAD):
                process.start()
        self._watch.start()
        self._wait_until_ready()
        self.start_switches()
        for process in [*self._named("senders"), *self._named("devices")]:
            process.start()

    def _environment(self) -> dict[str, str]:
        url = self.redis.url
        direct = self.postgres.url(DATABASE)
        return {
            "REDIS_URL": url,
            "CACHE_URL": url,
            "CHANNEL_URL": url,
            "CELERY_BROKER_URL": url,
            "DATABASE_URL": direct.replace(f":{self.postgres.port}/", f":{self.sql_proxy.port}/"),
            "POOLSITE_DATA_DIR": str(self.folder),
            "POOLSITE_SECRET_KEY": secrets.token_hex(32),
            "POOLSITE_DEMO": "1",
            "POOLSITE_GATEWAY_URL": f"http://127.0.0.1:{self.gateway_port}",
            "POOLSITE_GATEWAY_TOKEN": secrets.token_urlsafe(32),
            "POOLSITE_DEBUG": "0",
            "POOLSITE_CHAOS": "1",
            "POOLSITE_LOG_LEVEL": "INFO",
            "DJANGO_SETTINGS_MODULE": "poolsite.settings",
            "PYTHONUNBUFFERED": "1",
        }

    def _define_processes(self) -> None:
        python = [sys.executable, "-m"]
        application = "poolsite.asgi:application"
        one, two = (str(port) for port in self.web_ports)
        self._define("web-1", [*python, "daphne", "-b", "127.0.0.1", "-p", one, application])
        options = ["--port", two, "--lifespan", "off", "--no-access-log"]
        self._define(
            "web-2",
            [*python, "uvicorn", application, *options, "--timeout-graceful-shutdown", "5"],
        )
        celery = [*python, "celery", "-A", "poolsite"]
        quiet = ["--without-gossip", "--without-mingle", "-l", "INFO"]
        schedule = ["-s", str(self.folder / "beat"), "--pidfile=", "-l", "WARNING"]
        for index, port in enumerate((one, two), start=1):
            name = f"worker-{index}"
            self._define(name, [*celery, "worker", "-c", "2", "-n", f"w{index}@%h", *quiet])
            self._define(
                f"switches-{index}",
                [
                    *(*python, "integrations.simulator", "--rest-on-stop"),
                    *("--config", str(self._simulator_config(index))),
                    *("--url", f"http://127.0.0.1:{port}"),
                    *("--log", str(self.call_log(index))),
                    *("--seed", str(self.seed + index), "--log-level", "INFO"),
                ],
            )
        self._define("beat", [*celery, "beat", *schedule])
        self._define_money(python, one, two)
        self._define_gates(python, one, two)

    def _define_gates(self, python: list[str], one: str, two: str) -> None:
        """Devices report to both web processes; the external system tells one its own count."""
        config = ["--config", str(self.folder / "demo" / "simulation.json"), "--gate", gates.GATE]
        external, port = f"{SIMULATOR}.external", str(self.external_port)
        log = ["--log", str(gates.external_log(self)), "--strong", "100"]
        self._define(
            "external",
            [*python, external, *config, "--port", port, *log, "--url", f"http://127.0.0.1:{one}"],
        )
        work = ["--work-seconds", str(gates.WORK_SECONDS), "--seed", str(self.seed)]
        for number, web in enumerate((one, two), start=1):
            parts = ["--part", f"{number}/2", "--external", f"http://127.0.0.1:{port}"]
            address = ["--url", f"http://127.0.0.1:{web}"]
            self._define(
                f"devices-{number}",
                [*python, f"{SIMULATOR}.devices", *config, *parts, *address, *work],
            )

    def _define_money(self, python: list[str], one: str, two: str) -> None:
        """The gateway reports to one web process, the chatbots send to the other."""
        config = ["--config", str(self._money_config())]
        gateway, port = f"{SIMULATOR}.gateway", str(self.gateway_port)
        reports = ["--port", port, "--url", f"http://127.0.0.1:{one}"]
        ledger = ["--ledger", str(self.folder / "gateway.jsonl"), "--seed", str(self.seed)]
        self._define("gateway", [*python, gateway, *config, *reports, *ledger])
        address = ["--url", f"http://127.0.0.1:{two}", "--gateway", f"http://127.0.0.1:{port}"]
        seed = ["--seed", str(self.seed)]
        self._define("senders", [*python, f"{SIMULATOR}.senders", *config, *address, *seed])

    def _money_config(self) -> Path:
        """More messages in a minute than the demo's: a fault of a second must meet some."""
        config = json.loads(json.dumps(self.simulation))
        for chatbot in config.get("chatbots", []):
            chatbot["messages_per_minute"], chatbot["sessions_per_minute"] = 120.0, 30.0
        path = self.folder / "money.json"
        path.write_text(json.dumps(config))
        path.chmod(0o600)
        return path

    def doomed_worker(self, point: str) -> StackProcess:
        """A worker that dies as by kill -9 at a crash point; started, and not brought back."""
        name = f"doomed-{point.rpartition('.')[2]}"
        celery = [sys.executable, "-m", "celery", "-A", "poolsite", "worker", "-c", "1"]
        arguments = [*celery, "-n", f"{name}@%h", "--pool", "solo", "-l", "INFO"]
        environment = self.environment | {"POOLSITE_CRASH_AT": point}
        process = StackProcess(name, arguments, environment, self.folder)
        process.start()
        return process

    def second_beat(self) -> StackProcess:
        """Another beat beside the first; it is not brought back."""
        arguments = [*self.processes["beat"].arguments]
        arguments[arguments.index("-s") + 1] = str(self.folder / "beat-2")
        process = StackProcess("second-beat", arguments, self.environment, self.folder)
        process.start()
        return process

    def _define(self, name: str, arguments: list[str]) -> None:
        self.processes[name] = StackProcess(name, arguments, self.environment, self.folder)

    def _simulator_config(self, index: int) -> Path:
        """Each simulator plays every second switch of each pool, so that pools are shared."""
        config = json.loads(json.dumps(self.simulation))
        for pool in config["pools"]:
            pool["switches"] = pool["switches"][index - 1 :: 2]
            pool["offered_erlangs"] /= 2
        path = self.folder / f"simulator-{index}.json"
        path.write_text(json.dumps(config))
        path.chmod(0o600)
        return path

    def start_switches(self) -> None:
        """Begin the load."""
        for process in self._named("switches"):
            process.start()

    def rest_switches(self) -> None:
        """Ask the switches to end their calls and go on reporting empty live lists."""
        for process in self._named("switches"):
            if process.process is not None:
                with suppress(ProcessLookupError):
                    process.process.terminate()

    def rest_senders(self) -> None:
        """End the chatbots for good; the gateway goes on with what it owes."""
        for process in self._named("senders"):
            process.stop()

    def stop(self) -> None:
        """End every process that this stack started."""
        if self._watch is not None:
            self._watch.stop()
        for process in reversed(self.processes.values()):
            process.wanted = False
            process.signal(signal.SIGCONT)
            if process.process is not None:
                with suppress(ProcessLookupError):
                    process.process.terminate()
        for process in self.processes.values():
            process.stop()
        self.redis.stop()
        self.pause_postgres(signal.SIGCONT)
        self.postgres.stop()
        self.sql_proxy.stop()

    def remove(self) -> None:
        """Stop, and delete every file."""
        self.stop()
        self.postgres.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _named(self, prefix: str) -> list[StackProcess]:
        return [process for name, process in self.processes.items() if name.startswith(prefix)]

    def pause_postgres(self, number: signal.Signals) -> None:
        """Send SIGSTOP or SIGCONT to the server and to every backend of it."""
        if self.postgres.process is not None:
            for pid in family(self.postgres.process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    # -- looking at it -------------------------------------------------------------------------

    def call_log(self, index: int) -> Path:
        """Where the switches of one simulator write down which calls they have."""
        return self.folder / f"calls-{index}.jsonl"

    @property
    def call_logs(self) -> list[Path]:
        return [path for path in (self.call_log(1), self.call_log(2)) if path.exists()]

    @property
    def pools(self) -> list[str]:
        return [pool["slug"] for pool in self.simulation["pools"]]

    def redis_client(self) -> "redis.Redis":
        return self.redis.client()

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Ask PostgreSQL itself, past the proxy."""
        with psycopg.connect(self.postgres.url(DATABASE), autocommit=True) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def webs_not_ready(self) -> dict[int, str]:
        """Return what /readyz said, for each web process that is not ready."""
        answers = {port: self._readiness(port) for port in self.web_ports}
        return {port: text for port, text in answers.items() if text}

    def pools_not_open(self) -> dict[str, str]:
        """Return the state of each pool that lends no numbers, by the first letter of `conf`."""
        states = {slug: self.pool_fields(slug).get("conf", "lost")[:1] for slug in self.pools}
        return {slug: state for slug, state in states.items() if state != "o"}

    def pool_fields(self, slug: str) -> Mapping[str, str]:
        """The hash at the pool's tag: settings, generation, seq, counters."""
        with self.redis_client() as client:
            fields: dict[str, str] = client.hgetall(f"{{{slug}}}")
        return fields

    def busy_numbers(self) -> dict[str, list[str]]:
        """Return the numbers that Redis believes to be in a call, for pools with any."""
        busy = {}
        with self.redis_client() as client:
            for slug in self.pools:
                states = client.hgetall(f"{{{slug}}}:numstate")
                found = [n for n, state in states.items() if json.loads(state)["callstate"]]
                if found:
                    busy[slug] = found
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

    def _readiness(self, port: int) -> str:
        """Return "" when the process is ready, else what it said."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
                return "" if answer.status == 200 else f"status {answer.status}"
        except urllib.error.HTTPError as error:
            return error.read(500).decode(errors="replace")
        except (urllib.error.URLError, OSError) as error:
            return repr(error)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while unready := self.webs_not_ready():
            if time.monotonic() > deadline:
                raise RuntimeError(f"not ready: {unready}; logs in {self.folder}")
            time.sleep(0.3)
