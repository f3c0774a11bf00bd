"""Commands of a pool other than events, and what comes back."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from numbers.pool.keys import PoolKeys
from numbers.pool.number_state import NumberState, parse_state
from numbers.pool.scripts import SCRIPTS
from numbers.pool.settings import PoolSettings
from numbers.pool.transitions import Outcome, read_outcome
from poolsite.hotpath import Command

T = TypeVar("T")
ROWS_LIMIT: Final = 1_000  # numbers in one call of load, quarantine, label
RELEASE_BATCH: Final = 500
STATUS: Final = {"o": "open", "p": "paused", "r": "recovering"}


def _command(
    script: str,
    slug: str,
    args: Sequence[str | int],
    read: Callable[[list[str]], T],
    repeat: str | None = None,
) -> Command[T]:
    return Command(SCRIPTS[script], PoolKeys(slug).all, tuple(args), read, operation_id=repeat)


# -- a pool's life -----------------------------------------------------------------------------


def create(
    slug: str,
    generation: int,
    settings: PoolSettings,
    *,
    paused: bool = False,
    now: datetime | None = None,
) -> Command[Outcome]:
    """Make the pool's data; the same generation again changes nothing (reason "exists").

    A newer generation removes what an older one left. `now` decides the coming midnights.
    """
    status = "p" if paused else "o"
    return _create(slug, generation, status, _settings_words(settings, now), 0, {})


def recover(
    slug: str,
    generation: int,
    settings: PoolSettings,
    *,
    open_after_seconds: int,
    switches: Mapping[str, str],
    now: datetime | None = None,
) -> Command[Outcome]:
    """Begin a new life of lost data: empty, recovering. Then load(…, event=""), then loaded(…).

    `switches`: name → incarnation of each that may have calls; it opens when all have reported
    or started anew, or after `open_after_seconds` (the longest lease).
    """
    words = _settings_words(settings, now)
    return _create(slug, generation, "r", words, open_after_seconds, switches)


def _create(
    slug: str,
    generation: int,
    status: str,
    settings: Sequence[str | int],
    open_after_seconds: int,
    switches: Mapping[str, str],
) -> Command[Outcome]:
    columns, days, sha1, log_limit = settings
    args: list[str | int] = [generation, status, columns, days, sha1, log_limit, open_after_seconds]
    for name, incarnation in switches.items():
        args += [name, incarnation]
    return _command("create", slug, args, read_outcome, str(generation))


def _settings_words(settings: PoolSettings, now: datetime | None) -> list[str | int]:
    days = " ".join(map(str, settings.midnights(now)))
    return [settings.columns(now), days, SCRIPTS["event"].sha1, settings.log_limit]


def configure(
    slug: str, settings: PoolSettings, *, now: datetime | None = None
) -> Command[Outcome]:
    """Write settings, also each day for the coming midnights. Reason "refresh": scan with mend."""
    columns, days, sha1, log_limit = _settings_words(settings, now)
    return _command("configure", slug, [columns, days, log_limit, sha1], read_outcome, str(columns))


def pause(slug: str, reason: str) -> Command[Outcome]:
    """Answer every `call` with "paused" until resume; other events work."""
    return _command("pause", slug, ["1", reason], read_outcome, "1")


def resume(slug: str, reason: str = "") -> Command[Outcome]:
    return _command("pause", slug, ["0", reason], read_outcome, "0")


def open_now(slug: str, reason: str, *, paused: bool = False) -> Command[Outcome]:
    """An operator opens a recovering pool early."""
    return _command("open", slug, ["now", reason, "p" if paused else "o"], read_outcome, "now")


def loaded(slug: str, *, paused: bool = False) -> Command[Outcome]:
    """Every number of a recovering pool is there; it opens when its switches have reported."""
    args = ["loaded", "rebuilt", "p" if paused else "o"]
    return _command("open", slug, args, read_outcome, "loaded")


def destroy(slug: str, generation: int) -> Command[Outcome]:
    """Remove the pool's data."""
    return _command("destroy", slug, [generation], read_outcome, str(generation))


# -- numbers -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """A number as SQL knows it. `region`: numbers.regions.area; `quarantine`: its reason."""

    number: str
    up: bool = False
    region: str = ""
    quarantine: str = ""


