"""Visitors' pages of a long line at two web processes, while agents match: row 19."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from poolsite.runtime.redis_server import RedisServer, die_with_parent
from tests.live.servers import ROOT, Site, WebServer

AGENTS = 200
WEBS = 2
DRAIN_SECONDS = 2.5


@dataclass(frozen=True)
class Seen:
    """What the pages showed and when, and when each match was made. Times are Unix seconds."""

    samples: list[tuple[float, list[int]]]  # at, place of each page; -1 = in a room
    roomed: dict[str, float]
    matches: list[tuple[str, float, float]]  # visitor, before asking, after hearing
    closed: list[int]
    gaps: int
    bytes_per_page: float


def watch(pages: int, rate: float, seconds: float, *, follows: str = "line") -> Seen:
    """Open the pages, match for a while, and return what was seen.

    follows: "visit" = the pages watch their own visit alone.
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
    setup, seen, matches = (site.folder / name for name in ("setup", "seen", "matches"))
    site.run("-m", "tests.bench.line_setup", str(setup), str(pages), str(AGENTS))
    before = sum(map(_resident_bytes, webs))
    ports = ",".join(str(web.port) for web in webs)
    crowd = _program(site, "tests.bench.line_crowd", str(setup), ports, str(seen), follows)
    try:
        _expect(crowd, "ready")
        held = sum(map(_resident_bytes, webs)) - before
        words = [site.redis_url, str(setup), str(rate), str(seconds), str(matches)]
        driver = _program(site, "tests.bench.line_driver", *words)
        if driver.wait() != 0:
            raise AssertionError("the driver failed")
        try:
            crowd.wait(DRAIN_SECONDS)
            raise AssertionError("the process with the pages has ended")
        except subprocess.TimeoutExpired:
            pass
        assert crowd.stdin is not None
        crowd.stdin.write("\n")
        crowd.stdin.flush()
        _expect(crowd, "written")
        told = json.loads(seen.read_text())
    finally:
        crowd.kill()
        crowd.wait()
    return Seen(
        **{name: told[name] for name in ("samples", "roomed", "closed", "gaps")},
        matches=json.loads(matches.read_text()),
        bytes_per_page=held / pages,
    )


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


def _resident_bytes(web: WebServer) -> int:
    assert web.process is not None
    status = Path(f"/proc/{web.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def told_ms(seen: Seen) -> list[float]:
    """Milliseconds from before the agent's ending to the visitor's page, of pages, ascending."""
    delays = [
        (seen.roomed[visit] - before) * 1_000
        for visit, before, _ in seen.matches
        if seen.roomed.get(visit)
    ]
    return sorted(delays)


def wrong_places(seen: Seen, within_seconds: float) -> tuple[int, int, float]:
    """How many shown places were not right within that time, of how many, and the worst lag.

    A place k is right at a moment when as many matches had been made as it says; a match was made
    between its asking and its hearing, so each sample is given both bounds.
    """
    asked = [before for _, before, _ in seen.matches]
    heard = [after for _, _, after in seen.matches]
    wrong = judged = 0
    worst = 0.0
    for at, shown in seen.samples:
        for place, ahead in enumerate(shown):
            if ahead < 0:
                continue
            judged += 1
            passed = place - ahead  # matches that this page knows of
            unknown_since = heard[passed] if passed < len(heard) else float("inf")
            lag = at - unknown_since  # so long it has missed the next one
            worst = max(worst, lag)
            too_early = passed < 0 or (
                passed > 0 and (passed > len(asked) or asked[passed - 1] > at)
            )
            wrong += lag > within_seconds or too_early
    return wrong, judged, worst
