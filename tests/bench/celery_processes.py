"""A real worker and a real beat of a site, which tick the drain of the histories alone."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from poolsite.runtime.redis_server import die_with_parent
from tests.live.servers import ROOT, Site

QUIET = ("--without-gossip", "--without-mingle", "-l", "WARNING")


@contextmanager
def draining(site: Site) -> Iterator[list[int]]:
    """Run both for the block; yields their process ids. Their words are in the site's folder."""
    started: list[subprocess.Popen[bytes]] = []
    worker = ("worker", "-c", "1", *QUIET)
    schedule = ("-S", "tests.bench.drain_beat:Scheduler", "-s", str(site.folder / "beat"))
    beat = ("beat", *schedule, "--pidfile=", "-l", "WARNING")
    try:
        for words in (worker, beat):
            with (site.folder / f"{words[0]}.log").open("ab") as log:
                started.append(
                    subprocess.Popen(
                        [sys.executable, "-m", "celery", "-A", "poolsite", *words],
                        cwd=ROOT,
                        env=site.environment,
                        stdout=log,
                        stderr=log,
                        preexec_fn=die_with_parent,
                    )
                )
        yield [process.pid for process in started]
    finally:
        for process in reversed(started):
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
