"""The drain is killed at each point, and SQL is stopped: no entry is lost or written twice."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from poolsite import hotpath
from tests.history import ledger
from tests.support import forking
from tests.support.database import lay_migrated
from tests.support.needs import require
from tests.support.postgres import PostgresServer
from tests.support.waiting import patient, until

pytestmark = pytest.mark.prove

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).parent / "drain_process.py"
# What the demo's simulator writes in ten minutes: 40 entries a second.
TEN_MINUTES = 10 * 60 * 40


class Database:
    """A prepared SQLite or PostgreSQL database, and processes that drain into it."""

    def __init__(self, url: str) -> None:
        self.environment = {**os.environ, "DATABASE_URL": url, "PYTHONPATH": str(ROOT)}
        self.do("prepare")

    def run(self, verb: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        return forking.run([str(PROGRAM), verb], self.environment | variables)

    def do(self, verb: str) -> str:
        done = self.run(verb)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def drain(self) -> dict[str, int]:
        return json.loads(self.do("drain"))

    def stored(self) -> list[int]:
        return [seq for _, seq, _ in json.loads(self.do("rows"))]

    def drains_forever(self, **variables: str) -> forking.Forked:
        words, null = [str(PROGRAM), "drain-forever"], Path(os.devnull)
        drain = forking.talk(words, self.environment | variables, errors=null)
        assert drain.stdout is not None
        assert drain.stdout.readline() == "ready\n"
        return drain


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path, clean_redis):
    """A SQLite or PostgreSQL database, and an empty Redis."""
    hotpath.reset()
    if request.param == "postgres":
        return Database(request.getfixturevalue("postgres_server").create_database())
    lay_migrated(tmp_path / "drain.sqlite3")
    return Database(f"sqlite:///{tmp_path / 'drain.sqlite3'}")


@pytest.fixture
def postgres_needed():
    require("postgres")


@pytest.mark.parametrize(
    ("point", "committed", "marked"),
    [
        ("history.before_commit", 0, 0),
        ("history.after_commit", 200, 0),
        ("history.after_trim", 200, 200),
    ],
)
def test_a_drain_killed_at_any_point_loses_and_doubles_nothing(database, point, committed, marked):
    ledger.begin("{t1}")
    ledger.append("{t1}", 200)
    killed = database.run("drain", POOLSITE_CRASH_AT=point, POOLSITE_CHAOS="1")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(database.stored()) == committed
    assert int(hotpath.client().hget("{t1}", "drained")) == marked
    ledger.append("{t1}", 50)
    assert database.drain() == {"count": 250 - committed, "lag": 0, "gaps": 0}
    assert database.stored() == list(range(1, 251))
    assert hotpath.client().hget("{t1}", "drained") == "250"


def test_two_drains_at_once_write_every_entry_once(database):
    ledger.begin("{t1}")
    drains = [database.drains_forever() for _ in range(2)]
    try:
        for _ in range(100):
            ledger.append("{t1}", 20)
        assert [each.poll() for each in drains] == [None, None]
    finally:
        for each in drains:
            each.kill()
            each.communicate()
    database.drain()
    assert database.stored() == list(range(1, 2_001))


def test_sql_stopped_for_ten_minutes_of_the_demos_entries_loses_none(clean_redis, postgres_needed):
    hotpath.reset()
    server = PostgresServer().start()
    try:
        database = Database(server.create_database())
        ledger.begin("{t1}")
        ledger.append("{t1}", 500)
        assert database.drain()["count"] == 500
        server.stop()
        for _ in range(TEN_MINUTES // 400):
            ledger.append("{t1}", 400)
        refused = database.run("drain")
        assert refused.returncode == 1
        assert hotpath.client().hget("{t1}", "drained") == "500"
        server.start()
        drained = {"count": 0, "lag": 0, "gaps": 0}
        while (more := database.drain())["count"]:
            drained["count"] += more["count"]
            drained["gaps"] += more["gaps"]
        assert drained == {"count": TEN_MINUTES, "lag": 0, "gaps": 0}
        assert database.stored() == list(range(1, 501 + TEN_MINUTES))
    finally:
        server.remove()


def test_a_killed_postgresql_never_holds_rows_without_their_cursor(clean_redis, postgres_needed):
    hotpath.reset()
    server = PostgresServer(fsync=True).start()
    try:
        database = Database(server.create_database())
        ledger.begin("{t1}")
        for turn in range(3):
            ledger.append("{t1}", 4_000)
            drainer = database.drains_forever(POOLSITE_HISTORY_BATCH="50")
            begun = 4_000 * turn + 100
            until(lambda begun=begun: int(hotpath.client().hget("{t1}", "drained")) >= begun)
            server.kill()
            drainer.communicate(timeout=patient(60))
            server.start()
        database.drain()
        assert database.stored() == list(range(1, 12_001))
    finally:
        server.remove()


def test_a_crash_point_without_the_chaos_variable_refuses_to_start():
    environment = {**os.environ, "POOLSITE_CRASH_AT": "history.after_trim"}
    refused = forking.run([str(PROGRAM), "drain"], environment)
    assert refused.returncode == 1
    assert "POOLSITE_CRASH_AT is for the fault tests only" in refused.stderr
