"""A private PostgreSQL and Redis: with the pools of rows 14 and 17, made once a run, or empty."""

import atexit
import json
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from poolsite.runtime.redis_server import RedisServer
from tests.live.servers import Site
from tests.support.postgres import PostgresServer

SMALL, LARGE = 1_000, 1_000_000
PROGRAM = "tests/bench/sql_work.py"


@dataclass
class SqlSite(Site):
    """A site whose history and numbers are in a database of the private PostgreSQL."""

    database_url: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of a site, with the database's address."""
        return super().environment | {"DATABASE_URL": self.database_url}

    def work(self, *arguments: object, program: str = PROGRAM) -> dict[str, Any]:
        """Run one step of a program in its own process.

        Return its figures, which it prints last.
        """
        found: dict[str, Any] = json.loads(self.run(program, *map(str, arguments)).splitlines()[-1])
        return found


@dataclass(frozen=True)
class Sites:
    """One database with 1 000 numbers and one with 1 000 000, each in its own pool."""

    small: SqlSite
    large: SqlSite
    redis: RedisServer


@dataclass(frozen=True)
class Servers:
    """A Redis (AOF off) and a PostgreSQL (fsync off) that end with this process."""

    folder: Path
    redis: RedisServer
    postgres: PostgresServer

    def site(self, name: str) -> SqlSite:
        """Make a site with a migrated database of that name."""
        url = self.postgres.create_database(name)
        site = SqlSite(self.folder / name, self.redis.url, database_url=url)
        site.folder.mkdir()
        return site


def servers() -> Servers:
    """Start a PostgreSQL and a Redis for one row."""
    folder = Path(tempfile.mkdtemp(prefix="poolsite-bench-sql-", dir="/tmp"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    server = RedisServer(folder=folder / "redis", append_only=False).start()
    atexit.register(server.stop)
    postgres = PostgresServer().start()
    atexit.register(postgres.remove)
    return Servers(folder, server, postgres)


@cache
def sites() -> Sites:
    """Start both servers and fill them. They end with this process."""
    pair = servers()
    made = []
    for name, count in (("small", SMALL), ("large", LARGE)):
        site = pair.site(name)
        site.work("fill", name, str(count))
        made.append(site)
    return Sites(*made, redis=pair.redis)
