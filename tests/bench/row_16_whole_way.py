"""Row 16: what 1 000 calls cost on their whole way from HTTP to the SQL history, per part.

Load: `call` and `hangup` with token and validation on a pool of 2 000 numbers, once as one event
per request (wrk, 32 connections, 20 s), once in batches of 1 000 events (500 calls and their
hangups, two under way), once with calls that last: 1 000 calls, which are in SQL before they are
hung up. One web process (uvicorn), one Redis (AOF off, also the broker), one
PostgreSQL (fsync off), one Celery worker of one process and one beat, which runs the drain every
second as in production. Each part is its processes with all their children, from /proc, until the
last event is in SQL. Nothing is subtracted: what the parts use without a call is reported
separately (a tick's connections to SQL are most of that, and under load there are fewer ticks).
Checked: every call is in the history and in the call records, no sequence number is missing, none
waits in Redis.
Left out: other sweeps, the client, TLS, the network, fsync, browsers.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

import redis

from poolsite.runtime.redis_server import RedisServer
from tests.bench.celery_processes import draining
from tests.bench.hot_load import NUMBERS, OURS, SLUG, requests_per_second
from tests.bench.result import Row
from tests.bench.sql_site import SqlSite, servers
from tests.live.servers import WebServer
from tests.support.postgres import PostgresServer
from tests.support.processes import cpu_seconds

SECONDS = 20.0
BATCHES = 100
ROUNDS = 20
IDLE_SECONDS = 20.0
DRAIN_SECONDS = 300.0
PARTS = ("web", "Redis", "worker", "SQL")


@dataclass(frozen=True)
class Stage:
    """The servers, and the processes that make up each part."""

    site: SqlSite
    web: WebServer
    token: str
    client: redis.Redis
    processes: dict[str, list[int]]

    def used(self) -> dict[str, float]:
        """Return the CPU seconds of each part so far."""
        return {part: cpu_seconds(*pids) for part, pids in self.processes.items()}

    def pool(self, *names: str) -> list[int]:
        """Return fields of the pool's hash."""
        return [int(value) for value in self.client.hmget("{" + SLUG + "}", names)]

    def wait_until_drained(self) -> None:
        """Wait until SQL has every event."""
        deadline = time.monotonic() + DRAIN_SECONDS
        while True:
            seq, drained = self.pool("seq", "drained")
            if seq == drained:
                return
            if time.monotonic() > deadline:
                raise AssertionError(f"{seq - drained} events are not in SQL")
            time.sleep(0.1)


@dataclass(frozen=True)
class Cost:
    """CPU seconds per 1 000 calls of each part; bytes of a call's rows in SQL, with indexes."""

    calls: int
    bytes_in_sql: int
    seconds: float
    parts: dict[str, float]


def run() -> list[Row]:
    """Measure all ways of sending on the same servers."""
    pair = servers()
    site = pair.site("calls")
    token = site.run("tests/bench/hot_setup.py", SLUG, str(NUMBERS)).strip()
    web = WebServer(site, "uvicorn", OURS).start()
    try:
        with draining(site) as celery, pair.redis.client() as client:
            pids = [[_pid(web)], [_pid(pair.redis)], celery, [_pid(pair.postgres)]]
            stage = Stage(site, web, token, client, dict(zip(PARTS, pids, strict=True)))
            return _measured(stage)
    finally:
        web.stop()


def _pid(server: WebServer | RedisServer | PostgresServer) -> int:
    if server.process is None:
        raise AssertionError("it has ended")
    return server.process.pid


def _measured(stage: Stage) -> list[Row]:
    _singly(stage, "warm", 3.0)
    _in_batches(stage, "warm-b", 10)
    stage.wait_until_drained()
    idle = _idle(stage)
    single = _cost(stage, lambda: _singly(stage, "run", SECONDS))
    batched = _cost(stage, lambda: _in_batches(stage, "run-b", BATCHES))
    lasting = _cost(stage, lambda: _lasting(stage, "run-l", ROUNDS))
    return [
        _row("one event per request", single, idle),
        _row("batches of 1 000 events", batched, idle),
        _row("the same, calls that last", lasting, idle),
    ]


def _singly(stage: Stage, run: str, seconds: float) -> None:
    requests_per_second(stage.web, stage.token, run, seconds)


def _lasting(stage: Stage, run: str, rounds: int) -> None:
    for place in range(rounds):
        for event in ("call", "hangup"):
            _in_batches(stage, f"{run}-{place}", 1, event)
            stage.wait_until_drained()


def _in_batches(stage: Stage, run: str, count: int, *events: str) -> None:
    url = f"http://127.0.0.1:{stage.web.port}"
    words = ("http", url, stage.token, str(count), run, *events)
    done = json.loads(stage.site.run("tests/bench/batch_client.py", *words))
    if done["events"] != count * 1_000:
        raise AssertionError(done)


def _idle(stage: Stage) -> dict[str, float]:
    """Return the CPU of each part in a second without a call: sweeps, ticks, checks."""
    before, begun = stage.used(), time.perf_counter()
    time.sleep(IDLE_SECONDS)
    after, seconds = stage.used(), time.perf_counter() - begun
    return {part: (after[part] - before[part]) / seconds for part in PARTS}


def _cost(stage: Stage, send: Callable[[], None]) -> Cost:
    (carried,) = stage.pool("carried")
    before, begun = stage.used(), time.perf_counter()
    send()
    stage.wait_until_drained()
    after, seconds = stage.used(), time.perf_counter() - begun
    calls = stage.pool("carried")[0] - carried
    found = _check(stage)
    parts = {part: (after[part] - before[part]) * 1_000 / calls for part in PARTS}
    return Cost(calls, found["bytes"] // found["records"], seconds, parts)


def _check(stage: Stage) -> dict[str, int]:
    """Check that nothing was lost on the way and nothing was invented. Return what SQL holds."""
    found = stage.site.work("calls", SLUG)
    seq, drained, carried, blocked = stage.pool("seq", "drained", "carried", "blocked")
    in_calls = NUMBERS - stage.client.zcard("{" + SLUG + "}:idle:up")
    wrong = {
        "a call is missing": not carried == found["calls"] == found["records"],
        "a call was refused": blocked != 0,
        "a sequence number is missing": found["last"] - found["first"] + 1 != found["events"],
        "a gap was recorded": found["gaps"] != 0,
        "an event waits": not seq == drained == found["last"] == found["cursor"],
        "SQL and Redis know other open calls": found["open"] != in_calls,
    }
    if any(wrong.values()):
        said = [text for text, is_so in wrong.items() if is_so]
        raise AssertionError(f"{said}: {found}, seq {seq}, drained {drained}, {in_calls} in calls")
    return found


def _row(how: str, cost: Cost, idle: dict[str, float]) -> Row:
    said = ", ".join(f"{part} {cost.parts[part]:.2f}" for part in PARTS)
    idly = ", ".join(f"{part} {idle[part] * 100:.1f} %" for part in PARTS)
    return Row(
        row="16",
        name=f"CPU seconds per 1 000 calls, {how}",
        ours=f"{sum(cost.parts.values()):.2f} s: {said}",
        reference="-",
        ratio=None,
        mark="reported",
        verdict="pass",
        notes=f"{cost.calls:,} calls in {cost.seconds:.0f} s; idle, of a core: {idly};"
        f" {cost.bytes_in_sql} bytes in SQL for a call",
        figures={
            "calls": cost.calls,
            "bytes_in_sql": cost.bytes_in_sql,
            "seconds": cost.seconds,
            "cpu_seconds_per_1000": cost.parts,
            "idle_cores": idle,
        },
    )
