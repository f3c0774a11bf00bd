"""Ends the processes that an earlier run of the demo left behind, and no others.

Every process of a run has the run's random mark in its environment, and so do the processes that it
starts. A process is ended through its own file descriptor (pidfd), which is opened before the mark
is read. So a process ID that was reused in the meantime is never signalled.
"""

import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

VARIABLE = "POOLSITE_RUN_MARK"
GRACE_SECONDS = 5.0


class RunMark:
    """The mark of the present run, stored in a file for the next run."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def renew(self) -> str:
        """Create, store and return a new mark."""
        mark = secrets.token_hex(16)
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.file.write_text(mark)
        return mark

    def end_left_over(self) -> int:
        """End every process that has the stored mark. Return how many there were."""
        try:
            mark = self.file.read_text().strip()
        except FileNotFoundError:
            return 0
        return end_marked(mark) if mark else 0


def end_marked(mark: str) -> int:
    """End the processes that have `mark`. Return how many there were.

    They get SIGTERM, and after 5 s SIGKILL.
    """
    ended: set[int] = set()
    deadline = time.monotonic() + GRACE_SECONDS
    while True:
        how = signal.SIGTERM if time.monotonic() < deadline else signal.SIGKILL
        found = set()
        for pid, handle in marked(mark):
            found.add(pid)
            if how == signal.SIGKILL or pid not in ended:
                signal.pidfd_send_signal(handle, how)
        if not found:
            return len(ended)
        ended |= found
        time.sleep(0.05)


def marked(mark: str) -> Iterator[tuple[int, int]]:
    """Yield (process ID, pidfd) of every living process with `mark`, except this one."""
    wanted = f"{VARIABLE}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        pid = int(entry.name)
        if pid == os.getpid():
            continue
        with suppress(OSError):
            handle = os.pidfd_open(pid)
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    yield pid, handle
            finally:
                os.close(handle)
