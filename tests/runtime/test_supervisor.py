"""How the demo's processes end: all together, within a bound, and at once on a second signal."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from poolsite.runtime import supervisor
from poolsite.runtime.children import ROOT, Child
from poolsite.runtime.supervisor import StartError, Supervisor
from tests.support.waiting import patient, until

pytestmark = pytest.mark.processes

PROGRAM = """
import sys
from pathlib import Path
from poolsite.runtime import supervisor
from poolsite.runtime.children import Child
from poolsite.runtime.supervisor import Stopped, Supervisor, say
supervisor.STOP_SECONDS = 3_600  # nothing here ends because time is up
one = Supervisor(say)
one.take_signals()
for word in sys.argv[2:]:
    there = str(Path(sys.argv[1], f"there-{len(one.children)}"))
    one.start(Child(word, "tests.support.slow_to_end", [word, there]))
try:
    one.run(each_second=Path(sys.argv[1], "ticked").touch)
except Stopped:
    say("ending")
    one.stop()
"""


def child(folder: Path, name: str, word: str) -> Child:
    arguments = [word, str(folder / name)]
    return Child(name, "tests.support.slow_to_end", arguments, log=folder / "log")


@pytest.fixture
def there(tmp_path: Path) -> Callable[[int], None]:
    """A function that returns when this many children of PROGRAM are ready."""
    return lambda count: until(lambda: len(list(tmp_path.glob("there-*"))) == count)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """A function that starts a supervisor, with children that end as its arguments define."""
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
    one.start(*(child(tmp_path, name, "4") for name in names))  # none before all four are asked
    until(lambda: all((tmp_path / name).exists() for name in names))
    processes = [known.process for known in one.children]
    one.stop()
    assert [process.returncode for process in processes if process] == [0, 0, 0, 0]


def test_what_takes_no_sigterm_is_killed_after_the_grace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grace_seconds = patient(1.5)
    monkeypatch.setattr(supervisor, "STOP_SECONDS", grace_seconds)
    one = Supervisor(print)
    one.start(*(child(tmp_path, name, "never") for name in "abc"), child(tmp_path, "d", "1"))
    until(lambda: all((tmp_path / name).exists() for name in "abcd"))
    processes = [known.process for known in one.children]
    began = time.monotonic()
    one.stop()
    assert grace_seconds <= time.monotonic() - began < 3 * grace_seconds
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
    process.send_signal(signal.SIGINT)
    said, complaint = process.communicate(timeout=patient(30))  # else it would be an hour
    assert (process.returncode, said, complaint) == (0, "", "")


def test_below_nohup_the_end_of_the_terminal_is_none_of_its_business(
    program: Callable[..., "subprocess.Popen[str]"], there: Callable[[int], None], tmp_path: Path
) -> None:
    process = program("1", nohup=True)
    there(1)
    process.send_signal(signal.SIGHUP)
    (tmp_path / "ticked").unlink(missing_ok=True)
    until((tmp_path / "ticked").exists)  # it is still running
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=patient(30))
    assert (process.returncode, said) == (0, "ending\n")


def test_a_slow_start_is_waited_for_with_words_as_long_as_its_processes_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "SAY_EVERY_SECONDS", 0.0)
    said: list[str] = []
    monkeypatch.setattr(supervisor, "answers", lambda *_: len(said) > 2)
    one = Supervisor(said.append)
    one.start(child(tmp_path, "web", "1"))
    one.wait_for_page("127.0.0.1", 8000, "/healthz")
    one.stop()
    expected = "Still waiting for http://127.0.0.1:8000/healthz after 0 s; running: web."
    assert said[0] == expected


def test_a_start_that_fails_again_and_again_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "answers", lambda *_: False)
    one = Supervisor(lambda _: None)
    one.start(Child("web", "tests.support.no_such_module", log=tmp_path / "log"))
    with pytest.raises(StartError, match=r"web did not start: .*no_such_module"):
        one.wait_for_page("127.0.0.1", 8000, "/healthz")
    one.stop()
