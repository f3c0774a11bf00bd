"""kill -9 of the drain at each point, and SQL stopped: nothing is lost, nothing stands twice."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from poolsite import hotpath
from tests.history import ledger
from tests.support.needs import require
from tests.support.postgres import PostgresServer

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).parent / "drain_process.py"
# Ten minutes of what the demo's simulator makes: 40 entries a second.
TEN_MINUTES = 10 * 60 * 40


def environment(url: str, **more: str) -> dict[str, str]:
    return {**os.environ, "DATABASE_URL": url, "PYTHONPATH": str(ROOT), **more}


def run(verb: str, url: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROGRAM), verb],
        env=environment(url, **more),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )


def drain(url: str) -> dict[str, int]:
    done = run("drain", url)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def stored(url: str) -> list[int]:
    done = run("rows", url)
    assert done.returncode == 0, done.stderr
    return [seq for _, seq, _ in json.loads(done.stdout)]


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path, clean_redis):
    """DATABASE_URL of a prepared database of either kind, beside an empty Redis."""
    hotpath.reset()
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'drain.sqlite3'}"
    else:
        url = request.getfixturevalue("postgres_server").create_database()
    prepared = run("prepare", url)
    assert prepared.returncode == 0, prepared.stderr
    return url


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
    killed = run("drain", database, POOLSITE_CRASH_AT=point, POOLSITE_CHAOS="1")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(stored(database)) == committed
    assert int(hotpath.client().hget("{t1}", "drained")) == marked
    ledger.append("{t1}", 50)
    assert drain(database) == {"count": 250 - committed, "lag": 0, "gaps": 0}
    assert stored(database) == list(range(1, 251))
    assert hotpath.client().hget("{t1}", "drained") == "250"


def test_two_drains_at_once_write_every_entry_once(database):
    ledger.begin("{t1}")
    drains = [
        subprocess.Popen(
            [sys.executable, str(PROGRAM), "drain-forever"],
            env=environment(database),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    try:
        for each in drains:
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"
        for _ in range(100):
            ledger.append("{t1}", 20)
        assert [each.poll() for each in drains] == [None, None]
    finally:
        for each in drains:
            each.kill()
            each.communicate()
    drain(database)
    assert stored(database) == list(range(1, 2_001))


def test_sql_stopped_for_ten_minutes_of_the_demos_entries_loses_none(clean_redis, postgres_needed):
    hotpath.reset()
    server = PostgresServer().start()
    try:
        url = server.create_database()
        assert run("prepare", url).returncode == 0
        ledger.begin("{t1}")
        ledger.append("{t1}", 500)
        assert drain(url)["count"] == 500
        server.stop()
        for _ in range(TEN_MINUTES // 400):
            ledger.append("{t1}", 400)
        refused = run("drain", url)
        assert refused.returncode == 1
        assert hotpath.client().hget("{t1}", "drained") == "500"
        server.start()
        drained = {"count": 0, "lag": 0, "gaps": 0}
        while (more := drain(url))["count"]:
            drained["count"] += more["count"]
            drained["gaps"] += more["gaps"]
        assert drained == {"count": TEN_MINUTES, "lag": 0, "gaps": 0}
        assert stored(url) == list(range(1, 501 + TEN_MINUTES))
    finally:
        server.remove()


def test_a_killed_postgresql_never_holds_rows_without_their_cursor(clean_redis, postgres_needed):
    hotpath.reset()
    server = PostgresServer(fsync=True).start()
    try:
        url = server.create_database()
        assert run("prepare", url).returncode == 0
        ledger.begin("{t1}")
        for _ in range(3):
            ledger.append("{t1}", 4_000)
            with subprocess.Popen(
                [sys.executable, str(PROGRAM), "drain-forever"],
                env=environment(url, POOLSITE_HISTORY_BATCH="50"),
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            ) as drainer:
                assert drainer.stdout is not None
                assert drainer.stdout.readline() == "ready\n"
                while int(hotpath.client().hget("{t1}", "drained")) % 4_000 < 100:
                    assert drainer.poll() is None
                server.kill()
                drainer.wait(timeout=60)
            server.start()
        drain(url)
        assert stored(url) == list(range(1, 12_001))
    finally:
        server.remove()


def test_a_crash_point_without_the_chaos_variable_refuses_to_start(tmp_path):
    refused = run(
        "drain", f"sqlite:///{tmp_path / 'x.sqlite3'}", POOLSITE_CRASH_AT="history.after_trim"
    )
    assert refused.returncode == 1
    assert "POOLSITE_CRASH_AT is for the fault tests only" in refused.stderr
