"""A real worker and a real beat of a site that run only the drain of the histories."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.live.servers import Site
from tests.support.processes import end

QUIET = ("--without-gossip", "--without-mingle", "-l", "WARNING")


@contextmanager
def draining(site: Site) -> Iterator[list[int]]:
    """Run both for the block. Yield their process IDs. Their output goes to the site's folder."""
    started: list[subprocess.Popen[bytes]] = []
    worker = ("worker", "-c", "1", *QUIET)
    schedule = ("-S", "tests.bench.drain_beat:Scheduler", "-s", str(site.folder / "beat"))
    beat = ("beat", *schedule, "--pidfile=", "-l", "WARNING")
    try:
        for words in (worker, beat):
            log = site.folder / f"{words[0]}.log"
            started.append(site.start(log, "celery", "-A", "poolsite", *words))
        yield [process.pid for process in started]
    finally:
        for process in reversed(started):
            end(process)
