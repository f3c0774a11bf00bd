"""Visitors' pages of a long line on two web processes while agents match.

Used by rows 10 and 19.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolsite.runtime.redis_server import RedisServer, die_with_parent
from tests.bench.machine import machine_note
from tests.live.servers import ROOT, Site, WebServer

AGENTS = 200
WEBS = 2
CROWDS = 2
DRAIN_SECONDS = 2.5


@dataclass(frozen=True)
class Seen:
    """What the pages showed and when, and when each match was made. Times are Unix seconds."""

    crowds: list[list[tuple[float, list[int]]]]  # of each process: time, place of each page
    roomed: dict[str, float]
    matches: list[tuple[str, float, float]]  # visitor, times before and after the request
    closed: list[int]
    gaps: int
    asked_again: int  # pages that lost their place and requested it again
    bytes_per_page: float
    web_cores: float  # used by the web processes together
    page_cores: float  # used by the processes with the pages together
    load: float  # load average at the end

    def samples(self) -> Iterator[tuple[float, int, int]]:
        """Yield the time, the place at the beginning, and the place shown; -1 means in a room."""
        for first, crowd in enumerate(self.crowds):
            for at, shown in crowd:
                for number, ahead in enumerate(shown):
                    yield at, first + number * len(self.crowds), ahead

    def wrong_at_the_end(self) -> int:
        """Return how many waiting pages do not show the place that all matches leave them."""
        wrong = 0
        for first, crowd in enumerate(self.crowds):
            for number, ahead in enumerate(crowd[-1][1]):
                place = first + number * len(self.crowds)
                wrong += ahead >= 0 and place - ahead != len(self.matches)
        return wrong

    def closed_by_code(self) -> dict[int, int]:
        """Return how many sockets were closed with each code, without those of served visits."""
        return dict(Counter(self.closed))


def watch(pages: int, rate: float, seconds: float, *, follows: str = "line") -> Seen:
    """Open the pages, match for `seconds`, and return what was seen.

    follows: with "visit" the pages watch only their own visit.
    """
    with tempfile.TemporaryDirectory(prefix="poolsite-bench-", dir="/tmp") as folder:
        redis = RedisServer(folder=Path(folder) / "redis", append_only=False).start()
        webs: list[WebServer] = []
        try:
            site = Site(Path(folder) / "site", redis.url)
            site.folder.mkdir()
            site.migrate()
            webs = [
                WebServer(site, "uvicorn", application="poolsite.asgi:application").start()
                for _ in range(WEBS)
            ]
            return _watch(site, webs, (pages, rate, seconds), follows)
        finally:
            for web in webs:
                web.stop()
            redis.stop()


def _watch(site: Site, webs: list[WebServer], load: tuple[int, float, float], follows: str) -> Seen:
    pages, rate, seconds = load
    setup, matches = site.folder / "setup", site.folder / "matches"
    site.run("-m", "tests.bench.line_setup", str(setup), str(pages), str(AGENTS))
    before = sum(map(_resident_bytes, webs))
    crowds = _Crowds(site, setup, webs, follows)
    try:
        crowds.await_ready()
        held = sum(map(_resident_bytes, webs)) - before
        used, began = sum(web.cpu_seconds() for web in webs), time.monotonic()
        _drive(site, str(setup), str(rate), str(seconds), str(matches))
        crowds.rest(DRAIN_SECONDS)
        used, took = sum(web.cpu_seconds() for web in webs) - used, time.monotonic() - began
        results = crowds.results()
    finally:
        crowds.stop()
    return Seen(
        crowds=[told["samples"] for told in results],
        roomed={visit: at for told in results for visit, at in told["roomed"].items()},
        closed=[code for told in results for code in told["closed"]],
        gaps=sum(told["gaps"] for told in results),
        asked_again=sum(told["asked_again"] for told in results),
        matches=json.loads(matches.read_text()),
        bytes_per_page=held / pages,
        web_cores=used / took,
        page_cores=sum(told["cpu_seconds"] for told in results) / took,
        load=os.getloadavg()[0],
    )


def _drive(site: Site, *words: str) -> None:
    if _program(site, "tests.bench.line_driver", site.redis_url, *words).wait() != 0:
        raise AssertionError("the driver failed")


class _Crowds:
    """The processes that hold the pages, each with every n-th page."""

    def __init__(self, site: Site, setup: Path, webs: list[WebServer], follows: str) -> None:
        self._files = [site.folder / f"seen{number}" for number in range(CROWDS)]
        ports = ",".join(str(web.port) for web in webs)
        self._all = [
            _program(
                *(site, "tests.bench.line_crowd", str(setup), f"{number}/{CROWDS}", ports),
                *(str(file), follows),
            )
            for number, file in enumerate(self._files)
        ]

    def await_ready(self) -> None:
        """Wait until every page shows its place."""
        for crowd in self._all:
            _expect(crowd, "ready")
        for crowd in self._all:
            _say(crowd)

    def rest(self, seconds: float) -> None:
        """Give the pages time to receive the last match.

        Raise AssertionError if they have ended.
        """
        time.sleep(seconds)
        if any(crowd.poll() is not None for crowd in self._all):
            raise AssertionError("a process with pages has ended")

    def results(self) -> list[dict[str, Any]]:
        """Have the processes write what was seen, and return it."""
        for crowd in self._all:
            _say(crowd)
        for crowd in self._all:
            _expect(crowd, "written")
        return [json.loads(file.read_text()) for file in self._files]

    def stop(self) -> None:
        """End the processes."""
        for crowd in self._all:
            crowd.kill()
            crowd.wait()


def _program(site: Site, module: str, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", module, *words],
        cwd=ROOT,
        env=site.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=die_with_parent,
    )


def _expect(process: "subprocess.Popen[str]", word: str) -> None:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if line != word:
        raise AssertionError(f"{process.args!r} said {line!r}, not {word!r}")


def _say(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _resident_bytes(web: WebServer) -> int:
    assert web.process is not None
    status = Path(f"/proc/{web.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def told_ms(seen: Seen) -> list[float]:
    """Return the milliseconds from before an agent's ending to each visitor's page, ascending."""
    delays = [
        (seen.roomed[visit] - before) * 1_000
        for visit, before, _ in seen.matches
        if seen.roomed.get(visit)
    ]
    return sorted(delays)


def how_it_ran(seen: Seen) -> str:
    """Return closed sockets and processor time of a run, for a row's notes."""
    return (
        f"{len(seen.closed)} sockets closed {seen.closed_by_code() or ''}; web processes"
        f" {seen.web_cores:.2f} cores, pages {seen.page_cores:.2f}, load {seen.load:.1f};"
        f" {machine_note()}"
    )


@dataclass(frozen=True)
class Places:
    """The verdict on the shown places. Lag: how long a page had missed a match by then."""

    judged: int
    wrong: int
    lag_p99: float
    worst_lag: float


def judge_places(seen: Seen, within_seconds: float) -> Places:
    """Compare every place that was shown with the matches that had been made.

    A place k is right at a moment if as many matches had been made as it implies. A match was made
    between its request and its answer, so each sample is compared with both bounds.
    """
    asked = [before for _, before, _ in seen.matches]
    heard = [after for _, _, after in seen.matches]
    wrong = 0
    lags = []
    for at, place, ahead in seen.samples():
        if ahead < 0:
            continue
        passed = place - ahead  # the matches that this page has counted
        lag = max(0.0, at - heard[passed]) if 0 <= passed < len(heard) else 0.0
        too_early = passed < 0 or (passed > 0 and (passed > len(asked) or asked[passed - 1] > at))
        wrong += lag > within_seconds or too_early
        lags.append(lag)
    lags.sort()
    return Places(len(lags), wrong, lags[len(lags) * 99 // 100], lags[-1])
