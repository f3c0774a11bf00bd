"""What a process and everything below it has used of the machine, from /proc."""

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds() -> float:
    """Return the CPU seconds of this process, of what it has waited for, and of all below it.

    A process that lost its parent is no longer counted.
    """
    own = os.times()
    below = sum(_ticks(pid) for pid in _below(os.getpid()))
    return sum(own[:4]) + below / _TICKS


def _below(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in task.read_text().split()]
        except OSError:  # the thread has ended
            continue
        for child in children:
            found += [child, *_below(child)]
    return found


def _ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0
    return sum(int(each) for each in fields[11:15])
