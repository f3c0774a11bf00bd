"""200 confirmations of one payment at once, by real processes on either database."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from billing.money import UNITS
from poolsite.runtime.redis_server import RedisServer
from tests.support import forking
from tests.support.database import lay_migrated
from tests.support.waiting import patient

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(__file__).parent / "confirm_process.py"
PROCESSES, THREADS = 4, 50


def environment(url: str) -> dict[str, str]:
    return {
        **os.environ,
        "DATABASE_URL": url,
        "PYTHONPATH": str(ROOT),
        "POOLSITE_PAYMENTS": "stripe",
        "POOLSITE_STRIPE_SECRET_KEY": "sk_test_of_these_tests",
        "POOLSITE_STRIPE_WEBHOOK_SECRET": "whsec_of_these_tests",
    }


def run(url: str, *words: str) -> str:
    done = forking.run([str(PROGRAM), *words], environment(url), timeout=patient(300))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path, clean_redis: RedisServer) -> str:
    """The DATABASE_URL of an empty database, of either kind."""
    if request.param == "sqlite":
        lay_migrated(tmp_path / "race.sqlite3")
        return f"sqlite:///{tmp_path / 'race.sqlite3'}"
    return str(request.getfixturevalue("postgres_server").create_database())


def test_two_hundred_confirmations_at_once_credit_once(database: str, tmp_path: Path) -> None:
    recharge = run(database, "prepare").split()[-1]
    words = [str(PROGRAM), "confirm", recharge, str(THREADS)]
    processes = [
        forking.talk(words, environment(database), errors=tmp_path / "errors.log")
        for _ in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    answers: Counter[str] = Counter()
    for process in processes:  # all are loaded: now let all of them start
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        out, _ = process.communicate(timeout=patient(300))
        answers.update(json.loads(out))
    assert answers == {"credited": 1, "repeat": PROCESSES * THREADS - 1}
    found = json.loads(run(database, "report"))
    assert found == {"orders": [[f"recharge:{recharge}", 100 * UNITS]], "spendable": 100 * UNITS}
