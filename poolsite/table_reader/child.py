"""The program: reads the file at descriptor 0, writes messages to descriptor 1.

A message is its length (4 bytes, big-endian) and a JSON object: `{"rows": […]}` any number of
times, then `{"end": {"cpu_seconds": …, "peak_bytes": …}}`, with `"error": sentence` if the file
can't be read. A cell is a text, `["f", formula, shown]` or `["q", line, since]` (see `cells`). The
two figures are for tests.
"""

import json
import resource
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any, BinaryIO, Final

if __name__ == "__main__":  # started by its path, without the folders of Python's search path
    sys.path.append(str(Path(__file__).resolve().parent.parent.parent))

from poolsite.table_reader import limits
from poolsite.table_reader.cells import Formula, OpenQuote
from poolsite.table_reader.csv_rows import csv_rows, exact_rows
from poolsite.table_reader.limits import Budget, UnreadableFileError
from poolsite.table_reader.xlsx_rows import xlsx_rows

KINDS: Final = {"csv": csv_rows, "exact": exact_rows, "xlsx": xlsx_rows}
_MESSAGE_ROWS: Final = 1_000
_MESSAGE_CHARACTERS: Final = 64 * 1024


def messages(file: BinaryIO, kind: str, budget: Budget) -> Iterator[bytes]:
    """Yield the program's messages. UnreadableFileError becomes the last message."""
    try:
        for rows in _batches(KINDS[kind](file, budget)):
            yield _message({"rows": rows})
    except UnreadableFileError as error:
        yield _message({"error": str(error)} | {"end": _cost()})
    except MemoryError:
        yield _message({"error": "The file is too large."} | {"end": _cost()})
    else:
        yield _message({"end": _cost()})


def _batches(rows: Iterator[Sequence[str]]) -> Iterator[list[list[object]]]:
    batch: list[list[object]] = []
    characters = total = 0
    for count, row in enumerate(rows, start=1):
        if count > limits.ROWS_LIMIT + 1:
            yield batch
            raise limits.too_many_rows()
        characters += sum(map(len, row))
        batch.append([cell if type(cell) is str else _special(cell) for cell in row])
        if len(batch) >= _MESSAGE_ROWS or characters >= _MESSAGE_CHARACTERS:
            total += characters
            if total > limits.TEXT_CHARACTERS_LIMIT:
                raise UnreadableFileError("The file has too much text.")
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _special(cell: str) -> object:
    if isinstance(cell, Formula):
        return ["f", str(cell), cell.shown]
    if isinstance(cell, OpenQuote):
        return ["q", cell.line, cell.since]
    return str(cell)


def _message(content: dict[str, Any]) -> bytes:
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return len(data).to_bytes(4, "big") + data


def _cost() -> dict[str, float]:
    return {"cpu_seconds": round(process_time(), 3), "peak_bytes": _peak_bytes()}


def _peak_bytes() -> int:
    """Return the peak memory. getrusage would include the parent's, from before this program."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # macOS: in bytes


def _limit() -> None:
    """Limit this process by the kernel: memory, files, CPU time."""
    for what, most in (
        (resource.RLIMIT_AS, limits.MEMORY_BYTES),
        (resource.RLIMIT_DATA, limits.MEMORY_BYTES),
        (resource.RLIMIT_NOFILE, limits.OPEN_FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CPU, limits.CPU_SECONDS_AT_MOST),
    ):
        try:
            hard = resource.getrlimit(what)[1]
            bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (bound, bound))
        except (OSError, ValueError):  # macOS does not limit memory in this way
            if sys.platform == "linux":
                raise


def _limit_cpu(seconds: int) -> None:
    """Let the kernel end this process where the budget can't: while a library runs in C."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (min(seconds, hard), hard))


def main(kind: str) -> None:
    """Read the file of this kind."""
    _limit()
    budget = Budget(_limit_cpu, seconds=limits.CPU_SECONDS)
    budget.check()
    with open(0, "rb") as file, open(1, "wb", buffering=0) as out:
        for message in messages(file, kind, budget):
            left = memoryview(message)
            while left:
                left = left[out.write(left) :]


if __name__ == "__main__":
    main(sys.argv[1])
