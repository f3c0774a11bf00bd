"""Reads a gate: its figures, its batches, its holders and its line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.admission.gate.building import gate_command
from queueing.admission.gate.permits import number
from queueing.admission.gate.reasons import check
from queueing.admission.gate.settings import GateSettings
from queueing.admission.gate.waits import Waits, read_waits

STATUS: Final = {"o": "open", "p": "paused", "r": "recovering"}
BATCH_STATUS: Final = {"o": "open", "p": "paused", "e": "ended", "c": "cancelled"}


@dataclass(frozen=True, slots=True)
class BatchFigures:
    """A batch in Redis. `closed_us`: since when none of its tasks is running or waiting."""

    batch: int
    status: str
    ends_us: int
    closed_us: int | None
    pending: int
    running: int
    done: int
    failed: int
    expired: int


@dataclass(frozen=True, slots=True)
class GateFigures:
    """A gate's figures at one moment. Counters start at 0 with each generation.

    `used`: the weights of live permits, and ghosts during recovery. `permits`: all permits,
    including those that are over and not swept yet. `told`: the external system's own count.
    """

    as_of_us: int
    generation: int
    status: str
    settings: GateSettings
    seq: int
    drained: int
    dropped: int
    cap: int
    used: int
    permits: int
    anonymous: int
    waiting: int
    tasks: int
    devices: int
    ghosts: int
    open_at_us: int | None
    hold_us: int
    granted: int
    released: int
    refused: int
    expired: int
    renewed: int
    freed: int
    returned: int
    done: int
    failed: int
    late: int
    overrun: int
    closed: int
    told: int | None
    told_at_us: int | None
    waits: Waits
    batches: tuple[BatchFigures, ...]


_COUNTS: Final = (
    *("seq", "drained", "dropped", "used", "permits", "anonymous", "waiting", "tasks", "devices"),
    *("ghosts", "granted", "released", "refused", "expired", "renewed", "freed", "returned"),
    *("done", "failed", "late", "overrun", "closed"),
)


def show(slug: str) -> Command[GateFigures | None]:
    """Return a gate's figures, or None if Redis has no such gate."""
    return gate_command("show", slug, [], _figures)


def _figures(reply: list[str]) -> GateFigures | None:
    if reply[0] == "-1":
        return None
    pairs: dict[str, str] = {}
    batches = []
    for name, value in zip(reply[::2], reply[1::2], strict=True):
        if name == "batch":
            batches.append(_batch(value.split()))
        else:
            pairs[name] = value
    settings = GateSettings.from_redis(pairs["conf"], pairs["adapt"])
    return GateFigures(
        as_of_us=int(pairs["as_of"]),
        generation=int(pairs["generation"]),
        status=STATUS[pairs["conf"][0]],
        settings=settings,
        cap=settings.cap,
        open_at_us=number(pairs["open_at"]),
        hold_us=int(pairs["hold"] or 0),
        told=number(pairs["told"]),
        told_at_us=number(pairs["told_at"]),
        waits=read_waits(
            *(pairs[name] for name in ("wait_bounds", "waits_recent", "waits_total", "waited_us"))
        ),
        batches=tuple(sorted(batches, key=lambda item: item.batch)),
        **{name: int(pairs[name] or 0) for name in _COUNTS},
    )


def _batch(fields: Sequence[str]) -> BatchFigures:
    record = fields[1]
    pending, running, done, failed, expired = map(int, fields[2:])
    return BatchFigures(
        batch=int(fields[0]),
        status=BATCH_STATUS[record[0]],
        ends_us=int(record[1:17]),
        closed_us=number(record[17:]) if record[0] in "ec" else None,
        pending=pending,
        running=running,
        done=done,
        failed=failed,
        expired=expired,
    )


@dataclass(frozen=True, slots=True)
class Holder:
    """A permit. `holder`: a name, `@device` or `#token`. `task`: the device's current task.

    `weight`: how many slots the permit counts as.
    """

    holder: str
    token: int
    deadline_us: int
    granted_us: int
    task: int | None
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Waiter:
    """A requester in line. `asked_us`: its last request. `weight`: how many slots it requests."""

    who: str
    arrived_us: int
    asked_us: int
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Holders:
    """A part of the permits at `as_of_us`, earliest deadline first. `total`: of all permits."""

    as_of_us: int
    total: int
    rows: tuple[Holder, ...]


@dataclass(frozen=True, slots=True)
class WaitingLine:
    """A part of the line, first in line first. `total`: of the whole line."""

    as_of_us: int
    total: int
    rows: tuple[Waiter, ...]


# Where a page starts: how many rows to skip, or (µs, name) of the row before.
Place = int | tuple[int, str]


def holders(slug: str, place: Place = 0, count: int = 200) -> Command[Holders]:
    """Return up to 1,000 permits."""
    return gate_command("look", slug, ["holders", _place(place), count], _holders)


def _place(place: Place) -> int | str:
    return place if isinstance(place, int) else f"{place[0]:016d} {place[1]}"


def holder(slug: str, who: str) -> Command[Holder | None]:
    """Return the permit of a holder, or None."""

    def read(reply: list[str]) -> Holder | None:
        rows = _holders(reply).rows
        return rows[0] if rows else None

    return gate_command("look", slug, ["one", who, 1], read)


def _holders(reply: list[str]) -> Holders:
    check(reply)
    rows = tuple(
        _holder(fields)
        for fields in (reply[start : start + 6] for start in range(2, len(reply), 6))
    )
    return Holders(int(reply[0]), int(reply[1]), rows)


def _holder(fields: Sequence[str]) -> Holder:
    token, deadline, granted = map(int, fields[1:4])
    return Holder(fields[0], token, deadline, granted, number(fields[4]), int(fields[5]))


def line(slug: str, place: Place = 0, count: int = 200) -> Command[WaitingLine]:
    """Return up to 1,000 waiting requesters, first in line first."""

    def read(reply: list[str]) -> WaitingLine:
        check(reply)
        rows = tuple(
            Waiter(fields[0], *map(int, fields[1:]))
            for fields in (reply[start : start + 4] for start in range(2, len(reply), 4))
        )
        return WaitingLine(int(reply[0]), int(reply[1]), rows)

    return gate_command("look", slug, ["line", _place(place), count], read)


def has_work(slug: str, device: str) -> Command[str]:
    """Return "task" if a device has a task of this gate that has not ended, else "".

    "loading" means that it has none, but the gate's tasks are still being loaded.
    """

    def read(reply: list[str]) -> str:
        return {"1": "task", "l": "loading"}.get(check(reply)[0], "")

    return gate_command("has", slug, [device], read, device)


def states(slug: str, tasks: Sequence[int]) -> Command[dict[int, str]]:
    """Return the state of up to 1,000 tasks in Redis: p, r, d, f, x, or "" if it has none."""
    wanted = tuple(tasks)

    def read(reply: list[str]) -> dict[int, str]:
        return dict(zip(wanted, check(reply), strict=True))

    return gate_command("states", slug, wanted, read, "states")
