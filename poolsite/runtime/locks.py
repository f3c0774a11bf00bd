"""Locks between processes: files locked by the kernel, which releases them when a process dies."""

import fcntl
import os
from pathlib import Path
from types import TracebackType


class FileLock:
    """A lock on a file: shared by many holders or exclusive to one. Exec does not inherit it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def share(self) -> None:
        """Wait for the lock and hold it together with other sharing holders."""
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def take(self) -> None:
        """Wait until no one holds the lock, then hold it exclusively."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def try_take(self) -> bool:
        """Take the lock exclusively if it is free now. Return whether it is held."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def write(self, text: str) -> None:
        """Write a note into the file for processes that find it locked."""
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)

    def read(self) -> str:
        return os.pread(self._descriptor, 4096, 0).decode()

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> "FileLock":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
