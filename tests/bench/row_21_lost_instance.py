"""Row 21: 50 000 open sessions over 20 instances; the instance with 10 000 is killed.

Load: 10 front-ends with 5 000 sessions each in one process, the instance with 10 000 in its own
process, 19 with the other sessions in a third; two uvicorn web processes; a process that sweeps
every 0.2 s. The disconnect timer is 1 s and does not count: time runs from its end (the kill
+ 1 s) until the front-ends have received the end of each of the 10 000 sessions, and until their
routes have left Redis. At the end 40 000 routes are left, and no other session has ended.
Left out: AOF; detection by silence (a killed process's socket closes at once).
"""

import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from poolsite.runtime.redis_server import RedisServer, die_with_parent
from tests.bench.machine import judged_here, machine_note
from tests.bench.result import Row
from tests.dispatch.keeper import Keeper
from tests.live.servers import ROOT, Site, WebServer

FRONTS, SESSIONS = 10, 5_000
VICTIM, OTHERS, OTHER_CAPACITY = 10_000, 19, 2_106
DISCONNECT_SECONDS = 1
LIMIT_SECONDS = 5.0
PATIENCE_SECONDS = 60.0
TAG = "{disp.east}"
GROUP = {
    "slug": "east",
    "heartbeat_seconds": 5,
    "missed_limit": 12,  # busy peers still respond
    "disconnect_seconds": DISCONNECT_SECONDS,
}


class Program:
    """A process of peers that answers in JSON lines."""

    def __init__(self, *words: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "tests/bench/dispatch_peers.py", *words],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent,
            env={"PYTHONPATH": str(ROOT), "PATH": ""},
        )

    def hear(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(_pipe(self._process.stdout).readline())
        return told

    def ask(self) -> dict[str, Any]:
        entry = _pipe(self._process.stdin)
        entry.write("\n")
        entry.flush()
        return self.hear()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def run() -> Row:
    """Fill, kill, and wait until all front-ends have received the ends."""
    with tempfile.TemporaryDirectory(prefix="row21-", dir="/tmp") as folder, ExitStack() as ends:
        redis = RedisServer(Path(folder) / "redis", append_only=False).start()
        ends.callback(redis.stop)
        site = Site(Path(folder) / "site", redis.url).make()
        keeper = Keeper(site)
        ends.callback(keeper.stop)
        keeper.make(GROUP)
        webs = []
        for _ in range(2):
            webs.append(WebServer(site, "uvicorn", application="poolsite.asgi:application").start())
            ends.callback(webs[-1].stop)
        told, cleared, again = _measure(site, redis, webs, ends)
    return Row(
        row="21",
        name="50 000 sessions, the instance with 10 000 killed",
        ours=f"front-ends told {told:.1f} s, cleared {cleared:.1f} s",
        reference="-",
        ratio=None,
        mark=f"≤ {LIMIT_SECONDS:.0f} s",
        verdict=judged_here(max(told, cleared) <= LIMIT_SECONDS),
        notes=(
            f"after the disconnect timer; {again} starts were refused as an instance was full of"
            f" unacknowledged frames, and said again; {machine_note()}"
        ),
        figures={"told_s": told, "cleared_s": cleared},
    )


def _measure(
    site: Site, redis: RedisServer, webs: list[WebServer], ends: ExitStack
) -> tuple[float, float, int]:
    """Return the seconds until all ends were received, and until all routes were gone.

    The third figure is the number of starts that were sent twice.
    """
    options = json.dumps(
        {
            "servers": [f"ws://127.0.0.1:{web.port}" for web in webs],
            "group": "east",
            "token": site.people["north"]["token"],
        }
    )
    victim = Program("instances", options, f"victim:{VICTIM}:5")
    ends.callback(victim.kill)
    others = Program("instances", options, *(f"as-{n}:{OTHER_CAPACITY}:1" for n in range(OTHERS)))
    ends.callback(others.kill)
    victim.hear()
    others.hear()
    fronts = Program("fronts", options, str(FRONTS), str(SESSIONS))
    ends.callback(fronts.kill)
    again = int(fronts.hear()["again"])
    with redis.client() as client:
        assert client.hlen(f"{TAG}:routes") == FRONTS * SESSIONS
        victim.kill()
        began = time.time() + DISCONNECT_SECONDS
        cleared = 0.0
        while time.time() < began + PATIENCE_SECONDS:
            heard = fronts.ask()
            if not cleared and client.hlen(f"{TAG}:routes") <= FRONTS * SESSIONS - VICTIM:
                cleared = time.time()
            if cleared and sum(heard["reasons"].values()) >= VICTIM:
                break
            time.sleep(0.05)
        time.sleep(1.0)  # anything unexpected would arrive now
        heard = fronts.ask()
        assert heard["reasons"] == {"instance lost": VICTIM}, heard
        assert client.hlen(f"{TAG}:routes") == FRONTS * SESSIONS - VICTIM
    return heard["at"] - began, cleared - began, again


if __name__ == "__main__":
    sys.stdout.write(f"{run().as_json()}\n")
