"""Two processes issue the same invoices at once: each once, and the numbers have no gap."""

import json
from pathlib import Path

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.billing.recharge.test_at_once import environment
from tests.support import forking
from tests.support.database import lay_migrated
from tests.support.waiting import patient

pytestmark = pytest.mark.processes

PROGRAM = str(Path(__file__).parent / "issue_process.py")
ACCOUNTS, PROCESSES, THREADS = 6, 2, 3


def run(url: str, *words: str) -> str:
    done = forking.run([PROGRAM, *words], environment(url), timeout=patient(300))
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path, clean_redis: RedisServer) -> str:
    """The DATABASE_URL of an empty database, of either kind."""
    if request.param == "sqlite":
        lay_migrated(tmp_path / "race.sqlite3")
        return f"sqlite:///{tmp_path / 'race.sqlite3'}"
    return str(request.getfixturevalue("postgres_server").create_database())


def test_each_is_issued_once_and_no_number_is_missing(database: str, tmp_path: Path) -> None:
    run(database, "prepare", str(ACCOUNTS))
    words = [PROGRAM, "issue", str(THREADS)]
    processes = [
        forking.talk(words, environment(database), errors=tmp_path / "errors.log")
        for _ in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:  # all are loaded: now let all of them start
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        out, _ = process.communicate(timeout=patient(300))
        assert json.loads(out) == []
    found = json.loads(run(database, "report"))
    assert [serial for serial, _slug in found["invoices"]] == list(range(1, ACCOUNTS + 1))
    assert {slug for _serial, slug in found["invoices"]} == {
        f"account-{number}" for number in range(ACCOUNTS)
    }
    assert (found["lasts"], found["unlike"]) == ([ACCOUNTS], 0)
