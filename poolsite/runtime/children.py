"""A process of the demo: starts, watches, restarts and ends it."""

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = 60.0


@dataclass
class Child:
    """A Python module that runs as a child.

    It and the processes that it starts form a process group.
    """

    name: str
    module: str
    arguments: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    log: Path = Path(os.devnull)
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    failures: int = 0
    due: float = 0.0
    ends: bool = False  # it is not restarted after it has succeeded

    def start(self) -> None:
        """Start the process, with its output appended to its log."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "poolsite.runtime.guard", str(os.getpid())),
                    *(self.module, *self.arguments),
                ],
                cwd=ROOT,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                process_group=0,
            )
        self.started = time.monotonic()

    def watch(self) -> str:
        """Restart the process if it has ended and its pause is over. Return a message, or ""."""
        if self.process is None:
            if time.monotonic() >= self.due:
                self.start()
            return ""
        process = self.process
        if not self.ended():
            return ""
        if self.ends and process.returncode == 0:
            self.due = math.inf
            return ""
        steady = time.monotonic() - self.started > STEADY_SECONDS
        self.failures = 1 if steady else self.failures + 1
        pause_seconds = min(0.25 * 2**self.failures, LONGEST_PAUSE_SECONDS)
        self.due = time.monotonic() + pause_seconds
        how = how_it_ended(process.returncode)
        return f"{self.name} stopped ({how}). Restarting in {pause_seconds:g} s."

    def signal(self, how: signal.Signals) -> None:
        """Send a signal to the process itself, which ends its own children cleanly."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)

    def ended(self) -> bool:
        """Whether the process is gone. In that case, processes that it left behind are killed."""
        if self.process is not None and self.process.poll() is not None:
            self.kill()
            self.process = None
        return self.process is None

    def kill(self) -> None:
        """Kill the process and all that it started, without waiting for their end."""
        if self.process is not None:
            self._kill_group(self.process.pid)

    def last_words(self) -> str:
        """Return the last line of the log that is not empty."""
        try:
            lines = self.log.read_text(errors="replace").strip().splitlines()
        except OSError:
            lines = []
        return lines[-1].strip() if lines else "no output"

    @staticmethod
    def _kill_group(group: int) -> None:
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            return


def how_it_ended(code: int) -> str:
    """Describe a return code of subprocess."""
    return f"signal {-code}" if code < 0 else f"exit status {code}"
