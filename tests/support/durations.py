"""What each test file costs: measured in every run, recorded, and checked by `make check`.

`tests/durations.json` records two figures for each file: the CPU seconds of its tests and of every
process that they start, and its seconds by the clock. A complete `make test` or `make prove` writes
what it measured to var/tests. `make check` compares the CPU seconds, and `make durations` records
the measured figures. A run that counts branches writes nothing, because counting makes some files
three times as expensive. The files that take longest by the clock start first, so that no worker is
left alone with one at the end.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import branches
from tests.support.processes import cpu_seconds
from tests.support.repeating import repetitions

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "tests" / "durations.json"
MEASURED = ROOT / "var" / "tests"
GROWTH = 1.5  # a file may cost this many times what is recorded …
# … plus these seconds: a worker's first file pays for the imports and templates of all.
SLACK_SECONDS = 10.0
FIXTURES = "(fixtures of a whole session)"
# The runs that are recorded, by their -m. Together they contain every test once.
RUNS = {
    "not prove": "test",
    "prove and not (alone or background or rehearsal)": "prove",
    "prove and background": "background",
    "prove and alone": "alone",
    "prove and rehearsal": "rehearsal",
}


class Recorded(NamedTuple):
    """The CPU seconds of a file, and its seconds by the clock."""

    cpu: float
    wall: float


@dataclass
class Cost:
    """CPU seconds, seconds by the clock, and the number of tests that took them."""

    cpu: float = 0.0
    wall: float = 0.0
    tests: int = 0


@dataclass(eq=False)
class DurationsPlugin:
    """Measures each file.

    Under xdist, the workers send their figures to the process that prints.
    """

    costs: dict[str, Cost] = field(default_factory=dict)
    _file: str = ""
    _cpu: float = 0.0
    _inside_session_fixture: bool = False

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        walls = recorded_walls()
        unknown = statistics.median(walls.values()) if walls else 0.0
        items.sort(key=lambda item: -walls.get(file_of(item), unknown))  # a stable sort

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Iterator[None]:
        if self._file != file_of(item):
            self._turn_to(file_of(item))
        cost = self.costs[self._file]
        began = time.monotonic()
        try:
            return (yield)
        finally:
            cost.wall += time.monotonic() - began
            cost.tests += 1
            if nextitem is None or file_of(nextitem) != self._file:
                self._turn_to("")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
        """Count the set-up of session fixtures as FIXTURES, not for the first test to use one."""
        if fixturedef.scope != "session" or self._inside_session_fixture:
            return (yield)
        file, began = self._file, time.monotonic()
        self._inside_session_fixture = True
        self._turn_to(FIXTURES)
        try:
            return (yield)
        finally:
            self._turn_to(file)
            self._inside_session_fixture = False
            took = time.monotonic() - began
            self.costs[FIXTURES].wall += took
            if file:
                self.costs[file].wall -= took

    def _turn_to(self, file: str) -> None:
        now = cpu_seconds(os.getpid())
        if self._file:
            self.costs[self._file].cpu += max(0.0, now - self._cpu)
        self._file, self._cpu = file, now
        if file:
            self.costs.setdefault(file, Cost())

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for file, its in getattr(node, "workeroutput", {}).get("costs", {}).items():
            cost = self.costs.setdefault(file, Cost())
            cost.cpu, cost.wall, cost.tests = (
                cost.cpu + its[0],
                cost.wall + its[1],
                cost.tests + its[2],
            )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        told = {file: (cost.cpu, cost.wall, cost.tests) for file, cost in self.costs.items()}
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["costs"] = told
        elif exitstatus in (0, 1) and (run := _complete_run(session.config)):
            MEASURED.mkdir(parents=True, exist_ok=True)
            text = json.dumps(dict(sorted(told.items())), indent=1)
            (MEASURED / f"measured-{run}.json").write_text(text)


def _complete_run(config: pytest.Config) -> str:
    """Return the run's name if only its -m chose tests, each ran once and no branch was counted.

    Return an empty text otherwise.
    """
    chosen = config.args_source != pytest.Config.ArgsSource.TESTPATHS or config.option.keyword
    if chosen or repetitions() > 1 or os.environ.get(branches.VARIABLE):
        return ""
    return RUNS.get(config.option.markexpr, "")


def file_of(item: pytest.Item) -> str:
    """Return the test's file as the record names it."""
    return item.location[0]


def read(path: Path) -> dict[str, Recorded]:
    """Return the recorded figures of each file, or an empty dict if nothing is recorded."""
    rows = json.loads(path.read_text()) if path.exists() else {}
    return {file: Recorded(*its) for file, its in rows.items()}


def recorded_walls() -> dict[str, float]:
    """Return each file's recorded seconds by the clock."""
    return {file: its.wall for file, its in read(RECORDED).items()}


def measured() -> dict[str, Recorded]:
    """Return what each file cost in the last complete runs. Empty if there was none."""
    costs: dict[str, Recorded] = {}
    for path in MEASURED.glob("measured-*.json"):
        for file, (cpu, wall, _) in json.loads(path.read_text()).items():
            if file != FIXTURES:
                before = costs.get(file, Recorded(0.0, 0.0))
                costs[file] = Recorded(before.cpu + cpu, before.wall + wall)
    return costs


def grown(recorded: Mapping[str, Recorded], new: Mapping[str, Recorded]) -> list[str]:
    """Return a sentence for each file that costs over 1.5 times what is recorded, plus some slack.

    Machines differ: a factor that most files have in common is the machine's, not the file's.
    """
    was = {file: its.cpu for file, its in recorded.items()}
    both = [its.cpu / was[file] for file, its in new.items() if was.get(file, 0.0) >= 1.0]
    machine = max(1.0, statistics.median(both)) if both else 1.0
    return [
        f"{file}: {its.cpu:.1f} CPU seconds, recorded {was.get(file, 0.0):.1f}"
        for file, its in sorted(new.items())
        if its.cpu > machine * (GROWTH * was.get(file, 0.0) + SLACK_SECONDS)
    ]


def main() -> int:
    """With `check`, print the files that grew and return 1 if there are any.

    With `record`, write the measured figures.
    """
    new = measured()
    if sys.argv[1:] == ["record"]:
        rows = [
            f" {json.dumps(file)}: [{its.cpu:.1f}, {its.wall:.1f}]"
            for file, its in sorted(new.items())
        ]
        RECORDED.write_text("{\n" + ",\n".join(rows) + "\n}\n")
        return 0
    too_much = grown(read(RECORDED), new)
    for line in too_much:
        print(line)
    if too_much:
        print("Make it cheaper, or say why not in the commit that runs `make durations`.")
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())
