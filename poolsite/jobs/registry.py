"""The registered kinds of long work, and the registered sweeps with their periods."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings

from poolsite.jobs.descriptions import SweepDescription, description_or_plain

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class JobError(Exception):
    """A job cannot continue. The text is the sentence that its page shows."""


@dataclass(frozen=True)
class Progress:
    """A job's progress. `message` is a short sentence for the page ("" keeps the last one)."""

    done: int
    total: int | None = None
    message: str = ""


# Long work that people start, and calls to external systems; money; work that keeps SQL, pages and
# alarms up to date. With a worker for each queue, none waits behind another.
JOBS, BOOKS, HISTORY = QUEUES = ("jobs", "books", "history")

JobFunction = Callable[[Any], Iterator[Progress]]  # its argument is a JobHandle
SweepFunction = Callable[[int, int], Mapping[str, Any] | None]


@dataclass(frozen=True)
class JobKind:
    """A kind of long work: its function, its names, and when a job without a heartbeat is resumed.

    title: what pages call such a job; "" means that they only show its ID.
    """

    name: str
    run: JobFunction
    prefix: str
    stale_seconds: int
    title: "StrOrPromise" = ""


@dataclass(frozen=True)
class Sweep:
    """Work that runs once per period and shard, on any free worker of its queue.

    `pausable` sweeps (money, leases, permits) do not run while the clock is in doubt. `light`
    sweeps usually only read: those of a queue that are due together are sent in one message.
    """

    name: str
    run: SweepFunction
    every_seconds: int
    shards: int
    pausable: bool
    queue: str
    light: bool
    description: SweepDescription


_KINDS: dict[str, JobKind] = {}
_SWEEPS: dict[str, Sweep] = {}


def kind(
    name: str, *, prefix: str = "job", stale_seconds: int = 60, title: "StrOrPromise" = ""
) -> Callable[[JobFunction], JobFunction]:
    """Register a generator of progress as long work with that name.

    It must be resumable: `job.cursor` is what `job.chunk` or `job.save_cursor` stored last. It must
    yield, or pass a `job.chunk`, at least every `stale_seconds`. Otherwise another worker takes the
    job over, and the next write of this one is refused.
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
    description: SweepDescription | None = None,
) -> None:
    """Register a function of (shard, shards) that runs every `every_seconds` on some worker.

    The function must be harmless if it runs twice at once. It returns counts of what it did.
    `description` has the purpose and the counts for the system page. POOLSITE_SWEEP_SHARDS limits
    `shards`. Raise ValueError for an unknown queue, for a sweep without shards, which would never
    run, and for a light sweep with several shards, because the sweeps of one message run one after
    another.
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
        description_or_plain(name, description),
    )


def kinds() -> dict[str, JobKind]:
    """Return every registered kind by its name."""
    return dict(_KINDS)


def sweeps() -> dict[str, Sweep]:
    """Return every registered sweep by its name."""
    return dict(_SWEEPS)
