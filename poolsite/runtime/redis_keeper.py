"""Keep the embedded Redis running as long as any process uses it, then stop it.

python -m poolsite.runtime.redis_keeper <folder>

Users hold a shared lock on `users.lock` (poolsite/runtime/embedded.py). The keeper requests the
same lock exclusively. The kernel grants it when the last user has ended, however that happened.
"""

import signal
import sys
import threading
import time
from pathlib import Path

from poolsite.runtime.locks import FileLock
from poolsite.runtime.redis_server import RedisServer, RedisServerError

LONGEST_PAUSE_SECONDS = 10.0


class Keeper:
    """Starts the server, restarts it when it dies, and ends with its last user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = RedisServer(folder)
        self.ended = threading.Event()

    def run(self) -> None:
        """Run the server until no process uses it or a signal comes, then stop it."""
        signal.signal(signal.SIGTERM, lambda *_: self.ended.set())
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the users
        try:
            self.server.start()
        except RedisServerError:
            self.server.start()  # perhaps it was killed during the start; raise the second error
        users = FileLock(self.folder / "users.lock")
        threading.Thread(target=self._wait_for_last_user, args=(users,), daemon=True).start()
        try:
            self._watch()
        finally:
            self.server.stop()

    def _wait_for_last_user(self, users: FileLock) -> None:
        users.take()  # held until this process ends: new users wait for a clean start
        self.ended.set()

    def _watch(self) -> None:
        pause_seconds, started = 0.1, time.monotonic()
        while not self.ended.wait(0.1):
            if self.server.running:
                continue
            if time.monotonic() - started > 60:
                pause_seconds = 0.1
            self.ended.wait(pause_seconds)
            pause_seconds = min(pause_seconds * 2, LONGEST_PAUSE_SECONDS)
            started = time.monotonic()
            try:
                self.server.start()
            except RedisServerError as error:
                sys.stderr.write(f"{error}\n")


def main() -> int:
    folder = Path(sys.argv[1])
    with FileLock(folder / "keeper.lock") as only_one:
        if not only_one.try_take():
            return 0
        try:
            Keeper(folder).run()
        except RedisServerError as error:
            sys.stderr.write(f"{error}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
