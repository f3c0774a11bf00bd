"""The end of the demo's processes: all together, within a bound, at once when asked twice."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from poolsite.runtime import supervisor
from poolsite.runtime.children import ROOT, Child
from poolsite.runtime.supervisor import Supervisor
from tests.support.waiting import until

PROGRAM = """
import sys
from pathlib import Path
from poolsite.runtime.children import Child
from poolsite.runtime.supervisor import Stopped, Supervisor, say
one = Supervisor(say)
one.take_signals()
for word in sys.argv[2:]:
    there = str(Path(sys.argv[1], f"there-{len(one.children)}"))
    one.start(Child(word, "tests.support.slow_to_end", [word, there]))
try:
    one.run(each_second=lambda: None)
except Stopped:
    say("ending")
    one.stop()
"""


def child(folder: Path, name: str, seconds: str) -> Child:
    arguments = [seconds, str(folder / name)]
    return Child(name, "tests.support.slow_to_end", arguments, log=folder / "log")


@pytest.fixture
def there(tmp_path: Path) -> Callable[[int], None]:
    """Returns when so many children of PROGRAM are ready."""
    return lambda count: until(lambda: len(list(tmp_path.glob("there-*"))) == count, 30)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Starts a supervisor of its own, with children that take so long to end."""
    started: list[subprocess.Popen[str]] = []

    def start(*words: str, nohup: bool = False) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [*(["nohup"] if nohup else []), sys.executable, "-c", PROGRAM, str(tmp_path), *words],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_children_end_at_the_same_time(tmp_path: Path) -> None:
    one = Supervisor(print)
    names = ["a", "b", "c", "d"]
    one.start(*(child(tmp_path, name, "2") for name in names))
    until(lambda: all((tmp_path / name).exists() for name in names), 30)
    processes = [known.process for known in one.children]
    began = time.monotonic()
    one.stop()
    assert 2 <= time.monotonic() - began < 6  # one after the other it would be 8
    assert [process.returncode for process in processes if process] == [0, 0, 0, 0]


def test_what_takes_no_sigterm_is_killed_after_the_grace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "STOP_SECONDS", 1.5)
    one = Supervisor(print)
    one.start(*(child(tmp_path, name, "never") for name in "abc"), child(tmp_path, "d", "0"))
    until(lambda: all((tmp_path / name).exists() for name in "abcd"), 30)
    processes = [known.process for known in one.children]
    began = time.monotonic()
    one.stop()
    assert 1.5 <= time.monotonic() - began < 4.5
    codes = [process.returncode for process in processes if process]
    assert codes == [-signal.SIGKILL] * 3 + [0]


def test_a_second_signal_ends_it_at_once_and_without_a_word(
    program: Callable[..., "subprocess.Popen[str]"], there: Callable[[int], None]
) -> None:
    process = program("never", "never")
    there(2)
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert process.stdout.readline() == "ending\n"
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    said, complaint = process.communicate(timeout=30)
    assert time.monotonic() - began < supervisor.STOP_SECONDS / 2
    assert (process.returncode, said, complaint) == (0, "", "")


def test_below_nohup_the_end_of_the_terminal_is_none_of_its_business(
    program: Callable[..., "subprocess.Popen[str]"], there: Callable[[int], None]
) -> None:
    process = program("0", nohup=True)
    there(1)
    process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=1)
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=30)
    assert (process.returncode, said) == (0, "ending\n")
