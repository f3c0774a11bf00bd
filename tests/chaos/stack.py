"""The whole product as real processes: Redis, PostgreSQL, 2 web, timers, workers, beat, switches.

Everything listens on loopback, in one folder, with one secret of its own.
"""

import json
import os
import secrets
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.chaos.console import Console
from tests.chaos.processes import StackProcess, Watch
from tests.chaos.redis_node import RedisNode, SmallDisk
from tests.chaos.stack_load import StackLoad
from tests.chaos.stack_view import DATABASE
from tests.support.ports import free_port
from tests.support.postgres import PostgresServer, server_user
from tests.support.processes import family
from tests.support.proxy import FaultyProxy
from tests.support.rates import GENEROUS

LOAD = ("switches", "senders", "devices", "holders", "people", "instances", "fronts")


class Stack(StackLoad):
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
        self.sql_disk = SmallDisk(self.postgres.folder / "books")
        self.web_ports = [free_port(), free_port()]
        self.gateway_port = free_port()
        self.external_port = free_port()
        self.processes: dict[str, StackProcess] = {}
        self.environment: dict[str, str] = {}
        self.console = Console(self.environment)
        self.simulation: dict[str, Any] = {}
        self._watch: Watch | None = None

    # -- life ------------------------------------------------------------------------------

    def start(self) -> None:
        """Bring everything up, with pools, tokens and switches under load."""
        self.redis.start()
        self.postgres.start()
        self.postgres.create_database(DATABASE)
        self.sql_disk.mount()
        self.sql_proxy.target = ("127.0.0.1", self.postgres.port)
        self.sql_proxy.start()
        self.environment.update(self._environment())
        self._manage_or_raise("migrate", "--verbosity", "0")
        self._manage_or_raise("demo_data", "--small")
        self.simulation = json.loads((self.folder / "demo" / "simulation.json").read_text())
        self._define_processes()
        self._watch = Watch(list(self.processes.values()))
        for name, process in self.processes.items():
            if not name.startswith(LOAD):
                process.start()
        self._watch.start()
        self.wait_until_ready()
        self.start_switches()
        for process in [process for name in LOAD[1:] for process in self._named(name)]:
            process.start()

    def _environment(self) -> dict[str, str]:
        url = self.redis.url
        direct = self.postgres.url(DATABASE)
        return {
            **GENEROUS,
            "REDIS_URL": url,
            "CACHE_URL": url,
            "CHANNEL_URL": url,
            "CELERY_BROKER_URL": url,
            "DATABASE_URL": direct.replace(f":{self.postgres.port}/", f":{self.sql_proxy.port}/"),
            "POOLSITE_DATA_DIR": str(self.folder),
            "POOLSITE_SECRET_KEY": secrets.token_hex(32),
            "POOLSITE_DEMO": "1",
            "POOLSITE_DEMO_PASSWORD": secrets.token_urlsafe(12),
            "POOLSITE_GATEWAY_URL": f"http://127.0.0.1:{self.gateway_port}",
            "POOLSITE_GATEWAY_TOKEN": secrets.token_urlsafe(32),
            "POOLSITE_DEBUG": "0",
            "POOLSITE_CHAOS": "1",
            "POOLSITE_CALLS_KEEP_DAYS": "1",  # the hour of a demo is shorter than a step
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
            self._define(f"timers-{index}", [*python, "manage", "timers"])
        self._define("beat", [*celery, "beat", *schedule])
        self._define_money(python, one, two)
        self._define_gates(python, one, two)
        self._define_line(python, one, two)
        self._define_dispatch(python, one, two)

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
        self._rest("switches")

    def rest_people(self) -> None:
        """Nobody comes to the desks any more; agents go on until everybody is served."""
        self._rest("people")

    def rest_fronts(self) -> None:
        """Front-ends begin no sessions any more, and end those that there are."""
        self._rest("fronts")

    def rest_holders(self) -> None:
        """Holders ask for no permit any more, and give back what they have."""
        self._rest("holders")

    def rest_senders(self) -> None:
        """End the chatbots for good; the gateway goes on with what it owes."""
        for process in self._named("senders"):
            process.stop()

    def stop(self) -> None:
        """End every process that this stack started."""
        if self._watch is not None:
            self._watch.stop()
        self.console.stop()
        for process in self.processes.values():
            process.wanted = False
            process.kill()  # nothing is judged any more, and in order it would take a minute
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
        """Have PostgreSQL keep these tables on a disk that can be filled; again: no change."""
        space = self.sql_disk.folder / "space"
        if not space.exists():
            space.mkdir(mode=0o700)
            user = server_user()
            if user is not None:
                shutil.chown(space, user)
                self.sql_disk.folder.chmod(0o711)
            self.sql(f"CREATE TABLESPACE small LOCATION '{space}'")
        for table in tables:
            self.sql(f"ALTER TABLE {table} SET TABLESPACE small")

    def _manage_or_raise(self, *arguments: str) -> None:
        result = self.manage(*arguments)
        if result.returncode:
            raise RuntimeError(f"manage.py {' '.join(arguments)}: {result.stderr[-2000:]}")
