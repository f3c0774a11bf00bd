"""A machine for the guide, below one folder: a user who is not root, a PostgreSQL and a Redis.

Both servers are as the distribution starts them: an administrator and no database, a
configuration file and no append-only file.
"""

import os
import pwd
import shlex
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import redis

from poolsite.runtime.redis_server import die_with_parent
from tests.deploy.units import HOME, Unit, read, settings
from tests.house.source import ROOT, files
from tests.support.ports import free_port
from tests.support.postgres import PASSWORD, USER, PostgresServer
from tests.support.processes import family
from tests.support.programs import redis_7
from tests.support.waiting import patient

ADMIN = "administrator"
REDIS, POSTGRESQL = "redis-server", "postgresql"  # as Debian calls their services
REDIS_CONF = "port {port}\nbind 127.0.0.1\ndir {folder}\nsave 3600 1 300 100\nappendonly no\n"
HIDDEN = (
    *("POOLSITE_", "REDIS_URL", "DATABASE_URL", "CACHE_URL", "CELERY_", "EMAIL_URL"),
    *("DJANGO_", "PYTHON", "VIRTUAL_ENV", "COVERAGE_", "GIT_", "TMPDIR"),
)


@dataclass
class Machine:
    """Everything in `folder`, which belongs to the user."""

    folder: Path = field(
        default_factory=lambda: Path(tempfile.mkdtemp(prefix="poolsite-machine-", dir="/tmp"))
    )
    postgres: PostgresServer = field(default_factory=PostgresServer)
    redis_port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)  # the ports by those of the units

    @property
    def prefix(self) -> Path:
        return self.folder / "machine"

    @property
    def settings(self) -> Path:
        return self.prefix / "etc" / "poolsite" / "poolsite.env"

    @property
    def release(self) -> Path:
        """The release in use."""
        return Path(os.path.realpath(f"{self.prefix}{HOME}"))

    def set_up(self) -> "Machine":
        """Start both servers and create the repository that the guide clones."""
        self.folder.chmod(0o755)
        origin = self.folder / "origin"
        for path in files():
            target = origin / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        (self.folder / "redis.conf").write_text(
            REDIS_CONF.format(port=self.redis_port, folder=self.folder)
        )
        self.own(self.folder)
        self.shell("(cd origin; git init -q -b main; git add -A; git commit -q -m release)")
        self._start_redis()
        self._start_postgres()
        return self

    def _start_redis(self) -> None:
        self._start(REDIS, [redis_7(), str(self.folder / "redis.conf")], self.folder, {})

    def _start_postgres(self) -> None:
        """Start it.

        Its administrator has another name: the role `poolsite` is for the installation.
        """
        self.postgres.initialise()
        with self.postgres.connect() as connection:
            connection.execute(f"CREATE ROLE {ADMIN} SUPERUSER LOGIN PASSWORD '{PASSWORD}'")
        place = f"host=127.0.0.1 port={self.postgres.port} dbname=postgres"
        with psycopg.connect(place, user=ADMIN, password=PASSWORD) as connection:
            connection.execute(f"ALTER ROLE {USER} RENAME TO first")

    def environment(self) -> dict[str, str]:
        """Return the variables of the user's shell: what replaces root and the two addresses."""
        path = [f"{self.prefix}/usr/local/bin", "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            **{key: value for key, value in os.environ.items() if not key.startswith(HIDDEN)},
            "PATH": os.pathsep.join(path),
            "HOME": str(self.folder),
            "POOLSITE_PREFIX": str(self.prefix),
            "REPOSITORY": str(self.folder / "origin"),
            "REDIS_URL": f"redis://127.0.0.1:{self.redis_port}/0",
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.postgres.port),
            "PGUSER": ADMIN,
            "PGPASSWORD": PASSWORD,
            "EMAIL": "release@example.com",  # of git's commits
        }

    def shell(self, commands: str, **variables: str) -> str:
        """Run commands as the user types them, each in the folder where the last ones ended."""
        here = self.folder / "here"
        start = here.read_text().strip() if here.exists() else str(self.folder)
        ran = subprocess.run(
            ["bash", "-euc", f"cd {shlex.quote(start)}\n{commands}\npwd >{here}"],
            env={**self.environment(), **variables},
            capture_output=True,
            text=True,
            timeout=patient(600),
            check=False,
            **_as_user(),
        )
        assert ran.returncode == 0, f"{commands}\n{ran.stdout}{ran.stderr}"
        return ran.stdout

    def runs(self, command: str) -> bool:
        """Return whether a command exits with 0."""
        return self.shell(f'{command} >/dev/null 2>&1 && echo "well" || true') == "well\n"

    def own(self, folder: Path) -> None:
        """Give a folder to the user, as `install -o` in the guide does."""
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{_user()}:", folder], check=True)

    def redis_keys(self) -> list[str]:
        """Return the keys that are left in Redis."""
        with redis.Redis(port=self.redis_port, decode_responses=True) as client:
            return client.keys("*")

    # -- what systemd does ----------------------------------------------------------------

    def wanted(self) -> list[str]:
        """Return the services that the target starts."""
        folder = self.prefix / "etc/systemd/system/poolsite.target.wants"
        return sorted(path.name for path in folder.iterdir())

    def unit(self, name: str) -> Unit:
        return read(self.prefix / "etc/systemd/system", name)

    def start(self, *names: str) -> None:
        """Start services by their units' own command lines.

        Web ports are replaced by this machine's.
        """
        for name in names:
            if name == REDIS:
                self._start_redis()
                continue
            if name == POSTGRESQL:
                self.postgres.start()
                continue
            unit = self.unit(name)
            command = unit.command(str(self.prefix))
            if "--port" in command:
                self.ports.setdefault(unit.instance, free_port())
                command[command.index("--port") + 1] = str(self.ports[unit.instance])
            place = Path(f"{self.prefix}{unit.value('WorkingDirectory')}")
            file = Path(f"{self.prefix}{unit.value('EnvironmentFile')}")
            self._start(name, command, place, settings(file))

    def _start(self, name: str, command: list[str], place: Path, added: dict[str, str]) -> None:
        with self.log(name).open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command,
                cwd=place,
                env={"PATH": "/usr/bin:/bin", "POOLSITE_PREFIX": str(self.prefix), **added},
                stdout=log,
                stderr=log,
                preexec_fn=partial(die_with_parent, signal.SIGKILL),
                **_as_user(),
            )

    def stop(self, *names: str) -> dict[str, int]:
        """End services as systemd does, each within its TimeoutStopSec. Return how they ended."""
        if names == (POSTGRESQL,):
            self.postgres.stop()
            return {}
        for name in names:
            self.processes[name].terminate()
        return {name: self.processes.pop(name).wait(self._stop_seconds(name)) for name in names}

    def _stop_seconds(self, name: str) -> float:
        return patient(90 if name == REDIS else float(self.unit(name).value("TimeoutStopSec")))

    def kill(self, *names: str) -> None:
        """Kill services and all that they started without a warning, as a lack of memory does."""
        for pid in family(*(self.processes[name].pid for name in names)):
            os.kill(pid, signal.SIGKILL)
        for name in names:
            self.processes.pop(name).wait()

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def logs(self) -> str:
        """Return the end of each log, for a failure's message."""
        return "\n".join(
            f"{name}:\n{self.log(name).read_text()[-2000:]}" for name in self.processes
        )

    def remove(self) -> None:
        """End everything that is left, and delete the folder."""
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.postgres.remove()
        shutil.rmtree(self.folder, ignore_errors=True)


def _user() -> str:
    return "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def _as_user() -> dict[str, Any]:
    """Return Popen's options: a user who is not root already runs everything as themselves."""
    if os.geteuid() != 0:
        return {}
    return {"user": _user(), "group": pwd.getpwnam(_user()).pw_gid, "extra_groups": []}
