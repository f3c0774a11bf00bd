"""The whole product as real processes: Redis, PostgreSQL, 2 web, timers, workers, beat, switches.

Everything listens on loopback, in one folder, with its own secret.
"""

import json
import os
import secrets
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.chaos.processes import ROOT, StackProcess, Watch
from tests.chaos.redis_node import RedisNode, SmallDisk
from tests.chaos.stack_load import StackLoad
from tests.chaos.stack_view import DATABASE
from tests.support.ports import free_port
from tests.support.postgres import PostgresServer, server_user
from tests.support.processes import family
from tests.support.proxy import FaultyProxy
from tests.support.rates import GENEROUS

POOLSITE = ("web", "timers", "worker", "beat")
LOAD = ("switches", "senders", "devices", "holders", "people", "instances", "fronts")


class Stack(StackLoad):
    """Starts in `start()`, ends everything that it started in `stop()`, also after a failure.

    Redis and PostgreSQL are behind proxies (`redis.proxy`, `sql_proxy`); `processes` are
    brought back by the watch when they die. `clock`: run a Redis whose clock can be stepped.
    `release`: the tree whose code runs until `upgrade`; the load always runs this tree's code.
    """

    WEBS = 2
    WORKERS = 2

    def __init__(
        self, folder: Path, *, seed: int, clock: bool = False, release: Path = ROOT
    ) -> None:
        self.folder = folder
        self.release = release
        self.seed = seed
        self.redis = RedisNode(folder / "redis", clock=clock)
        self.postgres = PostgresServer(fsync=True)
        self.sql_proxy = FaultyProxy(("127.0.0.1", 0))
        self.sql_disk = SmallDisk(self.postgres.folder / "books")
        self.web_ports = [free_port() for _ in range(self.WEBS)]
        self.gateway_port = free_port()
        self.external_port = free_port()
        self.processes: dict[str, StackProcess] = {}
        self.environment: dict[str, str] = {}
        self.commands_of = release  # the release whose manage.py judges
        self.simulation: dict[str, Any] = {}
        self._watch: Watch | None = None

    # -- start and stop --------------------------------------------------------------------

    def start(self) -> None:
        """Bring everything up, with pools, tokens and switches under load."""
        self._start_servers()
        self.environment.update(self._environment())
        self._manage_or_raise("migrate", "--verbosity", "0")
        self._manage_or_raise("demo_data", "--small")
        self.simulation = json.loads((self.folder / "demo" / "simulation.json").read_text())
        self._define_processes()
        self._watch = Watch(list(self.processes.values()))
        for name, process in self.processes.items():
            if not name.startswith(LOAD) and not process.alive:
                process.start()
        self._watch.start()
        self.wait_until_ready()
        self.start_switches()
        for process in [process for name in LOAD[1:] for process in self._named(name)]:
            process.start()

    def _start_servers(self) -> None:
        """Start Redis, PostgreSQL and the proxies between them and the product."""
        self.redis.start()
        self.postgres.start()
        self.postgres.create_database(DATABASE)
        self.sql_disk.mount()
        self.sql_proxy.target = ("127.0.0.1", self.postgres.port)
        self.sql_proxy.start()

    def _environment(self) -> dict[str, str]:
        url = self.redis.url
        return {
            **GENEROUS,
            "REDIS_URL": url,
            "CACHE_URL": url,
            "CELERY_BROKER_URL": url,
            "DATABASE_URL": self.postgres.url(DATABASE, self.sql_proxy.port),
            "POOLSITE_DATA_DIR": str(self.folder),
            "POOLSITE_SECRET_KEY": secrets.token_hex(32),
            "POOLSITE_DEMO": "1",
            "POOLSITE_DEMO_PASSWORD": secrets.token_urlsafe(12),
            "POOLSITE_GATEWAY_URL": f"http://127.0.0.1:{self.gateway_port}",
            "POOLSITE_GATEWAY_TOKEN": secrets.token_urlsafe(32),
            "POOLSITE_DEBUG": "0",
            "POOLSITE_CHAOS": "1",
            "POOLSITE_CALLS_KEEP_DAYS": "1",  # an hour of a demo is shorter than a step
            "POOLSITE_LOG_LEVEL": "INFO",
            "DJANGO_SETTINGS_MODULE": "poolsite.settings",
            "PYTHONUNBUFFERED": "1",
        }

    def _define_processes(self) -> None:
        python = [sys.executable, "-m"]
        one, two = (str(port) for port in self.entrances)
        self._define_webs(python)
        celery = [*python, "celery", "-A", "poolsite"]
        quiet = ["--without-gossip", "--without-mingle", "-l", "INFO"]
        schedule = ["-s", str(self.folder / "beat"), "--pidfile=", "-l", "WARNING"]
        for index in range(1, self.WORKERS + 1):
            name = f"worker-{index}"
            self._define(name, [*celery, "worker", "-c", "2", "-n", f"w{index}@%h", *quiet])
        for index, port in enumerate((one, two), start=1):
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
            self._define(f"timers-{index}", [*python, "manage", "timers"])
        self._define("beat", [*celery, "beat", *schedule])
        self._define_money(python, one, two)
        self._define_gates(python, one, two)
        self._define_line(python, one, two)
        self._define_dispatch(python, one, two)
        for process in self._of_poolsite():
            process.release = self.release

    @property
    def entrances(self) -> tuple[int, int]:
        """Return the two ports at which the load arrives, half of it each."""
        one, two = self.web_ports
        return one, two

    def _define_webs(self, python: list[str]) -> None:
        """Define the web processes: every second one is daphne, the others are uvicorn."""
        application = "poolsite.asgi:application"
        options = ["--lifespan", "off", "--no-access-log", "--timeout-graceful-shutdown", "5"]
        for index, port in enumerate(self.web_ports, start=1):
            place = str(port)
            daphne = [*python, "daphne", "-b", "127.0.0.1", "-p", place, application]
            uvicorn = [*python, "uvicorn", application, "--port", place, *options]
            self._define(f"web-{index}", daphne if index % 2 else uvicorn)

    def _of_poolsite(self) -> list[StackProcess]:
        return [process for kind in POOLSITE for process in self._named(kind)]

    def migrate_to_this_release(self) -> None:
        """Apply this tree's migrations and load its scripts while the former release runs."""
        self.commands_of = ROOT
        self._manage_or_raise("migrate", "--verbosity", "0")
        self._manage_or_raise("scripts")

    def replace(self, *kinds: str) -> list[str]:
        """End each process of these kinds in order, so that it comes back with this tree's code.

        A web process is ready again before the next one ends. Return the processes that had to be
        killed.
        """
        slow = []
        for process in self._of_poolsite():
            if process.name.startswith(kinds):
                process.release, starts = ROOT, process.starts
                if not process.terminate():
                    slow.append(process.name)
                while process.starts == starts or (
                    process.name.startswith("web") and self.webs_not_ready()
                ):
                    time.sleep(0.2)
        return slow

    def doomed_worker(self, point: str) -> StackProcess:
        """Start a worker that dies as by kill -9 at a crash point. It is not brought back."""
        name = f"doomed-{point.rpartition('.')[2]}"
        celery = [sys.executable, "-m", "celery", "-A", "poolsite", "worker", "-c", "1"]
        arguments = [*celery, "-n", f"{name}@%h", "--pool", "solo", "-l", "INFO"]
        environment = self.environment | {"POOLSITE_CRASH_AT": point}
        process = StackProcess(name, arguments, environment, self.folder)
        process.start()
        return process

    def second_beat(self) -> StackProcess:
        """Start another beat next to the first. It is not brought back."""
        arguments = [*self.processes["beat"].arguments]
        arguments[arguments.index("-s") + 1] = str(self.folder / "beat-2")
        process = StackProcess("second-beat", arguments, self.environment, self.folder)
        process.start()
        return process

    def _simulator_config(self, index: int) -> Path:
        """Return the configuration of one simulator.

        Each simulator plays every second switch of each pool, so that pools are shared.
        """
        config = json.loads(json.dumps(self.simulation))
        for pool in config["pools"]:
            pool["switches"] = pool["switches"][index - 1 :: 2]
            pool["offered_erlangs"] /= 2
        path = self.folder / f"simulator-{index}.json"
        path.write_text(json.dumps(config))
        path.chmod(0o600)
        return path

    def start_switches(self) -> None:
        """Start the load."""
        for process in self._named("switches"):
            process.start()

    def rest_switches(self) -> None:
        """Ask the switches to end their calls and continue to report empty live lists."""
        self._rest("switches")

    def rest_people(self) -> None:
        """Let no more visitors come to the desks. Agents continue until every visitor is served."""
        self._rest("people")

    def rest_fronts(self) -> None:
        """Let front-ends begin no more sessions, and end those that are open."""
        self._rest("fronts")

    def rest_holders(self) -> None:
        """Let holders request no more permits, and give back what they have."""
        self._rest("holders")

    def rest_senders(self) -> None:
        """End the chatbots for good. The gateway continues with the reports that it owes."""
        for process in self._named("senders"):
            process.stop()

    def stop(self) -> None:
        """End every process that this stack started."""
        if self._watch is not None:
            self._watch.stop()
        for process in self.processes.values():
            process.wanted = False
            process.kill()  # nothing is judged any more, and an orderly end would take a minute
        self.redis.stop()
        self.pause_postgres(signal.SIGCONT)
        self.postgres.stop()
        self.sql_proxy.stop()
        self.sql_disk.unmount()

    def remove(self) -> None:
        """Stop, and delete every file."""
        self.stop()
        self.postgres.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _rest(self, prefix: str) -> None:
        for process in self._named(prefix):
            process.ask_to_rest()

    def _named(self, prefix: str) -> list[StackProcess]:
        return [process for name, process in self.processes.items() if name.startswith(prefix)]

    def pause_postgres(self, number: signal.Signals) -> None:
        """Send SIGSTOP or SIGCONT to the server and to every backend of it."""
        if self.postgres.process is not None:
            for pid in family(self.postgres.process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    def move_to_small_disk(self, *tables: str) -> None:
        """Move these tables of PostgreSQL to a disk that can be filled.

        Calling it again changes nothing.
        """
        space = self.sql_disk.folder / "space"
        if not space.exists():
            space.mkdir(mode=0o700)
            user = server_user()
            if user is not None:
                shutil.chown(space, user)
                self.sql_disk.folder.chmod(0o711)
            self.sql(f"CREATE TABLESPACE small LOCATION '{space}'")
        parts = "SELECT %s::regclass::text UNION SELECT relid::text FROM pg_partition_tree(%s)"
        for table in tables:
            for (part,) in self.sql(parts, table, table):
                self.sql(f"ALTER TABLE {part} SET TABLESPACE small")

    def _manage_or_raise(self, *arguments: str) -> None:
        result = self.manage(*arguments)
        if result.returncode:
            raise RuntimeError(f"manage.py {' '.join(arguments)}: {result.stderr[-2000:]}")
