"""Processes of the stack under test: started, killed, paused and brought back by name."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from poolsite.runtime.redis_server import die_with_parent

ROOT = Path(__file__).resolve().parent.parent.parent
RESPAWN_SECONDS = 1.0
STOP_SECONDS = 20.0


@dataclass
class StackProcess:
    """One program in a process group of its own, its output in `folder/<name>.log`."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    wanted: bool = False
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start it; from now on the watch brings it back when it dies."""
        with (self.folder / f"{self.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                list(self.arguments),
                cwd=ROOT,
                env={**os.environ, **self.environment},
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        self.wanted = True

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program and to its children (Celery's pool, for one)."""
        if self.alive and self.process is not None:
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """End it as a crash would."""
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def stop(self) -> None:
        """End it in order and for good."""
        self.wanted = False
        self.signal(signal.SIGCONT)
        if self.process is not None and self.alive:
            self.process.terminate()
            try:
                self.process.wait(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
        if self.process is not None:
            self._end_left_over_children()

    def _end_left_over_children(self) -> None:
        assert self.process is not None
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


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
