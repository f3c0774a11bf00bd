"""The whole demo as a real process, for tests: started, hurt, looked at, gone."""

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
    """One `make demo` with its own data folder and port; its output is collected.

    `settings`: more environment variables, REDIS_URL and DATABASE_URL among them.
    """

    data: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    output: list[str] = field(default_factory=list)
    parent: subprocess.Popen[str] | None = None

    def start(self) -> "DemoRun":
        """Start it and return at once."""
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
        """The variables of the run, and of a command in a second terminal."""
        variables = {"POOLSITE_DATA_DIR": str(self.data), "POOLSITE_PORT": str(self.port)}
        hidden = {"REDIS_URL", "DATABASE_URL", "POOLSITE_SECRET_KEY", "EMAIL_URL"}
        hidden |= {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}  # of the `make test` that runs this
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        return {**kept, **variables, **self.settings}

    def ready(self) -> "DemoRun":
        """Return when it says so."""
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
        """Return the first process of the run, in order of birth, whose command has `word`."""
        for pid, command in sorted(self.processes().items()):
            if word in command:
                return pid
        raise LookupError(f"No process with {word!r} in {self.processes()}.")

    def processes(self) -> dict[int, str]:
        """Return the command lines of all processes that belong to the run."""
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
        """Tell whether nothing of the run is left, Redis included."""
        return not self.processes() and not self.redis_answers()

    def interrupt(self) -> None:
        """Do as Ctrl-C in a terminal: SIGINT to the whole foreground process group."""
        assert self.parent is not None
        os.killpg(self.parent.pid, signal.SIGINT)

    def wait(self) -> int:
        assert self.parent is not None
        return self.parent.wait(timeout=patient(60))

    def end(self) -> None:
        """End it whatever state it is in, and wait until nothing is left."""
        if self.lives:
            self.interrupt()
        self.wait()
        until(self.gone, 30)


def _hear_interrupts() -> None:
    """As in a terminal. A suite that a script runs in the background ignores SIGINT, and make
    goes on ignoring what was ignored when it began."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""
