"""Which kinds of long work there are, and which sweeps run how often."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings

from poolsite.jobs.telling import SweepDescription, told_or_plain

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class JobError(Exception):
    """A job cannot go on; the text is what its page says: one clear sentence."""


@dataclass(frozen=True)
class Progress:
    """How far a job is; `message` is one short sentence for the page ("" keeps the last)."""

    done: int
    total: int | None = None
    message: str = ""


# Long work that people start, and calls to the world outside; money; all that keeps SQL, pages and
# alarms up to date. None waits behind another where each has a worker of its own.
JOBS, BOOKS, HISTORY = QUEUES = ("jobs", "books", "history")

JobFunction = Callable[[Any], Iterator[Progress]]  # it is given a JobHandle
SweepFunction = Callable[[int, int], Mapping[str, Any] | None]


@dataclass(frozen=True)
class JobKind:
    """A kind of long work: what runs, how its jobs are called, when a silent one is resumed.

    title: what pages call such a job; "" = by its ID alone.
    """

    name: str
    run: JobFunction
    prefix: str
    stale_seconds: int
    title: "StrOrPromise" = ""


@dataclass(frozen=True)
class Sweep:
    """Work that runs once per period and shard, wherever a worker of its queue is free.

    `pausable` sweeps (money, leases, permits) stand still while the clock is in doubt. `light` ones
    only look, as a rule: those of a queue that are due together are sent in one message.
    """

    name: str
    run: SweepFunction
    every_seconds: int
    shards: int
    pausable: bool
    queue: str
    light: bool
    told: SweepDescription


_KINDS: dict[str, JobKind] = {}
_SWEEPS: dict[str, Sweep] = {}


def kind(
    name: str, *, prefix: str = "job", stale_seconds: int = 60, title: "StrOrPromise" = ""
) -> Callable[[JobFunction], JobFunction]:
    """Register a generator of progress as long work of that name.

    It must be resumable: `job.cursor` holds what `job.chunk` or `job.save_cursor` stored last.
    It must yield, or pass a `job.chunk`, at least every `stale_seconds`; else another worker
    takes the job over, and this one's next write is refused.
    """

    def decorate(run: JobFunction) -> JobFunction:
        _KINDS[name] = JobKind(name, run, prefix, stale_seconds, title)
        return run

    return decorate


def sweep(
    name: str,
    run: SweepFunction,
    *,
    every_seconds: int,
    shards: int = 1,
    pausable: bool = False,
    queue: str = HISTORY,
    light: bool = False,
    told: SweepDescription | None = None,
) -> None:
    """Register a function of (shard, shards) that runs every `every_seconds` on some worker.

    Harmless when run twice at once; it returns what it did, in numbers. `told` says on the system
    page what the sweep is for, and what its numbers mean.
    POOLSITE_SWEEP_SHARDS bounds `shards`. Raises ValueError for a queue that no worker consumes,
    for a sweep without a shard, which would never run, and for a light one with several: one
    message runs one after the other.
    """
    if shards < 1:
        raise ValueError(f"the sweep {name!r} needs at least one shard, not {shards}")
    if queue not in QUEUES:
        raise ValueError(f"no queue {queue!r} for the sweep {name!r}")
    if light and shards > 1:
        raise ValueError(f"the sweep {name!r} is light and has shards")
    most = settings.SWEEP_SHARDS or shards
    _SWEEPS[name] = Sweep(
        *(name, run, every_seconds, min(shards, most), pausable, queue, light),
        told_or_plain(name, told),
    )


def kinds() -> dict[str, JobKind]:
    """Return every registered kind by its name."""
    return dict(_KINDS)


def sweeps() -> dict[str, Sweep]:
    """Return every registered sweep by its name."""
    return dict(_SWEEPS)
