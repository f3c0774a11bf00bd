"""Reading a gate: its figures, its batches, its holders and its line."""

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
    """A batch in Redis. `closed_us`: nothing of it runs or waits any more since then."""

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
    """A gate at one moment. `used`: weights of live permits, and ghosts while it recovers.

    `permits`: how many there are, those that are over and not swept included.

    Counters begin with the generation. `told`: the external system's own count.
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
    """Return the command that reads a gate's figures; None = there is no such gate in Redis."""
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


def _batch(words: Sequence[str]) -> BatchFigures:
    record = words[1]
    pending, running, done, failed, expired = map(int, words[2:])
    return BatchFigures(
        batch=int(words[0]),
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
    """One permit. `holder`: a name, `@device` or `#token`; `task`: what its device carries out.

    `weight`: how many slots it counts as.
    """

    holder: str
    token: int
    deadline_us: int
    granted_us: int
    task: int | None
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Waiter:
    """One in the line, first first. `asked_us`: when it asked last. `weight`: slots it wants."""

    who: str
    arrived_us: int
    asked_us: int
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Holders:
    """A part of the permits, soonest deadline first, at `as_of_us`; `total` of all."""

    as_of_us: int
    total: int
    rows: tuple[Holder, ...]


@dataclass(frozen=True, slots=True)
class WaitingLine:
    """A part of the line; `total` of all."""

    as_of_us: int
    total: int
    rows: tuple[Waiter, ...]


# Where the rows of a page begin: how many are left out, or (µs, name) of the one before.
Place = int | tuple[int, str]


def holders(slug: str, place: Place = 0, count: int = 200) -> Command[Holders]:
    """Up to 1 000 permits."""
    return gate_command("look", slug, ["holders", _place(place), count], _holders)


def _place(place: Place) -> int | str:
    return place if isinstance(place, int) else f"{place[0]:016d} {place[1]}"


def holder(slug: str, who: str) -> Command[Holder | None]:
    """One permit."""

    def read(reply: list[str]) -> Holder | None:
        rows = _holders(reply).rows
        return rows[0] if rows else None

    return gate_command("look", slug, ["one", who, 1], read)


def _holders(reply: list[str]) -> Holders:
    check(reply)
    rows = tuple(
        _holder(words) for words in (reply[start : start + 6] for start in range(2, len(reply), 6))
    )
    return Holders(int(reply[0]), int(reply[1]), rows)


def _holder(words: Sequence[str]) -> Holder:
    token, deadline, granted = map(int, words[1:4])
    return Holder(words[0], token, deadline, granted, number(words[4]), int(words[5]))


def line(slug: str, place: Place = 0, count: int = 200) -> Command[WaitingLine]:
    """Up to 1 000 who wait, first first."""

    def read(reply: list[str]) -> WaitingLine:
        check(reply)
        rows = tuple(
            Waiter(words[0], *map(int, words[1:]))
            for words in (reply[start : start + 4] for start in range(2, len(reply), 4))
        )
        return WaitingLine(int(reply[0]), int(reply[1]), rows)

    return gate_command("look", slug, ["line", _place(place), count], read)


def has_work(slug: str, device: str) -> Command[str]:
    """Whether a device has a task of this gate that has not ended: "task", or "".

    "loading": it has none, but tasks of the gate are still being loaded.
    """

    def read(reply: list[str]) -> str:
        return {"1": "task", "l": "loading"}.get(check(reply)[0], "")

    return gate_command("has", slug, [device], read, device)


def states(slug: str, tasks: Sequence[int]) -> Command[dict[int, str]]:
    """What Redis says of up to 1 000 tasks: p, r, d, f, x, or "" = it has no such task."""
    wanted = tuple(tasks)

    def read(reply: list[str]) -> dict[int, str]:
        return dict(zip(wanted, check(reply), strict=True))

    return gate_command("states", slug, wanted, read, "states")
