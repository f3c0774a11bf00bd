"""Is this process fit to serve? Redis, SQL and migrations decide; the other processes only warn."""

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import structlog
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from redis.exceptions import ResponseError

from poolsite import hotpath, timers
from poolsite.jobs import sweeping
from poolsite.operations.registry import CHECKS

LOG = structlog.get_logger(__name__)
CHECK_SECONDS = 3.0
CACHED_SECONDS = 1.0
WORKER_SILENT_SECONDS = 30.0
PULSE = "operations.pulse"
# Apart from the pool that serves pages: a database that hangs must not hang the probes' answer.
_THREADS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="health")


@dataclass
class Readiness:
    """What /readyz says. `checks`: name → "" in order, or one sentence."""

    checks: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, str] = field(default_factory=dict)

    @property
    def ready(self) -> bool:
        """Whether traffic may be sent here."""
        return not any(self.checks.values())


_cached: tuple[float, Readiness] | None = None
_migrated = False


async def readiness() -> Readiness:
    """Check everything side by side, in at most CHECK_SECONDS; an answer is kept for 1 s."""
    global _cached
    if _cached is not None and time.monotonic() - _cached[0] < CACHED_SECONDS:
        return _cached[1]
    required: dict[str, Callable[[], str]] = {
        "redis": check_redis,
        "sql": check_sql,
        "migrations": check_migrations,
    }
    optional: dict[str, Callable[[], str]] = {
        "timers": check_timers,
        "workers": check_workers,
        "beat": check_beat,
    }
    for name, (check, is_required) in CHECKS.items():
        (required if is_required else optional)[name] = check
    names = [*required, *optional]
    answers = await asyncio.gather(*(_run({**required, **optional}[name]) for name in names))
    said = dict(zip(names, answers, strict=True))
    result = Readiness(
        {name: said[name] for name in required}, {name: said[name] for name in optional}
    )
    _cached = (time.monotonic(), result)
    return result


def forget() -> None:
    """Check afresh at the next question (tests)."""
    global _cached, _migrated
    _cached, _migrated = None, False


async def _run(check: Callable[[], str]) -> str:
    loop = asyncio.get_running_loop()
    try:
        return await asyncio.wait_for(loop.run_in_executor(_THREADS, check), CHECK_SECONDS)
    except TimeoutError:
        return "no answer"
    except Exception as error:
        LOG.warning("health.check_failed", check=check.__name__, error=str(error))
        return "not reachable"


def check_redis() -> str:
    """The hot path's Redis takes a write and gives it back.

    A Redis without memory, or one that has become a replica, answers questions and refuses calls.
    """
    client, word = hotpath.client(), secrets.token_hex(8)
    key = f"health:{word}"
    try:
        client.set(key, word, px=10_000)
    except ResponseError as error:
        LOG.warning("health.redis_refuses_writes", error=str(error))
        return "refuses writes"
    return "" if client.getdel(key) == word else "loses writes"


def _let_go() -> None:
    """Give the probe's connection back; a page that asks in its transaction keeps its own."""
    if not connection.in_atomic_block:
        connection.close()


def check_sql() -> str:
    """SQL answers a query."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        _let_go()
    return ""


def check_migrations() -> str:
    """Every migration of this release is applied."""
    try:
        return missing_migrations()
    finally:
        connection.close()


def missing_migrations() -> str:
    """Say what is not applied, on the caller's connection; "" once stays so for this process."""
    global _migrated
    if _migrated:
        return ""
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        return f"{len(missing)} not applied: run manage.py migrate"
    _migrated = True
    return ""


def check_timers() -> str:
    """Every shard has a process that visits what is due."""
    found = timers.read_state()
    if not found.processes:
        return "no timers run: start manage.py timers"
    if found.unheld:
        return f"nobody visits {len(found.unheld)} of {timers.SHARDS} shards"
    return next((f"timers pause: {mark.paused}" for mark in found.processes if mark.paused), "")


def check_workers() -> str:
    """A worker ran the pulse lately."""
    run = sweeping.last_runs(PULSE).get(0)
    if run is None or time.time() - run.at > WORKER_SILENT_SECONDS:
        return "no worker has run a sweep lately"
    return ""


def check_beat() -> str:
    """A beat ticked lately."""
    return "" if sweeping.beat_alive() else "no beat has ticked lately"
