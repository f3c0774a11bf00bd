"""The cells of a CSV or XLSX file as text, whatever program wrote it.

A separate process with limits for memory and CPU time (`poolsite.table_reader`) reads the file,
because people who upload files may be hostile. Its output is not trusted either.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import orjson
import structlog

from poolsite.table_reader import child
from poolsite.table_reader.cells import Formula, OpenQuote
from poolsite.table_reader.limits import (
    FRAME_BYTES,
    ROWS_LIMIT,
    WAIT_SECONDS,
    UnreadableFileError,
    too_many_rows,
)

ENDINGS = (".csv", ".txt", ".tsv", ".xlsx")
_PROGRAM: Final = str(Path(child.__file__).resolve())
_READ_BYTES: Final = 256 * 1024
_log = structlog.get_logger(__name__)


def read_cells(path: Path, file_name: str) -> Iterator[Sequence[str]]:
    """Yield the rows of a file, each as a sequence of texts. The name's ending determines the kind.

    A CSV line that an open quote runs over becomes a row with one OpenQuote. A computed cell of a
    workbook is a Formula. Raise UnreadableFileError, at once or while reading. The reading process
    ends with the iterator.
    """
    return _rows(path, _kind_of(file_name))


def read_exactly(path: Path, file_name: str) -> Generator[tuple[int, Sequence[str]], None, None]:
    """Yield the rows of a machine-written file, each with its place, counted from 1.

    Like `read_cells`, but a CSV must be UTF-8 with commas: nothing is guessed, so each cell is
    returned as it was written. The place is the line on which the row ends, or the row of a
    workbook.
    """
    kind = _kind_of(file_name)
    place = 0
    with closing(_rows(path, "exact" if kind == "csv" else kind)) as rows:
        for row in rows:
            place += 1
            if kind == "csv":
                place += sum(map(_line_breaks, row))
            yield place, row


def _kind_of(file_name: str) -> str:
    if file_name.lower().endswith(".xlsx"):
        return "xlsx"
    if file_name.lower().endswith((".csv", ".txt", ".tsv")):
        return "csv"
    raise UnreadableFileError("The file is neither CSV nor XLSX.")


def _line_breaks(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _rows(path: Path, kind: str) -> Generator[Sequence[str], None, None]:
    count = 0
    with closing(_messages(path, kind)) as found:
        for data in found:
            message = _decoded(data)
            rows = message.get("rows")
            if rows is None:
                if "error" in message:
                    raise UnreadableFileError(str(message["error"])[:300])
                return
            count += len(rows)
            if count > ROWS_LIMIT + 1:
                raise too_many_rows()
            for row in rows:
                yield [cell if type(cell) is str else _special(cell) for cell in row]


def _decoded(data: bytes) -> dict[str, Any]:
    """Return a message. Raise UnreadableFileError if it does not have the outer form of `child`."""
    try:
        message = orjson.loads(data)
    except ValueError as error:
        raise _stopped() from error
    rows = message.get("rows", []) if isinstance(message, dict) else None
    if not isinstance(rows, list) or not all(type(row) is list for row in rows):
        raise _stopped()
    return dict(message)


def _special(cell: object) -> str:
    match cell:
        case ["f", str(formula), str(shown)]:
            return Formula(formula, shown)
        case ["q", str(line), int(since)] if 0 <= since <= ROWS_LIMIT:
            return OpenQuote(line, since)
    raise _stopped()


def _messages(path: Path, kind: str) -> Generator[bytes, None, None]:
    """Yield the messages of a child process that reads the file. It ends with this iterator."""
    with _child(path, kind) as process:
        pipe = _Pipe(process)
        while True:
            size = int.from_bytes(pipe.take(4), "big")
            if size > FRAME_BYTES:
                raise _stopped()
            yield pipe.take(size)


@contextmanager
def _child(path: Path, kind: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that has only the file: no environment, no folder, no other descriptor.

    It limits itself before it reads the file. None of our code runs between fork and exec, so
    threads of this process are harmless.
    """
    with path.open("rb") as file:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", _PROGRAM, kind],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


class _Pipe:
    """The output of a child process, with a limit on the total waiting time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """Prepare to read the process's standard output."""
        assert process.stdout is not None  # noqa: S101 - we requested a pipe
        self._process, self._fd = process, process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._fd, select.POLLIN)
        self._held = bytearray()
        self._left = float(WAIT_SECONDS)

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes.

        Raise UnreadableFileError if the child ends or is too slow.
        """
        while len(self._held) < size:
            started = time.monotonic()
            if not self._poll.poll(max(0.0, self._left) * 1_000):
                raise _too_slow()
            self._left -= time.monotonic() - started
            data = os.read(self._fd, _READ_BYTES)
            if not data:
                raise self._ended()
            self._held += data
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken

    def _ended(self) -> UnreadableFileError:
        """Return the error for a child that ended without its last message."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return _stopped()
        _log.warning("an uploaded file ended its reader", exit_code=code)
        return _too_slow() if code in (-signal.SIGXCPU, -signal.SIGKILL) else _stopped()


def _too_slow() -> UnreadableFileError:
    return UnreadableFileError("The file takes too long to read.")


def _stopped() -> UnreadableFileError:
    return UnreadableFileError("The file cannot be read: it stops the program that reads it.")
