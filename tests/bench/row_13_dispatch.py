"""Row 13: one message from a front-end to an instance, their sockets on two web processes.

Load: one message at a time, 300 bytes, 2 000 after 200 to warm up; ours and the reference in turn,
three times each, and the median of the medians is judged. Two uvicorn processes each, one Redis
without AOF. Time: from the send to the arrival, both in one client process. Ours: token, checks,
route, numbers, the outbox in Redis, acknowledgements. Reference (dispatch_reference.py): one XADD,
a wake through channels-redis' group, one XRANGE. Every message must arrive once and in order.
Left out: TLS, a proxy, AOF, the answer's way back, more than one message at a time.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from poolsite.runtime.redis_server import RedisServer
from tests.bench.machine import machine_note
from tests.bench.result import Row, at_most
from tests.dispatch.keeper import Keeper
from tests.live.servers import ROOT, Site, WebServer

WARM, MESSAGES, ROUNDS = 200, 2_000, 3
MARK = 1.5
APPLICATIONS = {
    "ours": "poolsite.asgi:application",
    "reference": "tests.bench.dispatch_reference:application",
}


def run() -> Row:
    """Measure both in turn."""
    with tempfile.TemporaryDirectory(prefix="row13-", dir="/tmp") as folder:
        redis = RedisServer(Path(folder) / "redis", append_only=False).start()
        webs: list[WebServer] = []
        keeper: Keeper | None = None
        try:
            site = Site(Path(folder) / "site", redis.url).make()
            keeper = Keeper(site)
            keeper.make({"slug": "east"})
            for application in APPLICATIONS.values():
                webs += [
                    WebServer(site, "uvicorn", application=application).start() for _ in range(2)
                ]
            times = _measure(site, dict(zip(APPLICATIONS, (webs[:2], webs[2:]), strict=True)))
        finally:
            for web in webs:
                web.stop()
            if keeper is not None:
                keeper.stop()
            redis.stop()
    ours, reference = (statistics.median(times[name]) for name in ("ours", "reference"))
    tails = {name: sorted(times[name])[len(times[name]) * 99 // 100] for name in times}
    ratio = ours / reference
    return Row(
        row="13",
        name="dispatcher: a message front → instance, two web processes",
        ours=f"median {ours:.0f} µs",
        reference=f"XADD + channel-layer wake, median {reference:.0f} µs",
        ratio=ratio,
        mark=f"≤ {MARK}×",
        verdict=at_most(MARK, ratio),
        notes=(f"p99 {tails['ours']:.0f} µs against {tails['reference']:.0f} µs; {machine_note()}"),
        figures={"ours_us": ours, "reference_us": reference, "p99_us": tails["ours"]},
    )


def _measure(site: Site, webs: dict[str, list[WebServer]]) -> dict[str, list[float]]:
    token = str(site.people["north"]["token"])
    times: dict[str, list[float]] = {name: [] for name in webs}
    for _ in range(ROUNDS):
        for name, (first, second) in webs.items():
            words = [str(first.port), str(second.port), token if name == "ours" else ""]
            done = subprocess.run(
                [sys.executable, "tests/bench/dispatch_latency.py", *words, str(WARM + MESSAGES)],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=True,
            )
            times[name] += json.loads(done.stdout)[WARM:]
    assert all(len(each) == ROUNDS * MESSAGES for each in times.values())
    return times


if __name__ == "__main__":
    sys.stdout.write(f"{run().as_json()}\n")
