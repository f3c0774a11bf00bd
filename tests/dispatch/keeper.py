"""The process that keeps groups (groups_process.py), for its tests."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.live.servers import Site
from tests.support import forking

PROGRAM = "tests/dispatch/groups_process.py"


class Keeper:
    """Replaces worker, beat and timers of a site, and makes its groups. One command at a time."""

    def __init__(self, site: Site) -> None:
        self._log = site.folder / "keeper.log"
        self._process = forking.talk([PROGRAM], site.environment, errors=self._log)

    def make(self, *rows: dict[str, Any]) -> None:
        """Make groups, which belong to the account north unless a row names another."""
        self._order(make=[{"account": "north"} | row for row in rows])

    def remove(self, slug: str) -> None:
        """Delete a group; its peers' sockets are closed."""
        self._order(remove=slug)

    def _order(self, **order: Any) -> None:
        entry, answers = self._process.stdin, self._process.stdout
        assert entry is not None
        assert answers is not None
        entry.write(json.dumps(order) + "\n")
        entry.flush()
        answer = answers.readline()
        if answer != "done\n":
            raise RuntimeError(f"{order} failed: {answer}{self._log.read_text()[-3000:]}")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Run neither worker nor timers during the block."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """End the keeper."""
        self._process.kill()
        self._process.communicate()
