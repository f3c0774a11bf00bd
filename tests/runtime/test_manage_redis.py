"""manage.py without REDIS_URL: an embedded Redis for the command, or the one that is running."""

import os
import subprocess
from pathlib import Path

import pytest

from poolsite.runtime.embedded import EmbeddedRedis
from tests.support import forking
from tests.support.waiting import until

pytestmark = pytest.mark.processes

ASK = "from poolsite import hotpath; print(hotpath.client().{})"


def manage(data: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "POOLSITE_DATA_DIR": str(data), **variables}
    if "REDIS_URL" not in variables:
        del environment["REDIS_URL"]
    return forking.run(["manage.py", *arguments], environment)


def test_a_command_brings_its_own_redis_and_takes_it_away(tmp_path):
    written = manage(tmp_path, "shell", "-v", "0", "-c", ASK.format("incr('kept')"))
    assert written.stdout.strip() == "1", written.stderr
    until(lambda: not EmbeddedRedis(tmp_path / "redis").answers())
    assert manage(tmp_path, "shell", "-v", "0", "-c", ASK.format("get('kept')")).stdout == "1\n"


def test_a_command_uses_the_redis_that_runs_already(tmp_path):
    running = EmbeddedRedis(tmp_path / "redis").use()
    answer = manage(tmp_path, "shell", "-v", "0", "-c", ASK.format("info('clients')"))
    assert "'connected_clients': 1" in answer.stdout, answer.stderr
    assert running.answers()
    running.release()


@pytest.mark.parametrize("arguments", [["help"], ["migrate", "--help"], ["check"], ["--version"]])
def test_a_command_that_needs_no_redis_starts_none(tmp_path, arguments):
    assert manage(tmp_path, *arguments).returncode == 0
    assert not (tmp_path / "redis").exists()


def test_an_address_that_cannot_be_read_is_one_sentence(tmp_path):
    answer = manage(tmp_path, "migrate", REDIS_URL="http://somewhere")
    assert answer.returncode == 1
    assert answer.stderr.startswith("REDIS_URL must start with one of redis://")
    assert answer.stderr.count("\n") == 1
