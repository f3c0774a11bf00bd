"""The embedded Redis runs exactly as long as a process uses it."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from poolsite.runtime.embedded import EmbeddedRedis
from poolsite.runtime.paths import LONGEST_SOCKET_PATH, redis_socket
from poolsite.runtime.redis_server import RedisServerError
from tests.house.source import ROOT
from tests.support.waiting import patient, until

pytestmark = pytest.mark.processes

USER = """
import sys
from pathlib import Path
from poolsite.runtime.embedded import EmbeddedRedis
EmbeddedRedis(Path(sys.argv[1])).use()
print("uses", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def user(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that uses the server in `folder` until its standard input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", USER, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "uses\n"
        yield process
        if process.poll() is None and process.stdin is not None:
            process.stdin.close()
            process.wait(timeout=patient(10))


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(tmp_path / "redis")
    yield server
    server.release()
    until(lambda: not server.answers())


def client(server: EmbeddedRedis) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(server.socket), decode_responses=True)


def server_pid(server: EmbeddedRedis) -> int:
    with client(server) as connection:
        return int(connection.info("server")["process_id"])


def test_it_starts_for_its_first_user_and_ends_with_the_last(embedded):
    with user(embedded.folder) as first:
        until(embedded.answers)
        with user(embedded.folder) as second:
            first.communicate()
            assert embedded.answers()
        second.wait(timeout=patient(10))
        until(lambda: not embedded.answers())


def test_a_user_that_is_killed_counts_no_longer(embedded):
    with user(embedded.folder) as other:
        other.kill()
        other.wait()
        until(lambda: not embedded.answers())


def test_two_users_that_come_at_once_share_one_server(embedded):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", USER, str(embedded.folder)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    embedded.use()
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"uses\n"
    logged = (embedded.folder / "redis.log").read_text()
    assert logged.count("Redis is starting") == 1
    for process in processes:
        process.communicate()
    assert embedded.answers()


def test_what_was_written_is_there_for_the_next_user(tmp_path):
    for turn in range(3):
        server = EmbeddedRedis(tmp_path / "redis").use()
        with client(server) as connection:
            assert connection.incr("turns") == turn + 1
        server.release()


def test_a_server_that_is_killed_comes_back_with_its_data(embedded):
    embedded.use()
    with client(embedded) as connection:
        connection.config_set("appendfsync", "always")  # with everysec, answered writes can be lost
        connection.set("kept", "yes")
    before = server_pid(embedded)
    os.kill(before, signal.SIGKILL)
    until(embedded.answers)
    assert server_pid(embedded) != before
    with client(embedded) as connection:
        assert connection.get("kept") == "yes"


def test_a_keeper_that_is_killed_is_started_again_by_the_next_look(embedded):
    embedded.use()
    assert embedded._keeper is not None
    embedded._keeper.kill()
    embedded._keeper.wait()
    until(lambda: not embedded.answers())
    embedded.ensure()
    assert embedded.answers()


def test_a_server_that_cannot_start_says_why_in_one_sentence(tmp_path):
    folder = tmp_path / "redis"
    EmbeddedRedis(folder).use().release()
    broken = tmp_path / "not-a-server"
    broken.write_text("#!/bin/sh\necho '# Fatal: this is no server'\nexit 1\n")
    broken.chmod(0o755)
    (folder / "program").write_text(str(broken))
    server = EmbeddedRedis(folder)
    until(lambda: not server.answers())
    with pytest.raises(RedisServerError, match=r"Redis did not start: .*this is no server"):
        server.use()
    server.release()


def test_a_folder_with_a_very_long_path_has_its_socket_elsewhere(tmp_path):
    deep = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 5, "redis")
    assert len(str(deep)) > LONGEST_SOCKET_PATH > len(str(redis_socket(deep)))
    server = EmbeddedRedis(deep).use()
    with client(server) as connection:
        assert connection.config_get("dir")["dir"] == str(deep)
    server.release()