def load(slug: str, rows: Sequence[Row], *, event: str = "add") -> Command[int]:
    """Put up to ROWS_LIMIT numbers in; those that are there stay as they are. Returns how many.

    `event`: the history's word for each; "" writes nothing there (a rebuild). -1 in a reply
    (no such pool, malformed) raises PoolRefusedError.
    """
    args: list[str] = [event]
    for row in rows:
        args += [row.number, "1" if row.up else "0", row.region, row.quarantine]
    return _command("load", slug, args, _count, rows[0].number if rows else None)


def label(slug: str, regions: Mapping[str, str]) -> Command[int]:
    """Give up to ROWS_LIMIT numbers their region ("" = none); returns how many changed."""
    args = [word for pair in regions.items() for word in pair]
    return _command("label", slug, args, _count, args[0] if args else None)


class PoolRefusedError(ValueError):
    """The pool itself refused a command; `reason` is one of numbers.pool.reasons."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _count(reply: list[str]) -> int:
    if reply[0] == "-1":
        raise PoolRefusedError(reply[3])
    return int(reply[1])


def quarantine(slug: str, numbers: Sequence[str], reason: str) -> Command[list[Outcome]]:
    """Take up to ROWS_LIMIT numbers out of picking; running calls and registrations stay."""
    return _command("quarantine", slug, ["1", reason, *numbers], _outcomes, "1")


def unquarantine(slug: str, numbers: Sequence[str], reason: str = "") -> Command[list[Outcome]]:
    return _command("quarantine", slug, ["0", reason, *numbers], _outcomes, "0")


def _outcomes(reply: list[str]) -> list[Outcome]:
    return [read_outcome(reply[i : i + 4]) for i in range(0, len(reply), 4)]


# -- calls -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Forced:
    """What a forced hangup did; the switch is to be told to hang up."""

    code: int
    number: str
    state: str
    reason: str
    call_id: str = ""
    switch: str = ""


def force_hangup(slug: str, number: str, reason: str, *, call_id: str = "") -> Command[Forced]:
    """End the number's call now; with `call_id` only that one."""
    return _command("force_hangup", slug, [number, call_id, reason, "end"], _forced)


def mark_unpaid(slug: str, number: str, call_id: str) -> Command[Forced]:
    """The next interval was refused: live lists no longer keep the call; it ends with its lease."""
    return _command("force_hangup", slug, [number, call_id, "", "unpaid"], _forced, number)


def _forced(reply: list[str]) -> Forced:
    more = dict(zip(reply[4::2], reply[5::2], strict=True))
    return Forced(
        int(reply[0]), reply[1], reply[2], reply[3], more.get("call_id", ""), more.get("switch", "")
    )


def voucher(slug: str, voucher: str, seconds: int, *, call_id: str = "") -> Command[Outcome]:
    """Let one call of a charged pool begin (or be renewed), within `seconds`."""
    return _command("voucher", slug, [voucher, seconds, call_id], read_outcome, voucher)


def revoke_voucher(slug: str, voucher: str) -> Command[Outcome]:
    """Take a voucher back; reason "used" when it is gone."""
    return _command("voucher", slug, [voucher, 0, ""], read_outcome)


@dataclass(frozen=True, slots=True)
class Listed:
    """One call of a switch's live list, as the switch names it."""

    call_id: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class ListPart:
    """What a part of a live list brought. `next_offset`: judge on (live_list with no calls)."""

    code: int
    reason: str
    renewed: int = 0
    next_offset: int | None = None
    adopted: tuple[Listed, ...] = ()
    lease_without_call: tuple[Listed, ...] = ()
    call_without_lease: tuple[Listed, ...] = ()
    released: tuple[Listed, ...] = ()
    hang_up: tuple[Listed, ...] = ()
    conflict: tuple[Listed, ...] = ()


def live_list(
    slug: str,
    switch: str,
    incarnation: str,
    as_of_us: int,
    calls: Sequence[Listed],
    *,
    first: bool,
    last: bool,
    offset: int = 0,
) -> Command[ListPart]:
    """Return the command of one part, up to ROWS_LIMIT calls; see numbers.pool.live_list_parts."""
    # Sixteen digits, so that the script compares them as text; 0 = nothing was received yet.
    args: list[str | int] = [
        *(switch, incarnation, f"{as_of_us:016d}"),
        *(int(first), int(last), offset),
    ]
    for item in calls:
        args += [item.call_id, item.number]
    return _command("live_list", slug, args, _list_part)


