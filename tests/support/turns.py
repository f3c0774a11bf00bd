"""Files that fill a whole machine have it to themselves, whichever worker has them.

Their module says `pytestmark = pytest.mark.heavy`. Beside other tests they would measure the
machine's queue: leases end while a process waits for a core, deadlines pass that nothing missed.
They need every core anyway, so the other workers lose little by waiting; they come first, so that
no worker is left with one of them at the end.
"""

import fcntl
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest


class TurnsPlugin:
    """A heavy file holds the machine from its first test to its last; other tests share it."""

    def __init__(self) -> None:
        self._machine: IO[str] | None = None  # held over the tests of a heavy file

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        heavy = {item.path for item in items if _is_heavy(item)}
        items.sort(key=lambda item: item.path not in heavy)  # stable: otherwise nothing moves

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Iterator[None]:
        if self._machine is None:
            self._machine = _lock(fcntl.LOCK_EX if _is_heavy(item) else fcntl.LOCK_SH)
        try:
            return (yield)
        finally:
            if not _is_heavy(item) or nextitem is None or nextitem.path != item.path:
                fcntl.flock(
                    self._machine, fcntl.LOCK_UN
                )  # for children that still have the file, too
                self._machine.close()
                self._machine = None


def _is_heavy(item: pytest.Item) -> bool:
    return item.get_closest_marker("heavy") is not None


def _lock(how: int) -> IO[str]:
    """Return the machine's lock, held; whoever waits for it keeps those behind them waiting."""
    with _file("door") as door:
        fcntl.flock(door, fcntl.LOCK_EX)
        machine = _file("machine")
        fcntl.flock(machine, how)
        fcntl.flock(door, fcntl.LOCK_UN)
    return machine


def _file(name: str) -> IO[str]:
    return (Path(tempfile.gettempdir()) / f"poolsite-tests-{name}.lock").open("w")
