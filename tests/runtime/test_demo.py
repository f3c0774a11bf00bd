"""`make demo` with real processes: it serves, it recovers, and it leaves nothing behind."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from poolsite.runtime.leftovers import VARIABLE
from tests.house.source import ROOT
from tests.support.demo import START_SECONDS, DemoRun
from tests.support.waiting import until

pytestmark = [pytest.mark.prove, pytest.mark.alone]

GONE_SECONDS = 30.0


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder for all runs of this module: only the first start creates the database."""
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(data: Path) -> Iterator[DemoRun]:
    """A demo that is ready, for all tests that leave it running. The last of them ends it."""
    run = DemoRun(data).start()
    try:
        yield run.ready()
    finally:
        run.end()  # even if it was not ready in time


@pytest.fixture
def begun(data: Path) -> Iterator[DemoRun]:
    """A demo whose processes import the product. To wait for more would take a minute."""
    run = DemoRun(data).start()
    try:
        until(lambda: _jobs(run) or not run.lives)
        yield run
    finally:
        run.end()


def _jobs(run: DemoRun) -> int:
    """Return the number of processes that run jobs: first one, later also the worker's children."""
    return sum("-Q jobs" in line for line in run.processes().values())


def test_it_serves_and_tells_how_to_log_in(demo):
    assert demo.page_answers()
    assert f"http://127.0.0.1:{demo.port}/" in demo.said
    file = demo.data / "demo" / "secrets.json"
    secrets = json.loads(file.read_text())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(secrets["secret_key"]) >= 50
    assert f"Password for all users: {secrets['password']}" in demo.said
    answers = _first_requests(demo)
    assert [each["outcome"] for each in answers] == ["ok"] * 5
    assert {each["number"] for each in answers} == {"+12025550123"}


def _first_requests(demo: DemoRun) -> list[dict[str, Any]]:
    """Run the commands of docs/start/README.md in a second terminal. Return the responses."""
    page = (ROOT / "docs/start/README.md").read_text()
    commands = re.search(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert commands is not None
    ran = subprocess.run(
        ["sh", "-eu", "-c", commands[1].replace("127.0.0.1:8000", f"127.0.0.1:{demo.port}")],
        cwd=ROOT,
        env=demo.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]


def test_what_dies_is_started_again(demo):
    web = demo.pid_of("uvicorn")
    os.kill(web, signal.SIGKILL)
    until(lambda: demo.page_answers() and demo.pid_of("uvicorn") != web, START_SECONDS)
    worker = demo.pid_of("-Q jobs")
    os.kill(worker, signal.SIGKILL)
    until(lambda: "worker-jobs stopped (signal 9)" in demo.said)
    until(lambda: _jobs(demo))
    assert worker not in demo.processes()
    os.kill(_redis_pid(demo), signal.SIGKILL)
    until(lambda: not demo.redis_answers())
    until(demo.redis_answers)


def _redis_pid(demo: DemoRun) -> int:
    socket_path = str(demo.data / "redis" / "redis.sock")
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        if f"unixsocket:{socket_path}" in command.read_text(errors="replace"):
            return int(command.parent.name)
    raise LookupError(f"No server with the socket {socket_path}.")


def test_a_second_one_is_told_that_the_first_runs(demo):
    second = DemoRun(demo.data).start()
    assert second.wait() == 2  # make's exit status for a recipe that failed
    until(lambda: "make:" in second.said)
    assert second.said.startswith("The demo is already running: process ")
    assert second.said.count("\n") == 2  # including make's own line
    assert demo.page_answers()


def test_the_killing_of_the_supervisor_leaves_no_process(demo):
    until(lambda: _jobs(demo) > 1)
    os.kill(demo.supervisor_pid, signal.SIGKILL)
    until(demo.gone, GONE_SECONDS)


def test_it_ends_with_ctrl_c(begun):
    begun.interrupt()
    until(begun.gone, GONE_SECONDS)


def test_the_killing_of_make_leaves_no_process(begun):
    assert begun.parent is not None
    begun.parent.kill()
    until(begun.gone, GONE_SECONDS)


def test_an_interrupt_to_make_alone_leaves_no_process(begun):
    assert begun.parent is not None
    begun.parent.send_signal(signal.SIGINT)
    until(begun.gone, GONE_SECONDS)


def test_sigterm_to_the_supervisor_leaves_no_process(begun):
    os.kill(begun.supervisor_pid, signal.SIGTERM)
    until(begun.gone, GONE_SECONDS)


@pytest.fixture
def stubborn(data: Path) -> Iterator[dict[str, "subprocess.Popen[bytes]"]]:
    """Two processes that ignore SIGTERM: one with the last run's mark, one with another mark."""
    marks = {"left over": (data / "demo" / "mark").read_text(), "of another run": "0" * 32}
    program = "import signal; signal.signal(15, signal.SIG_IGN); print(); signal.pause()"
    processes = {
        name: subprocess.Popen(
            [sys.executable, "-uc", program],
            env={**os.environ, VARIABLE: mark},
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        for name, mark in marks.items()
    }
    for process in processes.values():
        assert process.stdout is not None
        process.stdout.readline()
    yield processes
    for process in processes.values():
        process.kill()
        process.communicate()


def test_the_next_start_ends_what_an_earlier_one_left_behind_and_nothing_else(data, stubborn):
    secrets = (data / "demo" / "secrets.json").read_text()
    run = DemoRun(data).start()
    until(lambda: "Stopped 1 process(es) left over from an earlier run." in run.said)
    assert stubborn["left over"].poll() == -signal.SIGKILL
    assert stubborn["of another run"].poll() is None
    run.end()
    assert (data / "demo" / "secrets.json").read_text() == secrets


def test_a_port_in_use_is_one_sentence(data):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        run = DemoRun(data, port=other.getsockname()[1]).start()
        assert run.wait() == 2
        until(lambda: "make:" in run.said)
    assert run.said.splitlines()[0] == (
        f"Port {run.port} is in use. Stop the program that uses it, "
        f"or choose another port: make demo POOLSITE_PORT={run.port + 1}"
    )
