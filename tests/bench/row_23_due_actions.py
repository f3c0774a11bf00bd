"""Row 23: 10,000 due actions a second, and how late each was.

Load: one client gives 50 gates 100,000 permits of 15 s, 500 every 50 ms; none is given back.
So 10,000 permits expire in each second, 200 at each gate. One `manage.py timers` process ends them.
How late each was is read from the gates' own histories: the time at which it was ended, by Redis'
clock, less its deadline.
Left out: AOF; a second process of the timers; the drain of the histories into SQL.
"""

import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import redis

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from poolsite.timers import state
from queueing.admission import gate
from tests.bench.gates import GENERATION
from tests.bench.machine import judged_here, machine_note
from tests.bench.pools import words
from tests.bench.redis_cpu import send_pipelined
from tests.bench.result import Row
from tests.live.servers import Site
from tests.support.processes import cpu_seconds, end
from tests.support.waiting import until

GATES, PERMITS, A_SECOND = 50, 100_000, 10_000
BATCH = 500
PERMIT_SECONDS = 15
LIMIT_MS = 100.0
SETTINGS = gate.GateSettings(
    cap=1_000_000, permit_seconds=PERMIT_SECONDS, margin_seconds=1, fair=False
)


def run() -> Row:
    """Grant at an even rate, wait for the last end, and read the histories."""
    with tempfile.TemporaryDirectory(prefix="row23-", dir="/tmp") as folder, ExitStack() as ends:
        server = RedisServer(Path(folder) / "redis", append_only=False).start()
        ends.callback(server.stop)
        site = Site(Path(folder) / "site", server.url)
        site.folder.mkdir()
        ends.enter_context(hotpath.connect(server.url))
        client = ends.enter_context(server.client())
        process = site.start(Path(folder) / "timers.log", "manage", "timers")
        ends.callback(end, process)
        until(lambda: state.read().running)
        seconds, cores = _grant_and_wait(client, process.pid)
        late = sorted(_lateness_ms(client))
    assert len(late) == PERMITS, "each permit ended once"
    p50, p99, worst = (late[int(share * (len(late) - 1))] for share in (0.5, 0.99, 1.0))
    return Row(
        row="23",
        name="10,000 due actions a second",
        ours=f"p99 {p99:.0f} ms late (median {p50:.0f}, latest {worst:.0f})",
        reference="-",
        ratio=None,
        mark=f"p99 ≤ {LIMIT_MS:.0f} ms",
        verdict=judged_here(p99 <= LIMIT_MS),
        notes=f"granted in {seconds:.1f} s; timers {cores:.2f} of a core; {machine_note()}",
        figures={"p50_ms": p50, "p99_ms": p99, "max_ms": worst, "timers_cores": cores},
    )


def _grant_and_wait(client: redis.Redis, pid: int) -> tuple[float, float]:
    """Return the seconds that granting took, and the timers' share of a core while permits end."""
    slugs = [f"bench-{n}" for n in range(GATES)]
    make = [gate.create(slug, GENERATION, SETTINGS) for slug in slugs]
    list(send_pipelined(client, words(client, make)))
    began = time.monotonic()
    for first in range(0, PERMITS, BATCH):
        pause = began + first / A_SECOND - time.monotonic()
        time.sleep(max(0.0, pause))
        ask = [
            gate.acquire(slugs[number % GATES], f"h{number}")
            for number in range(first, first + BATCH)
        ]
        list(send_pipelined(client, words(client, ask)))
    seconds = time.monotonic() - began
    time.sleep(max(0.0, PERMIT_SECONDS - seconds))
    used, at = cpu_seconds(pid), time.monotonic()
    until(lambda: not any(client.zcard(f"{{gate.{slug}}}:permits") for slug in slugs), 120)
    return seconds, (cpu_seconds(pid) - used) / (time.monotonic() - at)


def _lateness_ms(client: redis.Redis) -> list[float]:
    late = []
    for number in range(GATES):
        for _, fields in client.xrange(f"{{gate.bench-{number}}}:log"):
            change = gate.read_change(fields)
            if change.event == "expired" and change.deadline_us is not None:
                late.append((change.at_us - change.deadline_us) / 1_000)
    return late


if __name__ == "__main__":
    sys.stdout.write(f"{run().as_json()}\n")
