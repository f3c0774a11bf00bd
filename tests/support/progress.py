"""What a run prints while it runs: its progress, the time left, and slow tests.

It prints a line every few seconds instead of a dot for each test. The time left is computed from
what each file took when it was recorded (tests/durations.json). Failures are written to
var/tests/failures.txt, which `.ci/run` prints at the end of a log that is too long to be stored.
"""

import os
import re
import threading
import time
from collections import Counter
from collections.abc import Iterable

import pytest

from tests.support import durations
from tests.support.waiting import measure_patience, patience

EVERY_SECONDS = 15.0
SLOW_SECONDS = 5.0
FAILURES = durations.MEASURED / "failures.txt"
FAILURE_LENGTH = 1_500
_ERROR = re.compile("E  ")
_GIST = re.compile(r"(>|E|\S+\.py:\d+:?)(\s|$)")  # in pytest's format of a traceback
_OUT = os.dup(1)  # before pytest captures it: lines are written while a test runs


class ProgressPlugin:
    """Runs in the process that prints. Under xdist it gets the reports of the workers' tests."""

    def __init__(self) -> None:
        self._running: dict[str, float] = {}
        self._weights: dict[str, float] = {}
        self._began = self._told = time.monotonic()
        self._done = self._failed = 0
        self._weight_done = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tell_now_and_then, daemon=True)

    @pytest.hookimpl(tryfirst=True)  # before xdist starts its workers, which inherit it
    def pytest_sessionstart(self) -> None:
        measure_patience()

    def pytest_report_header(self) -> str:
        return f"patience: deadlines × {patience():g} (what this machine is slower now)"

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if not hasattr(session.config, "workerinput") and session.items:
            self._begin(session.config, [item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: list[str]) -> None:
        if ids and not self._weights:
            self._begin(node.config, ids)

    def _begin(self, config: pytest.Config, ids: Iterable[str]) -> None:
        walls = durations.recorded_walls()
        tests = Counter(_file(nodeid) for nodeid in ids)
        self._weights = {file: 0.05 + walls.get(file, 1.0) / count for file, count in tests.items()}
        self._count = sum(tests.values())
        self._weight = sum(self._weights[file] * count for file, count in tests.items())
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.showfspath = False
        self._began = time.monotonic()
        self._thread.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._running[nodeid] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._running.pop(nodeid, None)
        self._done += 1
        self._weight_done += self._weights.get(_file(nodeid), 0.0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(
        self, report: pytest.CollectReport | pytest.TestReport, config: pytest.Config
    ) -> tuple[str, str, str] | None:
        """Print no dot for a test that passed, and at once the name of a test that failed."""
        if config.option.verbose > 0 or not isinstance(report, pytest.TestReport):
            return None
        if report.passed and report.when == "call":
            return "passed", "", ""
        if report.failed:
            kind = "failed" if report.when == "call" else "error"
            return kind, "", kind.upper()
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed += 1
            _say(f"FAILED {report.nodeid} ({report.when})")
            _keep(report)

    def pytest_sessionfinish(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _tell_now_and_then(self) -> None:
        while not self._over.wait(EVERY_SECONDS):
            _say(self._line())

    def _line(self) -> str:
        now = time.monotonic()
        elapsed = now - self._began
        share = self._weight_done / self._weight
        words = [f"{_clock(elapsed)}  {self._done} of {self._count} tests"]
        if self._failed:
            words.append(f"{self._failed} failed")
        if share > 0.03:
            words.append(f"about {_clock(elapsed / share - elapsed)} left")
        slow = sorted((began, nodeid) for nodeid, began in list(self._running.items()))
        slow_words = [
            f"{_name(nodeid)} {now - began:.0f} s"
            for began, nodeid in slow
            if now - began > SLOW_SECONDS
        ]
        if slow_words:
            words.append("running: " + ", ".join(slow_words))
        return ", ".join(words)


def _say(line: str) -> None:
    os.write(_OUT, f"{line}\n".encode())


def _keep(report: pytest.TestReport) -> None:
    """Write a failure before the earlier ones: the first, often the cause, is last in the log."""
    told, half = _gist(report.longreprtext), FAILURE_LENGTH // 2
    if len(told) > FAILURE_LENGTH:
        told = f"{told[:half]}\n[…]\n{told[-half:]}"
    FAILURES.parent.mkdir(parents=True, exist_ok=True)
    before = FAILURES.read_text() if FAILURES.exists() else ""
    FAILURES.write_text(f"--- {report.nodeid} ({report.when})\n{told}\n{before}")


def _gist(told: str) -> str:
    """Return a traceback's executed lines, their places and the error, or all if there are none."""
    lines = told.splitlines()
    return "\n".join(filter(_GIST.match, lines)) if any(map(_ERROR.match, lines)) else told


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def _name(nodeid: str) -> str:
    """Return the test's name without the folder that all share."""
    return nodeid.removeprefix("tests/")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
