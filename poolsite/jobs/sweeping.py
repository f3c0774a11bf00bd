"""Ticks and sweeps: several beats may tick and several workers may try, but one runs each shard."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import structlog

from poolsite import hotpath
from poolsite.jobs import lease
from poolsite.jobs.registry import Sweep, sweeps

LOG = structlog.get_logger(__name__)
BEAT_KEY = "beat:heard"
BEAT_KEPT_SECONDS = 300
BEAT_SILENT_SECONDS = 3.0
PAUSED_KEY = "sweeps:paused"  # contains the reason while the clock is in doubt
CLOCK_CONFIRMED_KEY = "clock:confirmed"  # increased when an operator confirms the new time
# Longer than a busy machine's queue of ticks. Otherwise its runs would always expire.
LEAST_EXPIRY_SECONDS = 30
MARGIN_SECONDS = 5  # how late a slow beat may tick after its period


@dataclass(frozen=True)
class LastRun:
    """The last run of one shard of a sweep. `at` is its end, in seconds since 1970."""

    at: float
    duration_ms: int
    result: dict[str, Any]
    error: str = ""
    fence: int = 0


def win_ticks(names: Sequence[str]) -> dict[str, str]:
    """Claim the current periods of these sweeps. Return the marks of those that this beat won.

    It wins a sweep's period if it is the first beat to ask. This takes one round trip. A beat that
    could not send what it won releases the marks (`lose_ticks`).
    """
    marks = {}
    with hotpath.client().pipeline(transaction=False) as pipeline:
        for name in names:
            every_seconds = sweeps()[name].every_seconds
            marks[name] = f"tick:{name}:{int(time.time() // every_seconds)}"
            kept_ms = (every_seconds + MARGIN_SECONDS) * 1_000
            pipeline.set(marks[name], "1", nx=True, px=kept_ms)
        won = pipeline.execute()
    return {name: marks[name] for name, is_first in zip(names, won, strict=True) if is_first}


def lose_ticks(marks: Iterable[str]) -> None:
    """Release the periods, so that the next tick of any beat can win them."""
    for mark in marks:
        hotpath.client().delete(mark)


def expiry_seconds(name: str) -> int:
    """How long a shard may wait for a worker before a later tick replaces it."""
    return max(sweeps()[name].every_seconds, LEAST_EXPIRY_SECONDS)


def run_shard(name: str, shard: int) -> LastRun | None:
    """Run one shard under its lease and record the result. Return None if another worker has it.

    An error is recorded and logged, never raised, because it concerns only this sweep.
    """
    sweep = sweeps().get(name)
    if sweep is None or shard >= sweep.shards:
        return None
    reason = paused_reason() if sweep.pausable else ""
    if reason:
        return _record(sweep, shard, LastRun(time.time(), 0, {}, f"paused: {reason}"))
    with lease.hold(f"{{sweep.{name}.{shard}}}") as held:
        if held is None:
            return None
        return _record(sweep, shard, _run(sweep, shard, held.fence))


def _run(sweep: Sweep, shard: int, fence: int) -> LastRun:
    started = time.monotonic()
    error = ""
    result: dict[str, Any] = {}
    try:
        result = dict(sweep.run(shard, sweep.shards) or {})
    except Exception as caught:
        error = f"{type(caught).__name__}: {caught}"[:300]
        LOG.warning("sweep.failed", sweep=sweep.name, shard=shard, error=error)
    return LastRun(time.time(), round((time.monotonic() - started) * 1_000), result, error, fence)


def _record(sweep: Sweep, shard: int, run: LastRun) -> LastRun:
    said = {
        "at": run.at,
        "duration_ms": run.duration_ms,
        "result": run.result,
        "error": run.error,
        "fence": run.fence,
    }
    hotpath.client().hset(_runs_key(sweep.name), str(shard), orjson.dumps(said, default=str))
    return run


def last_runs(name: str) -> dict[int, LastRun]:
    """Return the last run of each of the sweep's shards that ever ran.

    Shards of the past, when the sweep had more of them, are left out: they never run again.
    """
    sweep = sweeps().get(name)
    rows: dict[str, str] = hotpath.client().hgetall(_runs_key(name))
    return {
        int(shard): LastRun(**orjson.loads(said))
        for shard, said in rows.items()
        if sweep is None or int(shard) < sweep.shards
    }


def pause(reason: str) -> None:
    """Pause the pausable sweeps everywhere until `resume`."""
    hotpath.client().set(PAUSED_KEY, reason)


def resume() -> bool:
    """Let the pausable sweeps run again. Return whether they were paused."""
    return bool(hotpath.client().delete(PAUSED_KEY))


def paused_reason() -> str:
    """Return why the pausable sweeps are paused, or "" if they run."""
    return str(hotpath.client().get(PAUSED_KEY) or "")


def say_beat() -> None:
    """Record that a beat ticks. Raise RedisError or Unavailable."""
    hotpath.client().set(BEAT_KEY, str(hotpath.default().now()), ex=BEAT_KEPT_SECONDS)


def beat_alive() -> bool:
    """Whether a beat has ticked within BEAT_SILENT_SECONDS, by Redis' clock."""
    heard = hotpath.client().get(BEAT_KEY)
    return heard is not None and hotpath.default().now() - float(heard) < BEAT_SILENT_SECONDS


def _runs_key(name: str) -> str:
    return f"{{sweep.{name}}}:runs"
