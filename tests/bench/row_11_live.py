"""Row 11: 1 000 sockets on one pool, 5 000 events/s from another process.

Load: one web process (uvicorn, no compression) with 1 000 sockets of 50 people, each watching the
pool's figures and its tiles (1 000 numbers, 400 calls at once); a writer process does 5 000
events/s (calls and hangups, 32 to an EVALSHA); a third process holds the sockets and answers acks.
Reference: a bare Channels consumer under the same server sends the frames that were recorded, 5
times a second, to as many sockets; it requests no acks, knows no rights and reads no Redis.
Both run for 15 s; CPU is the web process's own (/proc). Last state: the writer stops, and the
time until each socket has the frame with its last change counts; five times.
Left out: TLS, a proxy, compression; the browsers' own work.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolsite.runtime.redis_server import RedisServer, die_with_parent
from tests.bench.result import Row, at_most
from tests.live.servers import ROOT, Site, WebServer

SOCKETS = 1_000
PEOPLE = 50
NUMBERS = 1_000
EVENTS_PER_SECOND = 5_000
SECONDS = 15.0
STOPS = 5
SLUG = "bench"
TOPICS = [f"numbers.pool:{SLUG}", f"numbers.tiles:{SLUG}:0"]
SNAPSHOT_OF = {
    topic: f'{{"op":"snapshot","topic":"{topic}","version":0,"data":{{}}}}' for topic in TOPICS
}
MARK_RATIO = 1.5
MARK_LAST_STATE_MS = 500
MARK_FRAME_BYTES = 4_096


def crowd_of(site: Site) -> list[dict[str, Any]]:
    """Return the people whom `meet` created for the sockets: operator0, operator1 …"""
    return [who for name, who in site.people.items() if name[:8] == "operator" and name[8:]]


@dataclass
class Browsers:
    """The process that holds the sockets."""

    process: "subprocess.Popen[str]"

    @classmethod
    def start(cls, site: Site, port: int, topics: list[str], count: int) -> "Browsers":
        cookies = [who["cookie"] for who in crowd_of(site)]
        orders = {"topics": topics, "port": port, "count": count, "cookies": cookies}
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.live_sockets", json.dumps(orders)],
            cwd=ROOT,
            env=site.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent,
        )
        browsers = cls(process)
        connected = browsers._line()["connected"]
        if connected != count:
            raise AssertionError(f"{connected} of {count} sockets connected")
        return browsers

    def report(self) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self._line()

    def _line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the process with the sockets has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def start_writer(site: Site, seconds: float) -> "subprocess.Popen[str]":
    """Start the events. The process ends on its own."""
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.bench.live_writer", site.redis_url),
            *("{" + SLUG + "}", str(EVENTS_PER_SECOND), str(seconds)),
        ],
        cwd=ROOT,
        env=site.environment,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=die_with_parent,
    )


def _measure(web: WebServer, site: Site, browsers: Browsers) -> dict[str, Any]:
    """Return the web process's CPU per second and what the sockets saw, at the full rate."""
    writer = start_writer(site, SECONDS + 4)
    time.sleep(2.5)
    browsers.report()
    cpu, began = web.cpu_seconds(), time.monotonic()
    time.sleep(SECONDS)
    seconds = time.monotonic() - began
    cpu = web.cpu_seconds() - cpu
    seen = browsers.report()
    out, _ = writer.communicate(timeout=60)
    if seen["closed"]:
        log = web.log.read_text()[-2000:]
        raise AssertionError(f"sockets were closed: {seen['closed']}\n{log}")
    frames = seen["frames"].get("change", 0)
    return {
        **seen,
        "cpu": cpu / seconds,
        "frames_per_second": frames / seconds,
        "cpu_us_per_frame": cpu / frames * 1e6,
        "events": json.loads(out)["events"],
    }


def _short(measured: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in measured.items() if name not in ("texts", "times")}


