"""A private PostgreSQL and Redis with the pools that rows 14 and 17 look at, made once a run."""

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
    """A site whose history and numbers are in a database of that PostgreSQL."""

    database_url: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """As a site's, with the database's address."""
        return super().environment | {"DATABASE_URL": self.database_url}

    def work(self, *arguments: str) -> dict[str, Any]:
        """Run one step of tests/bench/sql_work.py in a process of its own; return its figures."""
        found: dict[str, Any] = json.loads(self.run(PROGRAM, *arguments).splitlines()[-1])
        return found


@dataclass(frozen=True)
class Sites:
    """One database with 1 000 numbers and one with 1 000 000, each in its own pool."""

    small: SqlSite
    large: SqlSite
    redis: RedisServer


@cache
def sites() -> Sites:
    """Start both servers and fill them; they end with this process."""
    folder = Path(tempfile.mkdtemp(prefix="poolsite-bench-sql-", dir="/tmp"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    server = RedisServer(folder=folder / "redis", append_only=False).start()
    atexit.register(server.stop)
    postgres = PostgresServer().start()
    atexit.register(postgres.remove)
    made = []
    for name, count in (("small", SMALL), ("large", LARGE)):
        site = SqlSite(folder / name, server.url, database_url=postgres.create_database(name))
        site.folder.mkdir()
        site.run("manage.py", "migrate", "--verbosity=0")
        site.work("fill", name, str(count))
        made.append(site)
    return Sites(*made, redis=server)