def _list_part(reply: list[str]) -> ListPart:
    if reply[0] != "1":
        return ListPart(int(reply[0]), reply[3])
    kinds: dict[str, list[Listed]] = {}
    for i in range(4, len(reply), 3):
        kinds.setdefault(reply[i], []).append(Listed(reply[i + 1], reply[i + 2]))
    return ListPart(
        code=1,
        reason="",
        renewed=int(reply[1]),
        next_offset=int(reply[2]) if reply[2] else None,
        **{kind: tuple(items) for kind, items in kinds.items()},
    )


# -- what time brings --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did; `more`: run it again at once."""

    more: bool = False
    day: int = 0
    opened: int = 0
    released: int = 0
    renewed: int = 0
    suspected: int = 0
    lapsed: int = 0
    expired: int = 0
    forgotten: int = 0


def sweep(slug: str, batch: int = 500) -> Command[Swept | None]:
    """Return the command of one bounded sweep; None = there is no such pool in Redis."""

    def read(reply: list[str]) -> Swept | None:
        if reply[0] != "more":
            return None
        values = {name: int(value) for name, value in zip(reply[::2], reply[1::2], strict=True)}
        return Swept(more=bool(values.pop("more")), **values)

    return _command("sweep", slug, [batch], read)


def release(slug: str, batch: int = RELEASE_BATCH) -> Command[bool]:
    """Release calls of superseded incarnations; returns whether more wait. Run until False."""
    return _command("release", slug, [batch], lambda reply: reply[3] == "more")


# -- reading -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figures:
    """A pool at one moment. Counts are O(1) but `resting` and `pickable`, O(log n).

    offered = carried + blocked, each call id once; inbound calls are counted apart.
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


def show(slug: str) -> Command[Figures | None]:
    """Return the command that reads a pool's figures; None = there is no such pool in Redis."""
    return _command("show", slug, [], _figures)


_COUNTS = (
    *("seq", "drained", "dropped", "numbers", "idle_up", "idle_down", "busy_up", "busy_down"),
    *("quarantined", "resting", "pickable", "offered", "carried", "carried_in", "blocked"),
    *("waiting", "old_calls"),
)


def _figures(reply: list[str]) -> Figures | None:
    if reply[0] == "-1":
        return None
    pairs = dict(zip(reply[::2], reply[1::2], strict=True))
    return Figures(
        as_of_us=int(pairs["as_of"]),
        generation=int(pairs["generation"]),
        status=STATUS[pairs["status"]],
        settings=PoolSettings.from_conf(pairs["conf"]),
        awaiting=tuple(filter(None, pairs["awaiting"].split("\t"))),
        open_at_us=int(pairs["open_at"]) if pairs["open_at"] else None,
        switches=tuple(sorted(json.loads(pairs["switches"]))),
        releasing=bool(pairs["releasing"]),
        **{name: int(pairs[name]) for name in _COUNTS},
    )


@dataclass(frozen=True, slots=True)
class States:
    """Numbers as they are at `as_of_us`; those that are not there are left out."""

    as_of_us: int
    seq: int
    by_number: Mapping[str, NumberState]


def states(slug: str, numbers: Sequence[str]) -> Command[States | None]:
    """Return the command that reads up to 10 000 numbers; None = no such pool."""
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
        return States(int(reply[0]), int(reply[2]), found)

    return _command("read", slug, wanted, read)


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
    """Walk numstate, idle, near or timers; name, or mend, what contradicts the states."""

    def read(reply: list[str]) -> Scanned | None:
        if reply[0] == "-1":
            return None
        triples = tuple(zip(reply[3::3], reply[4::3], reply[5::3], strict=True))
        return Scanned(int(reply[0]), int(reply[1]), int(reply[2]), triples)

    return _command("scan", slug, [what, cursor, count, int(mend)], read)


def recount(
    slug: str, seq: int, *, up: int, busy_down: int, quarantined: int, mend: bool = False
) -> Command[tuple[int, int, int] | None]:
    """Compare counters after a whole scan; returns what they were, None when the pool moved."""

    def read(reply: list[str]) -> tuple[int, int, int] | None:
        if reply[0] != "1" or reply[3]:
            return None
        return int(reply[4]), int(reply[5]), int(reply[6])

    return _command("recount", slug, [seq, up, busy_down, quarantined, int(mend)], read)
