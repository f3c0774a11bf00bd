"""The bundled Redis, which is used if REDIS_URL is not set.

It runs as long as at least one process uses it, and keeps its data in `DATA_DIR/redis` (AOF).
Reasons: docs/decisions/0002-embedded-redis.md.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from poolsite.runtime.environment import is_set
from poolsite.runtime.locks import FileLock
from poolsite.runtime.paths import private_folder, redis_socket
from poolsite.runtime.redis_server import RedisServerError

ROOT = Path(__file__).resolve().parent.parent.parent
READY_SECONDS = 70.0


class EmbeddedRedis:
    """One process's use of the embedded Redis in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = private_folder(folder)
        self.socket = redis_socket(self.folder)
        self._users = FileLock(self.folder / "users.lock")
        self._keeper: subprocess.Popen[bytes] | None = None

    def use(self, check: Callable[[], None] | None = None) -> "EmbeddedRedis":
        """Wait until the server answers. It then stays at least as long as this process.

        Raise RedisServerError with one sentence if it does not start. `check` is called while the
        server starts, and its errors are raised, too.
        """
        self._users.share()
        self.ensure(check=check)
        return self

    def ensure(
        self, patience_seconds: float = READY_SECONDS, check: Callable[[], None] | None = None
    ) -> None:
        """Start a keeper if the server does not answer, and wait until the server does."""
        if self.answers():
            return
        log = self.folder / "keeper.log"
        if self._keeper is None or self._keeper.poll() is not None:
            self._keeper = self._start_keeper(log)
        deadline = time.monotonic() + patience_seconds
        while not self.answers():
            if self._keeper.poll() or time.monotonic() > deadline:
                words = log.read_text().strip().splitlines()
                raise RedisServerError(words[-1] if words else "The embedded Redis did not start.")
            if check is not None:
                check()
            time.sleep(0.02)

    def _start_keeper(self, log: Path) -> subprocess.Popen[bytes]:
        with log.open("wb") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "poolsite.runtime.redis_keeper", str(self.folder)],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def answers(self) -> bool:
        """Whether a server answers PING with its data loaded."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            try:
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    def release(self) -> None:
        """End this process's use. The server stops if this was the last user."""
        self._users.release()
        if self._keeper is None:
            return
        try:
            self._keeper.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            # Another process uses it. Tell subprocess not to wait for the keeper's end.
            self._keeper.returncode = 0
        self._keeper = None


_used: EmbeddedRedis | None = None


def use() -> None:
    """Make sure that the embedded Redis runs while this process does. One call is enough.

    Do nothing if REDIS_URL (or REDIS_URL_FILE) is set.
    """
    global _used
    if _used is None and not is_set("REDIS_URL"):
        _used = EmbeddedRedis(settings.DATA_DIR / "redis").use()
