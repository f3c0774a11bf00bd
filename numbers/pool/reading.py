"""Commands that read a pool or compare its parts, and their results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from numbers.pool.building import pool_command
from numbers.pool.number_state import NumberState, parse_state
from numbers.pool.settings import AddedByScript, PoolSettings
from poolsite.hotpath import Command

STATUS: Final = {"o": "open", "p": "paused", "r": "recovering"}


@dataclass(frozen=True, slots=True)
class PoolFigures:
    """A pool at one moment. Counts are O(1); `resting` and `pickable` are O(log n).

    offered = carried + blocked, each call ID once. Inbound calls are counted separately.
    """

    as_of_us: int
    generation: int
    status: str
    settings: PoolSettings
    seq: int
    drained: int
    dropped: int
    numbers: int
    idle_up: int
    idle_down: int
    busy_up: int
    busy_down: int
    quarantined: int
    resting: int
    pickable: int
    offered: int
    carried: int
    carried_in: int
    blocked: int
    waiting: int
    old_calls: int
    awaiting: tuple[str, ...]
    open_at_us: int | None
    switches: tuple[str, ...]
    releasing: bool


def show(slug: str) -> Command[PoolFigures | None]:
    """Return the command that reads a pool's figures. Its result is None without a pool."""
    return pool_command("show", slug, [], _figures)


_COUNTS = (
    *("seq", "drained", "dropped", "numbers", "idle_up", "idle_down", "busy_up", "busy_down"),
    *("quarantined", "resting", "pickable", "offered", "carried", "carried_in", "blocked"),
    *("waiting", "old_calls"),
)


def _figures(reply: list[str]) -> PoolFigures | None:
    if reply[0] == "-1":
        return None
    pairs = dict(zip(reply[::2], reply[1::2], strict=True))
    return PoolFigures(
        as_of_us=int(pairs["as_of"]),
        generation=int(pairs["generation"]),
        status=STATUS[pairs["status"]],
        settings=PoolSettings.from_conf(
            pairs["conf"], cast("AddedByScript", pairs["added_by_script"]), pairs["media"]
        ),
        awaiting=tuple(filter(None, pairs["awaiting"].split("\t"))),
        open_at_us=int(pairs["open_at"]) if pairs["open_at"] else None,
        switches=tuple(sorted(json.loads(pairs["switches"]))),
        releasing=bool(pairs["releasing"]),
        **{name: int(pairs[name]) for name in _COUNTS},
    )


@dataclass(frozen=True, slots=True)
class States:
    """Numbers as they are at `as_of_us`. Numbers that do not exist are left out."""

    as_of_us: int
    seq: int
    status: str  # of the pool
    by_number: Mapping[str, NumberState]


def states(slug: str, numbers: Sequence[str]) -> Command[States | None]:
    """Return the command that reads up to 10 000 numbers. Its result is None without a pool."""
    wanted = tuple(numbers)

    def read(reply: list[str]) -> States | None:
        if reply[0] == "-1":
            return None
        found = {}
        for place, number in enumerate(wanted):
            text, lease, region = reply[3 + 3 * place : 6 + 3 * place]
            state = parse_state(number, text, int(lease) if lease else None, region)
            if state is not None:
                found[number] = state
        return States(int(reply[0]), int(reply[2]), STATUS[reply[1][0]], found)

    return pool_command("read", slug, wanted, read)


@dataclass(frozen=True, slots=True)
class Scanned:
    """A part of a walk through the pool. `numbers`: (number, state's JSON, problem or "")."""

    cursor: int
    seq: int
    as_of_us: int
    numbers: tuple[tuple[str, str, str], ...]


def scan(
    slug: str, what: str = "numstate", cursor: int = 0, *, count: int = 500, mend: bool = False
) -> Command[Scanned | None]:
    """Walk numstate, idle, near or timers. Report, or mend, what contradicts the states."""

    def read(reply: list[str]) -> Scanned | None:
        if reply[0] == "-1":
            return None
        triples = tuple(zip(reply[3::3], reply[4::3], reply[5::3], strict=True))
        return Scanned(int(reply[0]), int(reply[1]), int(reply[2]), triples)

    return pool_command("scan", slug, [what, cursor, count, int(mend)], read)


def recount(
    slug: str, seq: int, *, up: int, busy_down: int, quarantined: int, mend: bool = False
) -> Command[tuple[int, int, int] | None]:
    """Compare counters after a full scan. Return their old values, or None if the pool moved."""

    def read(reply: list[str]) -> tuple[int, int, int] | None:
        if reply[0] != "1" or reply[3]:
            return None
        return int(reply[4]), int(reply[5]), int(reply[6])

    return pool_command("recount", slug, [seq, up, busy_down, quarantined, int(mend)], read)
