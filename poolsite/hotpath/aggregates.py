"""The generation of an aggregate's data in Redis, and whether Redis lost any of that data."""

import time
from enum import Enum
from pathlib import Path
from typing import Protocol

from poolsite.hotpath.commands import Command
from poolsite.hotpath.scripts import load_folder

_SCRIPTS = load_folder("hotpath", Path(__file__).parent / "lua")


class AggregateState(Enum):
    """The data in Redis, compared with what SQL remembers."""

    FRESH = "fresh"
    LOST = "lost"  # no data, or another generation: Redis was emptied, restored or rebuilt
    BEHIND = "behind"  # the same generation, but a failover lost the last entries that SQL has


class AggregateFigures(Protocol):
    """The figures that every kind of aggregate has. `status` is open, paused or recovering."""

    @property
    def status(self) -> str: ...

    @property
    def generation(self) -> int: ...

    @property
    def seq(self) -> int: ...

    @property
    def drained(self) -> int: ...


FRESH, LOST, BEHIND = AggregateState


def generation_new(*before: int) -> int:
    """Return a new generation: µs since 1970, later than each of `before`."""
    now_us = time.time_ns() // 1_000
    return max(now_us, *(generation + 1 for generation in before), 1)


def state_command(tag: str, expected_generation: str, sql_seq: int) -> Command[AggregateState]:
    """Return the command behind `aggregate_state`, for batches over many aggregates."""

    def read(reply: list[str]) -> AggregateState:
        if reply[0] != expected_generation:
            return LOST
        return BEHIND if int(reply[1]) < sql_seq else FRESH

    return Command(_SCRIPTS["state"], (tag,), (), read)
