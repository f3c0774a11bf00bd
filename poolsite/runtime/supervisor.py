"""Start the demo's processes in order, keep them running, and end them all together."""

import http.client
import os
import signal
import sys
import time
from collections.abc import Callable

from poolsite.runtime.children import Child
from poolsite.runtime.parent import catches, die_with_parent

STOP_SECONDS = 8.0
KILLED_SECONDS = 5.0  # a process that hangs in the kernel survives even SIGKILL for a while
SAY_EVERY_SECONDS = 10.0
TICK_SECONDS = 0.1
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(Exception):  # noqa: N818  the normal end, not an error
    """A signal came, or the parent process is gone."""


class StartError(RuntimeError):
    """The demo cannot start. The text is one clear sentence."""


class Supervisor:
    """Manages the children. A signal or the parent's death raises Stopped between steps."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.children: list[Child] = []
        self._parent_pid = os.getppid()
        # A SIGINT only to make: make removes its handler and waits for us without notice.
        self._parent_catches_interrupt = catches(self._parent_pid, signal.SIGINT)
        self._signals = 0

    def take_signals(self) -> None:
        """From now on, let signals end the demo cleanly. The second one ends it at once.

        An ignored SIGHUP stays ignored, as `nohup make demo` requires.
        """
        for number in STOP_SIGNALS:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        if self._parent_pid > 1:
            die_with_parent()

    def _on_signal(self, number: int, frame: object) -> None:
        self._signals += 1  # nothing else: it may interrupt waiting for a child

    def check(self) -> None:
        """Raise Stopped if it is time to end."""
        if self._signals or (self._parent_pid > 1 and self._parent_ends()):
            raise Stopped

    def _parent_ends(self) -> bool:
        if os.getppid() != self._parent_pid:
            return True
        return self._parent_catches_interrupt and not catches(self._parent_pid, signal.SIGINT)

    def run_to_end(self, child: Child) -> None:
        """Run a child to its end. Raise StartError with its last log line if it fails."""
        self.children.append(child)
        child.start()
        while child.process is not None and (code := child.process.poll()) is None:
            self.check()
            time.sleep(TICK_SECONDS / 4)
        self.children.remove(child)
        if code:
            raise StartError(f"{child.name} failed: {child.last_words()} (see {child.log})")

    def start(self, *children: Child) -> None:
        """Start children that keep running."""
        for child in children:
            child.start()
            self.children.append(child)

    def wait_for_page(self, host: str, port: int, path: str) -> None:
        """Wait until `path` answers 200, however slow the machine is, and report long waits.

        Raise StartError if a child has ended three times.
        """
        began = said_at = time.monotonic()
        while not answers(host, port, path):
            self.check()
            self.watch()
            for child in self.children:
                if child.failures > 2:
                    raise StartError(
                        f"{child.name} did not start: {child.last_words()} (see {child.log})"
                    )
            now = time.monotonic()
            if now - said_at > SAY_EVERY_SECONDS:
                said_at = now
                self.say(self._waited_for(f"http://{host}:{port}{path}", now - began))
            time.sleep(TICK_SECONDS / 2)

    def _waited_for(self, address: str, seconds: float) -> str:
        alive = ", ".join(child.name for child in self.children if child.process is not None)
        return f"Still waiting for {address} after {seconds:.0f} s; running: {alive or 'nothing'}."

    def watch(self) -> None:
        """Restart children that have ended."""
        for child in self.children:
            if message := child.watch():
                self.say(message)

    def run(self, *, each_second: Callable[[], None]) -> None:
        """Watch the children until Stopped is raised."""
        tick = 0
        while True:
            self.check()
            self.watch()
            if tick % int(1 / TICK_SECONDS) == 0:
                each_second()
            tick += 1
            time.sleep(TICK_SECONDS)

    def stop(self) -> None:
        """End all children together: SIGTERM, and after 8 s or at a second signal SIGKILL.

        Return when all are gone, but after 13 s at the latest.
        """
        for child in reversed(self.children):
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while not all(child.ended() for child in self.children):
            late_seconds = time.monotonic() - deadline
            if late_seconds > KILLED_SECONDS:
                break
            if late_seconds > 0 or self._signals > 1:
                for child in self.children:
                    child.kill()
            time.sleep(TICK_SECONDS / 4)
        self.children.clear()


def answers(host: str, port: int, path: str) -> bool:
    """Whether http://host:port/path answers 200."""
    connection = http.client.HTTPConnection(host, port, timeout=2.0)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def say(text: str) -> None:
    """Print at once, because the output may be a pipe."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
