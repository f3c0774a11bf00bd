"""The whole demo as a real process: tests start it, break it, inspect it and end it."""

import http.client
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from poolsite.runtime.embedded import EmbeddedRedis
from poolsite.runtime.leftovers import marked
from tests.house.source import ROOT
from tests.support.ports import free_port
from tests.support.waiting import patient, until

START_SECONDS = 90.0
MAKEFILE = """
demo:
\t@exec '{python}' -m poolsite.runtime.demo
"""


@dataclass
class DemoRun:
    """A run of `make demo` with its own data folder and port. Its output is collected.

    settings: more environment variables, such as REDIS_URL and DATABASE_URL.
    """

    data: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    output: list[str] = field(default_factory=list)
    parent: subprocess.Popen[str] | None = None

    def start(self) -> "DemoRun":
        """Start the demo and return at once."""
        self.data.mkdir(exist_ok=True)
        makefile = self.data / "Makefile"
        makefile.write_text(MAKEFILE.format(python=sys.executable))
        self.parent = subprocess.Popen(
            ["make", "--no-print-directory", "-f", str(makefile), "demo"],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=_hear_interrupts,
        )
        threading.Thread(target=self._collect, args=(self.parent,), daemon=True).start()
        return self

    def _collect(self, parent: "subprocess.Popen[str]") -> None:
        assert parent.stdout is not None
        with parent.stdout as lines:
            self.output.extend(lines)

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables of the run, which a command in a second terminal needs, too."""
        variables = {"POOLSITE_DATA_DIR": str(self.data), "POOLSITE_PORT": str(self.port)}
        hidden = {"REDIS_URL", "DATABASE_URL", "POOLSITE_SECRET_KEY", "EMAIL_URL"}
        hidden |= {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}  # of the `make test` that runs this test
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        return {**kept, **variables, **self.settings}

    def ready(self) -> "DemoRun":
        """Return when the demo reports that it is ready."""
        until(lambda: "Poolsite is ready" in self.said or not self.lives, START_SECONDS)
        assert "Poolsite is ready" in self.said, self.said
        return self

    @property
    def said(self) -> str:
        return "".join(self.output)

    @property
    def lives(self) -> bool:
        return self.parent is not None and self.parent.poll() is None

    @property
    def supervisor_pid(self) -> int:
        assert self.parent is not None
        children = Path(f"/proc/{self.parent.pid}/task/{self.parent.pid}/children").read_text()
        return int(children.split()[0])

    def pid_of(self, word: str) -> int:
        """Return the first process of the run, by process ID, whose command contains `word`."""
        for pid, command in sorted(self.processes().items()):
            if word in command:
                return pid
        raise LookupError(f"No process with {word!r} in {self.processes()}.")

    def processes(self) -> dict[int, str]:
        """Return the command lines of all processes of the run."""
        mark = self.data / "demo" / "mark"
        return {pid: _command(pid) for pid, _ in marked(mark.read_text())} if mark.exists() else {}

    def redis_answers(self) -> bool:
        return EmbeddedRedis(self.data / "redis").answers()

    def page_answers(self, path: str = "/healthz") -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patient(5))
        try:
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def gone(self) -> bool:
        """Return whether no process of the run is left, including Redis."""
        return not self.processes() and not self.redis_answers()

    def interrupt(self) -> None:
        """Do what Ctrl-C does in a terminal: send SIGINT to the whole foreground process group."""
        assert self.parent is not None
        os.killpg(self.parent.pid, signal.SIGINT)

    def wait(self) -> int:
        assert self.parent is not None
        return self.parent.wait(timeout=patient(60))

    def end(self) -> None:
        """End the run, whatever its state, and wait until nothing is left."""
        if self.lives:
            self.interrupt()
        self.wait()
        until(self.gone, 30)


def _hear_interrupts() -> None:
    """Handle SIGINT as in a terminal.

    A suite that a script runs in the background ignores SIGINT, and make keeps ignoring the signals
    that were ignored when it started.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""
