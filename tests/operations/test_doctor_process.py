"""`manage.py doctor` as a program: nothing running, both stores down, PostgreSQL's states."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from tests.deploy.pooler import Pooler
from tests.support import forking
from tests.support.ports import free_port
from tests.support.postgres import PostgresServer
from tests.support.waiting import patient

pytestmark = [pytest.mark.processes, pytest.mark.prove]

Rows = dict[str, dict[str, str]]


def doctor(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, **variables}
    if not variables.get("REDIS_URL"):
        environment.pop("REDIS_URL", None)
    return forking.run(["manage.py", "doctor", *arguments], environment, timeout=patient(120))


def rows_of(text: str) -> Rows:
    """Return the rows by name. If several lines have the same name, the last one counts."""
    return {row["name"]: row for row in map(json.loads, text.splitlines())}


def test_with_nothing_running_it_says_so_and_starts_nothing(tmp_path: Path):
    answer = doctor("--json", "--only", "redis.servers", "redis", POOLSITE_DATA_DIR=str(tmp_path))
    assert (answer.returncode, answer.stderr) == (1, "")
    rows = rows_of(answer.stdout)
    assert "the embedded Redis is not running" in rows["redis.servers"]["found"]
    assert rows["redis"]["mark"] == "fail"
    assert not (tmp_path / "redis").exists()


def test_with_both_stores_away_it_prints_what_it_can_and_no_password(tmp_path: Path):
    answer = doctor(
        "--json",
        DATABASE_URL=f"postgres://poolsite:known-to-few@127.0.0.1:{free_port()}/poolsite",
        REDIS_URL=f"redis://:known-to-nobody@127.0.0.1:{free_port()}/0",
        POOLSITE_DATA_DIR=str(tmp_path),
    )
    assert (answer.returncode, answer.stderr) == (1, "")
    assert "known-to" not in answer.stdout
    rows = rows_of(answer.stdout)
    assert "Connection refused" in rows["redis.servers"]["found"]
    assert "Connection refused" in rows["sql.server"]["found"]
    skipped = {name for name, row in rows.items() if row["mark"] == "skip"}
    assert {"timers", "redis.aof", "scripts", "sql.writes", "sql.connections"} <= skipped
    assert rows["settings"]["mark"] == rows["disk"]["mark"] == "ok"


def test_settings_that_cannot_be_read_are_one_sentence():
    for name, value in {"REDIS_URL": "http://somewhere", "POOLSITE_HISTORY_BATCH": "many"}.items():
        answer = doctor(**{name: value})
        assert answer.returncode == 1
        assert answer.stderr.startswith(f"{name} ")
        assert answer.stderr.count("\n") == 1


@pytest.fixture
def look(postgres_url: str) -> Callable[[], Rows]:
    """A function that returns the lines about SQL, from a new process each time."""
    environment = {**os.environ, "DATABASE_URL": postgres_url}
    names = ["migrations", "sql.server", "sql.writes", "sql.connections", "clocks"]

    def rows() -> Rows:
        words = ["manage.py", "doctor", "--json", "--only", *names]
        return rows_of(forking.run(words, environment).stdout)

    return rows


@pytest.mark.needs("postgres")
def test_postgresql_as_it_should_be_and_with_each_setting_that_harms(
    look: Callable[[], Rows], postgres_server: PostgresServer, postgres_url: str
):
    fine = look()
    assert {row["mark"] for row in fine.values()} == {"ok"}, fine
    assert "UTF8, read committed, time zone of sessions UTC" in fine["sql.server"]["found"]
    assert "of 200 connections used" in fine["sql.connections"]["found"]
    assert "SQL: " in fine["clocks"]["found"]
    harms = {
        "default_transaction_isolation = 'serializable'": ("sql.server", "is serializable"),
        "default_transaction_read_only = on": ("sql.writes", "Transactions are read-only"),
    }
    name = postgres_url.rpartition("/")[2]
    for setting, (check, told) in harms.items():
        with postgres_server.connect() as connection:
            connection.execute(f"ALTER DATABASE {name} SET {setting}")
        row = look()[check]
        assert (row["mark"], told in row["found"]) == ("fail", True), row
        with postgres_server.connect() as connection:
            connection.execute(f"ALTER DATABASE {name} RESET ALL")
    with psycopg.connect(postgres_url) as connection:
        connection.execute("DELETE FROM django_migrations WHERE app = 'operations'")
    assert look()["migrations"]["mark"] == "fail"


@pytest.mark.needs("postgres", "pgbouncer")
def test_a_pooler_between_is_found_and_must_be_known(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    def line(url: str, told: str) -> tuple[str, str]:
        answer = doctor(
            "--json", "--only", "sql.pooler", DATABASE_URL=url, POOLSITE_SQL_POOLER=told
        )
        row = rows_of(answer.stdout)["sql.pooler"]
        return row["mark"], row["found"]

    database = postgres_url.rpartition("/")[2]
    assert line(postgres_url, "0") == ("ok", "no pooler between")
    assert line(postgres_url, "1")[0] == "warn"
    with Pooler(postgres_server, database, postgres_server.port).running() as pooler:
        mark, found = line(pooler.url, "0")
        assert (mark, "POOLSITE_SQL_POOLER is not set" in found) == ("fail", True)
        assert line(pooler.url, "1") == ("ok", "a pooler lends connections by transaction")
