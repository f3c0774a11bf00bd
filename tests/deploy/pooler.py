"""A real PgBouncer with the shipped configuration. Only addresses and paths differ."""

import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.deploy.edge import changed
from tests.house.source import ROOT
from tests.support.ports import free_port
from tests.support.postgres import PASSWORD, USER, PostgresServer, server_user
from tests.support.processes import end
from tests.support.waiting import until

SHIPPED = ROOT / "deploy" / "pgbouncer" / "pgbouncer.ini"
PROGRAM = "/usr/sbin/pgbouncer"


@dataclass
class Pooler:
    """PgBouncer in front of `postgres`, as the same user: like PostgreSQL, it refuses root.

    `sql_port`: where it finds PostgreSQL, which may be a proxy's port.
    """

    postgres: PostgresServer
    database: str
    sql_port: int

    def __post_init__(self) -> None:
        self.port = free_port()
        self.folder = self.postgres.folder / f"pooler-{self.port}"

    @property
    def url(self) -> str:
        """Its address in the form of DATABASE_URL."""
        return self.postgres.url(self.database, self.port)

    def command(self) -> list[str]:
        """Write its files, and return the command that starts it."""
        self.folder.mkdir()
        config, users = self.folder / "pgbouncer.ini", self.folder / "userlist.txt"
        config.write_text(self._config(users))
        users.write_text(f'"{USER}" "{PASSWORD}"\n')
        user = server_user()
        if user is None:
            return [PROGRAM, str(config)]
        for path in (self.folder, config, users):
            shutil.chown(path, user)
        its = pwd.getpwnam(user)
        become = [f"--reuid={its.pw_uid}", f"--regid={its.pw_gid}", "--clear-groups"]
        return ["setpriv", *become, "--pdeathsig=KILL", PROGRAM, str(config)]

    @contextmanager
    def running(self) -> Iterator["Pooler"]:
        """Start it for the block, and end it afterwards."""
        process = subprocess.Popen(self.command(), stderr=subprocess.DEVNULL)
        try:
            until(lambda: self.answers() or process.poll() is not None, evidence=self.said)
            assert process.poll() is None, self.said()
            yield self
        finally:
            end(process)

    def answers(self) -> bool:
        """Return whether a session through it works."""
        try:
            with psycopg.connect(self.url, connect_timeout=3):
                return True
        except psycopg.Error:
            return False

    def said(self) -> str:
        """Return its log."""
        log = self.folder / "pgbouncer.log"
        return log.read_text()[-3000:] if log.exists() else "it has written no log"

    def _config(self, users: Path) -> str:
        server = f"host=127.0.0.1 port={self.sql_port}"
        return changed(
            SHIPPED.read_text(),
            {
                "poolsite = host=127.0.0.1 port=5432 dbname=poolsite": (
                    f"{self.database} = {server} dbname={self.database}"
                ),
                "listen_port = 6432": f"listen_port = {self.port}",
                "unix_socket_dir = /var/run/postgresql": f"unix_socket_dir = {self.folder}",
                "/var/log/postgresql/pgbouncer.log": str(self.folder / "pgbouncer.log"),
                "/var/run/postgresql/pgbouncer.pid": str(self.folder / "pgbouncer.pid"),
                "/etc/pgbouncer/userlist.txt": str(users),
            },
        )
