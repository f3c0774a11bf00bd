"""The process that keeps groups (groups_process.py), as its tests hold it."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from poolsite.runtime.redis_server import die_with_parent
from tests.live.servers import ROOT, Site

PROGRAM = "tests/dispatch/groups_process.py"


class Keeper:
    """Stands for worker, beat and timers of a site, and makes its groups. One order at a time."""

    def __init__(self, site: Site) -> None:
        with (site.folder / "keeper.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, PROGRAM],
                cwd=ROOT,
                env=site.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                preexec_fn=die_with_parent,
            )
        self._log = log.name

    def make(self, *rows: dict[str, Any]) -> None:
        """Make groups of the account north unless a row says otherwise."""
        self._order(make=[{"account": "north"} | row for row in rows])

    def remove(self, slug: str) -> None:
        """Have a group end; its peers' sockets are closed."""
        self._order(remove=slug)

    def _order(self, **order: Any) -> None:
        entry, answers = self._process.stdin, self._process.stdout
        assert entry is not None
        assert answers is not None
        entry.write(json.dumps(order) + "\n")
        entry.flush()
        answer = answers.readline()
        if answer != "done\n":
            with open(self._log) as log:
                raise RuntimeError(f"{order} failed: {answer}{log.read()[-3000:]}")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Neither worker nor timers run while the block runs."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()
