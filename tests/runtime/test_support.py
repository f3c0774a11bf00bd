"""The tests' own tools: what is not run is counted and named, and the real servers are real."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis
from hypothesis.internal.conjecture import providers

from tests.house.source import ROOT
from tests.support import branches, ports
from tests.support.needs import NEEDS

pytestmark = pytest.mark.processes

LACKING = """
import pytest
from tests.support.needs import NEEDS, Need, require

NEEDS["a-moon"] = Need("a-moon", lambda: False, "apt-get install moon")
NEEDS["a-sun"] = Need("a-sun", lambda: True, "apt-get install sun")

@pytest.mark.needs("a-moon")
def test_needs_what_is_not_here(): pass

@pytest.fixture
def moon(): require("a-moon")

def test_needs_it_through_a_fixture(moon): pass

@pytest.mark.needs("a-sun")
def test_needs_what_is_here(): pass
"""


def run(folder: Path, *options: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    file = folder / "test_lacking.py"
    file.write_text(LACKING)
    plain = ["-q", "-p", "no:progress"]  # progress would store these failures as the run's
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), *plain]
    others = ("REQUIRE_ALL", branches.VARIABLE)
    kept = {name: value for name, value in os.environ.items() if name not in others}
    return subprocess.run(
        [*command, "--rootdir", str(ROOT), "-p", "no:cacheprovider", *options, str(file)],
        cwd=ROOT,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_the_machine_lacks_is_counted_with_the_line_that_installs_it(tmp_path, workers):
    result = run(tmp_path, "-n", workers)
    assert result.returncode == 0, result.stdout
    line = "NOT RUN: 2 test(s) need a-moon. To run them: apt-get install moon"
    assert line in result.stdout.splitlines()
    assert "1 passed, 2 not run" in result.stdout.splitlines()[-1]


def test_with_require_all_what_is_not_run_is_a_failure(tmp_path):
    result = run(tmp_path, "-n", "0", REQUIRE_ALL="1")
    assert result.returncode == 1
    assert "NOT RUN: needs a-moon (apt-get install moon)" in result.stdout
    assert "1 passed" in result.stdout.splitlines()[-1]


def test_a_seed_draws_the_same_whatever_is_imported():
    assert not len(providers._get_local_constants())


def test_a_port_is_given_once_and_only_if_tcp_and_udp_have_it_free():
    given = [ports.free_port() for _ in range(300)]
    assert len({port + bus for port in given for bus in (0, 10_000)}) == 600
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_INET, kind) as taken:
            taken.bind(("127.0.0.1", 0))
            assert not ports.is_free(taken.getsockname()[1])


def test_what_ci_installs_is_enough_for_every_test():
    script = (ROOT / ".ci" / "run").read_text()
    used = {
        name
        for path in (ROOT / "tests").rglob("*.py")
        for name, need in NEEDS.items()
        if need.install.startswith("apt-get install ")
        if f'needs("{name}"' in path.read_text() or f'require("{name}"' in path.read_text()
    }
    packages = {NEEDS[name].install.removeprefix("apt-get install ") for name in used}
    assert {package for package in packages if f"|{package.split()[0]}" not in script} == set()


def test_a_postgres_of_our_own_answers_and_keeps_its_data_over_a_kill(postgres_server):
    url = postgres_server.create_database()
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('yes')")
    postgres_server.kill()
    postgres_server.start()
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT word FROM kept").fetchone() == ("yes",)


def test_manage_py_migrates_postgres(postgres_url):
    result = subprocess.run(
        [sys.executable, "manage.py", "migrate", "-v", "0"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": postgres_url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute("SELECT count(*) FROM django_migrations").fetchone()
    assert row is not None
    assert row[0] > 10


def test_a_cluster_is_three_masters_and_a_slot_moves_key_by_key(redis_cluster):
    slot = redis_cluster.slot_of("{numpool}")
    source = redis_cluster.owner_of(slot)
    target = redis_cluster.other_than(source)
    seen = []
    with redis.RedisCluster("127.0.0.1", source.port, decode_responses=True) as client:
        for index in range(5):
            client.set(f"{{numpool}}:{index}", index)
        redis_cluster.move_slot(slot, target, lambda: seen.append(client.get("{numpool}:3")))
        assert seen == ["3"] * 6  # before the first key and after each: always found
        assert redis_cluster.owner_of(slot) is target
        assert client.get("{numpool}:4") == "4"
        redis_cluster.move_slot(slot, source)
