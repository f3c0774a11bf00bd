"""Row 20: 10 000 devices report in the same second.

Load: one program, 400 kept connections, one report of each device, each due at its own moment
of one second; every device has a pending task, the gate's cap is 60, so that 60 devices get their
permit and 9 940 get their place in the line. One uvicorn process, token and validation on. Measured
from the moment at which a report was due to its answer, so that waiting for a connection counts. At
the end 60 permits are held and 9 940 devices wait. Left out: the worker; AOF.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from poolsite.runtime.redis_server import RedisServer
from tests.bench.machine import judged_here, machine_note
from tests.bench.result import Row
from tests.live.servers import ROOT, Site, WebServer

DEVICES, CONNECTIONS, CAP = 10_000, 400, 60
LIMIT_MS = 2_000


def run() -> Row:
    """Run the second three times, each at a fresh gate. Report the median run's p99."""
    with tempfile.TemporaryDirectory(prefix="poolsite-bench-", dir="/tmp") as folder:
        server = RedisServer(folder=Path(folder) / "redis", append_only=False).start()
        try:
            site = Site(Path(folder) / "site", server.url)
            site.migrate()
            web = WebServer(site, "uvicorn", application="poolsite.asgi:application").start()
            try:
                runs = [_once(site, web, server, f"bench-{number}") for number in range(3)]
            finally:
                web.stop()
        finally:
            server.stop()
    told = sorted(runs, key=lambda its: its["p99"])[1]
    passed = told["bad"] == 0 and told["p99"] <= LIMIT_MS
    return Row(
        row="20",
        name=f"{DEVICES:,} devices report in the same second",
        ours=f"p99 {told['p99']:.0f} ms, refused {told['bad']:.0f}",
        reference="-",
        ratio=None,
        mark=f"none refused, p99 ≤ {LIMIT_MS} ms",
        verdict=judged_here(passed),
        notes=f"median {told['p50']:.0f} ms, longest {told['most']:.0f} ms; {machine_note()}",
        figures=told,
    )


def _once(site: Site, web: WebServer, server: RedisServer, slug: str) -> dict[str, float]:
    token = site.run("tests/bench/gate_setup.py", slug, str(DEVICES)).strip()
    words = [str(web.port), token, str(DEVICES), str(CONNECTIONS)]
    done = subprocess.run(
        [sys.executable, "tests/bench/gate_load.py", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    ms = told["ms"]
    assert len(ms) == DEVICES
    with server.client() as client:
        tag = "{gate." + slug + "}"
        assert client.zcard(f"{tag}:permits") == CAP
        assert client.zcard(f"{tag}:line") == DEVICES - CAP
    return {
        "bad": float(told["bad"]),
        "p50": ms[DEVICES // 2],
        "p99": ms[DEVICES * 99 // 100],
        "most": ms[-1],
    }
