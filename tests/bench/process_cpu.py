"""CPU seconds of a process with everything that it has started, from /proc."""

import os
from collections.abc import Iterable
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PARENT, OWN, ENDED = 1, slice(11, 13), slice(13, 15)  # fields of /proc/<pid>/stat behind the name


def cpu_seconds(roots: Iterable[int]) -> float:
    """Return what these processes, their children and the children that have ended have used.

    A child that ended and was waited for is in its parent's own sum, so nothing is lost between
    two readings but a grandchild whose parent died before it.
    """
    stats = _stats()
    ticks = 0
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        fields = stats[pid]
        ticks += sum(map(int, fields[OWN])) + sum(map(int, fields[ENDED]))
        waiting += [child for child, its in stats.items() if int(its[PARENT]) == pid]
    return ticks / TICKS_PER_SECOND


def _stats() -> dict[int, list[str]]:
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(path.parent.name)] = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended meanwhile
    return found