def _last_states(site: Site, browsers: Browsers) -> list[float]:
    """Return, for each socket and stop, the milliseconds until it had the last state."""
    waits = []
    for _ in range(STOPS):
        writer = start_writer(site, 1.5)
        out, _ = writer.communicate(timeout=60)
        last = json.loads(out)
        time.sleep(1.5)
        times = browsers.report()["times"].get(f"{TOPICS[1]} {(1 << 40) | last['seq']}", [])
        if len(times) != SOCKETS:
            raise AssertionError(f"{len(times)} of {SOCKETS} sockets hold the last state")
        waits += [(at - last["at"]) * 1000 for at in times]
    return sorted(waits)


def _turns(texts: list[str]) -> list[list[str]]:
    """Return the recorded frames as they were sent, without acks: one of each topic a turn."""
    bare = [re.sub(r',"ack":\d+', "", text) for text in texts]
    by_topic = [[text for text in bare if f'"topic":"{topic}"' in text] for topic in TOPICS]
    return [list(turn) for turn in zip(*by_topic, strict=False)]


def run(server: str = "uvicorn") -> Row:
    """Measure on one kind of server. The table's row is uvicorn's."""
    with tempfile.TemporaryDirectory(prefix="row11-", dir="/tmp") as folder:
        redis = RedisServer(Path(folder) / "redis", append_only=False).start()
        try:
            return _run(Site(Path(folder) / "site", redis.url), server)
        finally:
            redis.stop()


def _run(site: Site, server: str) -> Row:
    site.make()
    site.meet(*(f"operator{number}" for number in range(PEOPLE)))
    site.run("-m", "tests.bench.live_pool", SLUG, str(NUMBERS))
    ours, waits = _ours(site, server)
    sys.stderr.write(f"row 11: ours {_short(ours)}\n")
    reference = _reference(site, server, _turns(ours["texts"]))
    ratio = ours["cpu_us_per_frame"] / reference["cpu_us_per_frame"]
    p99 = waits[int(len(waits) * 0.99)]
    good = p99 <= MARK_LAST_STATE_MS and ours["size_p99"] <= MARK_FRAME_BYTES
    return Row(
        row="11",
        name="1 000 sockets, 5 000 events/s",
        ours=f"{ours['cpu']:.2f} cores, {ours['frames_per_second']:.0f} frames/s",
        reference=f"{reference['cpu']:.2f} cores, {reference['frames_per_second']:.0f} frames/s",
        ratio=ratio,
        mark=f"≤ {MARK_RATIO}×, last state p99 ≤ {MARK_LAST_STATE_MS} ms, frames ≤ 4 kB",
        verdict=at_most(MARK_RATIO, ratio) if good else "short",
        notes=(
            f"{server}; CPU per frame {ours['cpu_us_per_frame']:.1f} µs against"
            f" {reference['cpu_us_per_frame']:.1f} µs; last state p50"
            f" {waits[len(waits) // 2]:.0f} ms, p99 {p99:.0f} ms; frames mean"
            f" {ours['size_mean']:.0f} B, p99 {ours['size_p99']} B"
        ),
        figures={"last_state_p99_ms": p99, "frame_p99_bytes": ours["size_p99"]},
    )


def _ours(site: Site, server: str) -> tuple[dict[str, Any], list[float]]:
    web = WebServer(site, server, application="poolsite.asgi:application").start()
    browsers = None
    try:
        browsers = Browsers.start(site, web.port, TOPICS, SOCKETS)
        measured = _measure(web, site, browsers)
        return measured, _last_states(site, browsers)
    finally:
        if browsers is not None:
            browsers.stop()
        web.stop()


def _reference(site: Site, server: str, turns: list[list[str]]) -> dict[str, Any]:
    file = site.folder / "frames.json"
    file.write_text(json.dumps({"snapshots": SNAPSHOT_OF, "turns": turns}))
    web = WebServer(
        site,
        server,
        application="tests.bench.live_reference:application",
        environment={"BENCH_FRAMES": str(file)},
    ).start()
    browsers = None
    try:
        browsers = Browsers.start(site, web.port, TOPICS, SOCKETS)
        return _measure(web, site, browsers)
    finally:
        if browsers is not None:
            browsers.stop()
        web.stop()


if __name__ == "__main__":
    for kind in sys.argv[1:] or ["uvicorn"]:
        row = run(kind)
        print(json.dumps(row.as_json(), indent=2, ensure_ascii=False))
