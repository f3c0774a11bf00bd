"""A private PostgreSQL: own folder, own loopback port, own password, gone with its parent."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psycopg
from psycopg import sql

from poolsite.runtime.redis_server import die_with_parent
from tests.support.ports import free_port
from tests.support.programs import postgres_folder

START_SECONDS = 30.0
USER = "poolsite"


def server_user() -> str | None:
    """Return whom the server runs as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@dataclass
class PostgresServer:
    """One server process on 127.0.0.1:`port`, with its data in a folder of its own."""

    folder: Path = field(
        default_factory=lambda: Path(tempfile.mkdtemp(prefix="poolsite-pg-", dir="/tmp"))
    )
    port: int = 0
    password: str = field(default_factory=lambda: secrets.token_hex(8))
    fsync: bool = False
    process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres") -> str:
        """Return DATABASE_URL's form of an address."""
        return f"postgres://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def start(self) -> "PostgresServer":
        """Make the data folder on the first start, then start and wait until it answers."""
        self.port = self.port or free_port()
        if not (self.folder / "data").exists():
            self._initialise()
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

    def _initialise(self) -> None:
        user = server_user()
        password_file = self.folder / "password"
        password_file.write_text(self.password)
        if user is not None:
            shutil.chown(self.folder, user)
            shutil.chown(password_file, user)
        subprocess.run(
            [
                *(f"{postgres_folder()}/initdb", "-D", str(self.folder / "data"), "-U", USER),
                *("--auth=scram-sha-256", f"--pwfile={password_file}", "--no-sync"),
                *("--encoding=UTF8", "--locale=C.UTF-8"),
            ],
            cwd=self.folder,
            user=user,
            check=True,
            capture_output=True,
        )

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self.connect().close()
                return
            except psycopg.OperationalError as error:
                ended = self.process is not None and self.process.poll() is not None
                if ended or time.monotonic() > deadline:
                    log = (self.folder / "postgres.log").read_text()[-2000:]
                    raise RuntimeError(f"PostgreSQL did not start: {error}\n{log}") from error
                time.sleep(0.05)

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        """Return a new connection in autocommit mode."""
        return psycopg.connect(self.url(database), autocommit=True)

    def create_database(self, name: str = "") -> str:
        """Make an empty database and return its address."""
        name = name or f"test_{secrets.token_hex(4)}"
        with self.connect() as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.url(name)

    def stop(self) -> None:
        """End the server that this object started; the data stays."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End it as a crash would (SIGKILL); start() brings it back."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        self.process = None

    def remove(self) -> None:
        """Stop it and delete its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
