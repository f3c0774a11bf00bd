"""Programs that tests fork behave like the same programs started from scratch."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support import forking
from tests.support.waiting import until

pytestmark = pytest.mark.processes

SETTINGS = """
import django
django.setup()
from django.conf import settings
from django.db import connection
from poolsite.celery import app
print(settings.REDIS_URL, connection.settings_dict["NAME"], settings.PLATFORM_NAME)
print(app.conf.broker_url, settings.CALLS_KEEP_DAYS, settings.HISTORY_SHARDS)
"""
FORKED = "print('support/' 'forking.py' in open('/proc/self/cmdline').read())"


def environment(folder: Path, **variables: str) -> dict[str, str]:
    own = {"POOLSITE_DATA_DIR": str(folder), "REDIS_URL": f"unix://{folder}/r.sock"}
    return {**os.environ, "DATABASE_URL": f"sqlite:///{folder}/x.sqlite3", **own, **variables}


def was_forked(given: dict[str, str]) -> bool:
    return forking.run(["-c", FORKED], given).stdout == "True\n"


@pytest.mark.parametrize(
    "variables",
    [
        {"POOLSITE_PLATFORM_NAME": "North"},
        {"POOLSITE_DEMO": "1", "POOLSITE_CALLS_KEEP_DAYS": "1", "POOLSITE_PERSIST_SECONDS": "60"},
        {"POOLSITE_HISTORY_SHARDS": "7"},
    ],
    ids=str,
)
def test_a_forked_program_has_the_settings_of_its_environment(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    given = environment(tmp_path, **variables)
    assert was_forked(given)
    told = forking.run(["-c", SETTINGS], given)
    fresh = forking.run(["-c", SETTINGS], given | {"PYTHONHASHSEED": "0"})
    assert told.stdout.count(str(tmp_path)) == 3, told.stderr
    assert told.stdout == fresh.stdout


def test_what_python_reads_at_its_start_starts_it_afresh(tmp_path: Path) -> None:
    assert not was_forked(environment(tmp_path, PYTHONHASHSEED="0"))


def test_settings_that_cannot_be_read_are_told_as_by_the_program_itself(tmp_path: Path) -> None:
    refused = forking.run(["manage.py", "check"], environment(tmp_path, REDIS_URL="http://away"))
    assert refused.returncode == 1
    assert refused.stderr.startswith("REDIS_URL ")


def test_a_program_is_talked_to_killed_and_told_how_it_ended(tmp_path: Path) -> None:
    echo = ["-c", "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)"]
    process = forking.talk(echo, environment(tmp_path), errors=tmp_path / "errors")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("hello\n")
    process.stdin.flush()
    assert process.stdout.readline() == "HELLO\n"
    assert process.poll() is None
    assert process.communicate() == ("", None)
    assert process.returncode == 0

    log = tmp_path / "log"
    words = ["-c", "import sys, time\nprint('here', flush=True)\ntime.sleep(600)"]
    sleeper = forking.start(words, environment(tmp_path), output=log, session=True)
    until(lambda: log.exists() and log.read_text() == "here\n")
    assert os.getsid(sleeper.pid) == sleeper.pid
    with pytest.raises(subprocess.TimeoutExpired):
        sleeper.wait(0.01)
    sleeper.kill()
    assert sleeper.wait() == -signal.SIGKILL
    assert forking.run(["-c", "raise SystemExit('no')"], environment(tmp_path)).returncode == 1
