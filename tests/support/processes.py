"""Processes in tests: how to end them, and from /proc their descendants and their CPU time."""

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from tests.support.waiting import patient

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_PARENT, _TIMES = 1, slice(11, 15)  # fields of /proc/<pid>/stat after the name


class Process(Protocol):
    """The common interface of `subprocess.Popen` and a forked child (tests/support/forking.py)."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int, /) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


def end(*processes: Process, seconds: float = 20.0) -> None:
    """Ask all to end, then wait for each.

    A process that has not ended after patient(`seconds`) is killed.
    """
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(timeout=patient(seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def family(*roots: int) -> list[int]:
    """Return these processes and all their descendants, parents first."""
    return _family(roots, _stats())


def cpu_seconds(*roots: int) -> float:
    """Return the CPU seconds of these processes, their descendants and their ended children.

    A child that was waited for is part of its parent's sum, so between two readings nothing is lost
    except a process whose parent died first.
    """
    stats = _stats()
    ticks = sum(int(each) for pid in _family(roots, stats) for each in stats[pid][_TIMES])
    return ticks / _TICKS_PER_SECOND


def _stats() -> dict[int, list[str]]:
    """Return the stat fields of every process of the machine.

    /proc/…/children is no alternative: the kernel may omit some children while others come and go.
    """
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(path.parent.name)] = path.read_text().rpartition(")")[2].split()
        except OSError:  # the process has ended
            continue
    return found


def _family(roots: Iterable[int], stats: dict[int, list[str]]) -> list[int]:
    children = defaultdict(list)
    for pid, fields in stats.items():
        children[int(fields[_PARENT])].append(pid)
    found = [pid for pid in roots if pid in stats]
    for pid in found:  # the list grows while it is read
        found += children[pid]
    return found
