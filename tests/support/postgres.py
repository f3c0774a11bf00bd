"""A private PostgreSQL with its own folder and loopback port. It ends with its parent process.

Its data folder is a copy of one that was made once for each state of the migrations, in var/tests
(tests/support/database.py). It contains a migrated database, and every new database is a copy of
that.
"""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from poolsite.runtime.redis_server import die_with_parent
from tests.support.database import copy_tree, lay_made, migrate
from tests.support.ports import free_port
from tests.support.programs import postgres_folder
from tests.support.waiting import patient, until

START_SECONDS = 30.0
USER = "poolsite"
PASSWORD = "for tests on this machine alone"
TEMPLATE = "migrated"


def server_user() -> str | None:
    """Return the user that the server runs as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@dataclass
class PostgresServer:
    """A server process on 127.0.0.1:`port`, with its data in its own folder."""

    folder: Path = field(
        default_factory=lambda: Path(tempfile.mkdtemp(prefix="poolsite-pg-", dir="/tmp"))
    )
    port: int = 0
    fsync: bool = False
    process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres", port: int = 0) -> str:
        """Return the DATABASE_URL of a database. `port`: that of a proxy in front of the server."""
        return f"postgres://{USER}:{quote(PASSWORD)}@127.0.0.1:{port or self.port}/{database}"

    def start(self) -> "PostgresServer":
        """Create the data folder on the first start, then start and wait until it answers."""
        if not (self.folder / "data").exists():
            self._own(self.folder)
            lay_made(_template_name(), self.folder / "data", _make_template)
        return self._start()

    def _start(self) -> "PostgresServer":
        self.port = self.port or free_port()
        arguments = ["-D", str(self.folder / "data"), "-p", str(self.port), "-k", str(self.folder)]
        options = {
            "listen_addresses": "127.0.0.1",
            "max_connections": "200",
            "fsync": "on" if self.fsync else "off",
            "full_page_writes": "on" if self.fsync else "off",
        }
        for name, value in options.items():
            arguments += ["-c", f"{name}={value}"]
        with (self.folder / "postgres.log").open("ab") as log:
            self.process = subprocess.Popen(
                [f"{postgres_folder()}/postgres", *arguments],
                cwd=self.folder,
                user=server_user(),
                stdout=log,
                stderr=log,
                preexec_fn=partial(die_with_parent, signal.SIGQUIT),
            )
        self._wait_until_ready()
        return self

    def _own(self, path: Path) -> None:
        user = server_user()
        if user is not None:
            shutil.chown(path, user)

    def initialise(self) -> "PostgresServer":
        """Create an empty data folder and start on it."""
        password_file = self.folder / "password"
        password_file.write_text(PASSWORD)
        self._own(self.folder)
        self._own(password_file)
        subprocess.run(
            [
                *(f"{postgres_folder()}/initdb", "-D", str(self.folder / "data"), "-U", USER),
                *("--auth=scram-sha-256", f"--pwfile={password_file}", "--no-sync"),
                *("--encoding=UTF8", "--locale=C.UTF-8"),
            ],
            cwd=self.folder,
            user=server_user(),
            check=True,
            capture_output=True,
        )
        return self._start()

    def _wait_until_ready(self) -> None:
        until(lambda: self._answers() or self._has_ended(), START_SECONDS, self._log)
        if self._has_ended():
            raise RuntimeError(f"PostgreSQL did not start:\n{self._log()}")

    def _answers(self) -> bool:
        """Return whether the server answers, for any role: a test may have renamed the default."""
        place = ["-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run([f"{postgres_folder()}/pg_isready", *place]).returncode == 0

    def _has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def _log(self) -> str:
        return (self.folder / "postgres.log").read_text()[-2000:]

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        """Return a new connection in autocommit mode."""
        return psycopg.connect(self.url(database), autocommit=True)

    def create_database(self, name: str = "") -> str:
        """Create a migrated database without rows and return its URL."""
        name = name or f"test_{secrets.token_hex(4)}"
        command = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        with self.connect() as connection:
            connection.execute(command.format(sql.Identifier(name), sql.Identifier(TEMPLATE)))
        return self.url(name)

    def stop(self) -> None:
        """End the server that this object started. The data stays."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End the server as a crash would (SIGKILL). start() starts it again."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(timeout=patient(20))
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        self.process = None

    def remove(self) -> None:
        """Stop the server and delete its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _template_name() -> str:
    """Return the name of the folder in var/tests.

    It depends on PostgreSQL's version and the user.
    """
    version = Path(postgres_folder()).parent.name
    return f"postgres-{version}-{server_user() or 'own'}"


def _make_template(target: Path) -> None:
    """Create a data folder whose database `migrated` has every migration applied."""
    server = PostgresServer()
    try:
        server.initialise()
        with server.connect() as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(TEMPLATE)))
        migrate(server.url(TEMPLATE))
        server.stop()
        copy_tree(server.folder / "data", target)
    finally:
        server.remove()
