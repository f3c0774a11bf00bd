"""Read a file with the real child process, and measure its cost."""

import os
import resource
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import orjson

from poolsite import table_files
from poolsite.table_reader.limits import UnreadableFileError


@dataclass(frozen=True)
class Outcome:
    """The result of reading a file.

    CPU seconds are the child's; `peak_bytes` is 0 if it was killed.
    """

    rows: int
    error: str
    cpu_seconds: float
    peak_bytes: int
    parent_grew_bytes: int


def read_in_child(path: Path) -> Outcome:
    """Read a whole file as `read_cells` does, and measure."""
    rows, peak, error = 0, 0, ""
    before, grown = _children_cpu(), memory_from_here()
    try:
        for data in table_files._messages(path, path.suffix.removeprefix(".")):
            message = orjson.loads(data)
            rows += len(message.get("rows", []))
            if "end" in message:
                peak, error = message["end"]["peak_bytes"], message.get("error", "")
                break
    except UnreadableFileError as killed:
        error = str(killed)
    return Outcome(rows, error, _children_cpu() - before, peak, grown())


def memory_from_here() -> Callable[[], int]:
    """Return a function that returns this process's peak growth in bytes since now."""
    held = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the kernel resets the peak here
    return lambda: _memory("VmHWM") - held


def _children_cpu() -> float:
    """Return the CPU seconds of all ended children, including that of the last file."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _memory(name: str) -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{name}:")[2].split()[0]) * 1024


def has_ended(pid: int) -> bool:
    """Return whether a child has ended and was waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
