"""Processes of the stack under test: started, killed, paused and brought back by name."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from poolsite.runtime.redis_server import die_with_parent
from tests.chaos.resting import until_right
from tests.support import forking
from tests.support.processes import Process
from tests.support.waiting import patient

ROOT = Path(__file__).resolve().parent.parent.parent
RESPAWN_SECONDS = 1.0
STOP_SECONDS = 15.0
HEARS_SECONDS = 60.0


@dataclass
class StackProcess:
    """A program in its own process group, with its output in `folder/<name>.log`."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    release: Path = ROOT  # the tree whose code it runs
    wanted: bool = False
    starts: int = 0
    process: Process | None = field(default=None, repr=False)

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the process. From now on the watch brings it back when it dies."""
        self._end_left_over_children()
        program, *words = self.arguments
        environment = {**os.environ, **self.environment, "PYTHONPATH": str(self.release)}
        log = self.folder / f"{self.name}.log"
        if program == sys.executable:
            self.process = forking.start(
                words, environment, tree=self.release, output=log, session=True
            )
        else:
            self.process = _started(self.arguments, environment, log)
        self.starts += 1
        self.wanted = True

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program and to its children (Celery's pool, for one)."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def ask_to_rest(self) -> None:
        """Send SIGTERM to a program that then runs without new work, once it has a handler.

        A process that was brought back a moment ago would end by it, come back and not rest.
        """
        until_right(self._deaf, HEARS_SECONDS, poll_seconds=0.05)
        assert self.process is not None
        self.process.terminate()

    def _deaf(self) -> str:
        hears = self.process is not None and _hears(self.process.pid, signal.SIGTERM)
        return "" if hears else f"{self.name} does not hear SIGTERM"

    def kill(self) -> None:
        """End the process as a crash would."""
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def terminate(self, patience_seconds: float = STOP_SECONDS) -> bool:
        """Ask the process to end in order.

        Return whether it did so in time; otherwise it is killed.
        """
        if self.process is None:
            return True
        with suppress(ProcessLookupError):
            self.process.terminate()
        try:
            self.process.wait(timeout=patient(patience_seconds))
        except subprocess.TimeoutExpired:
            self.kill()
            return False
        return True

    def stop(self) -> None:
        """End the process in order and for good."""
        self.wanted = False
        self.signal(signal.SIGCONT)
        self.terminate()
        self._end_left_over_children()

    def _end_left_over_children(self) -> None:
        self.signal(signal.SIGKILL)


class Watch:
    """Brings wanted processes back a second after they died, as a service manager does."""

    def __init__(self, processes: list[StackProcess]) -> None:
        self._processes = processes
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        died_at: dict[str, float] = {}
        while not self._stop.wait(0.1):
            for process in self._processes:
                if process.wanted and not process.alive:
                    since = died_at.setdefault(process.name, time.monotonic())
                    if time.monotonic() - since >= RESPAWN_SECONDS:
                        del died_at[process.name]
                        process.start()


def _started(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Process:
    with log.open("ab") as output:
        return subprocess.Popen(
            arguments,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )


def _hears(pid: int, number: signal.Signals) -> bool:
    """Return whether a process handles a signal itself (the mask in /proc/<pid>/status)."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("SigCgt:"):
                return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False
