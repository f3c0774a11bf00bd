"""Which processes run the timers, and how late they are: marks in Redis for every process."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import orjson

from poolsite import hotpath

SHARDS = 8
PROCESSES_KEY = "timers:processes"  # HASH process → JSON of ProcessMark
SILENT_SECONDS = 5.0


def lease_tag(shard: int) -> str:
    """Return the tag of the lease of a shard (`jobs/lease`)."""
    return f"{{timers.{shard}}}"


@dataclass(frozen=True, slots=True)
class ProcessMark:
    """What one process reports of itself once a second. `at`: Redis' time, seconds since 1970.

    late_ms: the 99th percentile of how late its visits of the last minute were.
    paused: why it makes no visits, or "" as a rule.
    """

    process: str
    at: float
    shards: tuple[int, ...]
    aggregates: int
    visits: int
    late_ms: float
    paused: str = ""

    def text(self) -> bytes:
        return orjson.dumps(asdict(self))


@dataclass(frozen=True, slots=True)
class TimersState:
    """The processes that left a mark within SILENT_SECONDS, and the shards that no process holds.

    silent_seconds: how long ago the last mark was, or None if there is none.
    """

    processes: tuple[ProcessMark, ...]
    unheld: tuple[int, ...]
    silent_seconds: float | None

    @property
    def late_ms(self) -> float:
        """How late the latest process is, at its 99th percentile."""
        return max((mark.late_ms for mark in self.processes), default=0.0)

    @property
    def running(self) -> bool:
        """Whether every shard has a process that visits what is due."""
        return bool(self.processes) and not self.unheld


def read() -> TimersState:
    """Read the state from Redis in two round trips. Raise redis-py's errors and Unavailable."""
    now = hotpath.default().now()
    with hotpath.client().pipeline(transaction=False) as pipeline:
        pipeline.hgetall(PROCESSES_KEY)
        for shard in range(SHARDS):
            pipeline.hmget(lease_tag(shard), ["holder", "until"])
        told, *leases = pipeline.execute()
    marks = [mark_of(text) for text in told.values()]
    alive = tuple(mark for mark in marks if now - mark.at < SILENT_SECONDS)
    unheld = tuple(shard for shard, lease in enumerate(leases) if not _held(lease, now))
    latest = max((mark.at for mark in marks), default=None)
    silent = None if latest is None else max(0.0, now - latest)
    return TimersState(alive, unheld, silent)


def mark_of(text: str) -> ProcessMark:
    """Return the mark for the text that a process has written."""
    fields = orjson.loads(text)
    return ProcessMark(**{**fields, "shards": tuple(fields["shards"])})


def _held(lease: Sequence[str | None], now: float) -> bool:
    holder, until_us = lease
    return bool(holder) and float(until_us or 0) / 1e6 > now
