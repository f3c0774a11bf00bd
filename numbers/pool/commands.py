"""Commands of a pool other than events, and what comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from numbers.pool.building import pool_command
from numbers.pool.scripts import SCRIPTS
from numbers.pool.settings import PoolSettings
from numbers.pool.transitions import EventOutcome, read_outcome
from poolsite.hotpath import Command

ROWS_LIMIT: Final = 1_000  # numbers in one call of load, quarantine, label
RELEASE_BATCH: Final = 500
VISIT_SECONDS: Final = 2.0  # between two visits; unasked for 3 s, a pool doubts its clock


# -- a pool's life -----------------------------------------------------------------------------


def create(
    slug: str,
    generation: int,
    settings: PoolSettings,
    *,
    paused: bool = False,
    now: datetime | None = None,
) -> Command[EventOutcome]:
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
) -> Command[EventOutcome]:
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
) -> Command[EventOutcome]:
    columns, days, sha1, log_limit, *beside = settings
    args: list[str | int] = [generation, status, columns, days, sha1, log_limit, open_after_seconds]
    args += beside
    for name, incarnation in switches.items():
        args += [name, incarnation]
    return pool_command("create", slug, args, read_outcome, str(generation))


def _settings_words(settings: PoolSettings, now: datetime | None) -> list[str | int]:
    days = " ".join(map(str, settings.midnights(now)))
    sha1, beside = SCRIPTS["event"].sha1, settings.beside()
    return [settings.columns(now), days, sha1, settings.log_limit, *beside]


def configure(
    slug: str, settings: PoolSettings, *, now: datetime | None = None
) -> Command[EventOutcome]:
    """Write settings, also each day for the coming midnights. Reason "refresh": scan with mend."""
    columns, days, sha1, log_limit, *beside = _settings_words(settings, now)
    args = [columns, days, log_limit, sha1, *beside]
    return pool_command("configure", slug, args, read_outcome, str(columns))


def pause(slug: str, reason: str) -> Command[EventOutcome]:
    """Answer every `call` with "paused" until resume; other events work."""
    return pool_command("pause", slug, ["1", reason], read_outcome, "1")


def resume(slug: str, reason: str = "") -> Command[EventOutcome]:
    return pool_command("pause", slug, ["0", reason], read_outcome, "0")


def open_now(slug: str, reason: str, *, paused: bool = False) -> Command[EventOutcome]:
    """An operator opens a recovering pool early."""
    return pool_command("open", slug, ["now", reason, "p" if paused else "o"], read_outcome, "now")


def loaded(slug: str, *, paused: bool = False) -> Command[EventOutcome]:
    """Every number of a recovering pool is there; it opens when its switches have reported."""
    args = ["loaded", "rebuilt", "p" if paused else "o"]
    return pool_command("open", slug, args, read_outcome, "loaded")


def destroy(slug: str, generation: int) -> Command[EventOutcome]:
    """Remove the pool's data."""
    return pool_command("destroy", slug, [generation], read_outcome, str(generation))


# -- numbers -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredNumber:
    """A number as SQL knows it. `region`: numbers.regions.area; `quarantine`: its reason."""

    number: str
    up: bool = False
    region: str = ""
    quarantine: str = ""


def load(slug: str, rows: Sequence[StoredNumber], *, event: str = "add") -> Command[int]:
    """Put up to ROWS_LIMIT numbers in; those that are there stay as they are. Returns how many.

    `event`: the history's word for each; "" writes nothing there (a rebuild). -1 in a reply
    (no such pool, malformed) raises PoolRefusedError.
    """
    args: list[str] = [event]
    for row in rows:
        args += [row.number, "1" if row.up else "0", row.region, row.quarantine]
    return pool_command("load", slug, args, _count, rows[0].number if rows else None)


def confirm(slug: str, added: Mapping[str, int]) -> Command[int]:
    """SQL has taken numbers that the event `add` brought; returns how many may be picked now.

    `added`: number → the µs of its add, so that a later add of it is not meant.
    """
    args: list[str | int] = [word for pair in added.items() for word in pair]
    return pool_command("confirm", slug, args, _count, str(args[0]) if args else None)


def label(slug: str, regions: Mapping[str, str]) -> Command[int]:
    """Give up to ROWS_LIMIT numbers their region ("" = none); returns how many changed."""
    args = [word for pair in regions.items() for word in pair]
    return pool_command("label", slug, args, _count, args[0] if args else None)


def alias(slug: str, stored: Mapping[str, str]) -> Command[int]:
    """Let up to ROWS_LIMIT numbers be named by their canonical form: it → the stored spelling.

    "" = by none any more. Returns how many were new. Write them before the numbers, so that no
    event misses one.
    """
    args = [word for pair in stored.items() for word in pair]
    return pool_command("alias", slug, args, _count, args[0] if args else None)


class PoolRefusedError(ValueError):
    """The pool itself refused a command; `reason` is one of numbers.pool.reasons."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _count(reply: list[str]) -> int:
    if reply[0] == "-1":
        raise PoolRefusedError(reply[3])
    return int(reply[1])


def quarantine(slug: str, numbers: Sequence[str], reason: str) -> Command[list[EventOutcome]]:
    """Take up to ROWS_LIMIT numbers out of picking; running calls and registrations stay."""
    return pool_command("quarantine", slug, ["1", reason, *numbers], _outcomes, "1")


def unquarantine(
    slug: str, numbers: Sequence[str], reason: str = ""
) -> Command[list[EventOutcome]]:
    return pool_command("quarantine", slug, ["0", reason, *numbers], _outcomes, "0")


def _outcomes(reply: list[str]) -> list[EventOutcome]:
    return [read_outcome(reply[i : i + 4]) for i in range(0, len(reply), 4)]


# -- what time brings --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PoolSwept:
    """What a sweep did; `more`: run it again at once.

    now_us, next_us: Redis' time, and the earliest at which something is due.
    """

    more: bool = False
    day: int = 0
    opened: int = 0
    shortened: int = 0
    released: int = 0
    renewed: int = 0
    suspected: int = 0
    lapsed: int = 0
    expired: int = 0
    forgotten: int = 0
    now_us: int = 0
    next_us: int = 0


def sweep(slug: str, batch: int = 500) -> Command[PoolSwept | None]:
    """Return the command of one bounded sweep; None = there is no such pool in Redis."""

    def read(reply: list[str]) -> PoolSwept | None:
        if reply[0] != "more":
            return None
        values = {name: int(value) for name, value in zip(reply[::2], reply[1::2], strict=True)}
        times = {"now_us": values.pop("now"), "next_us": values.pop("next")}
        return PoolSwept(more=bool(values.pop("more")), **times, **values)

    return pool_command("sweep", slug, [batch], read)


def release(slug: str, batch: int = RELEASE_BATCH) -> Command[bool]:
    """Release calls of superseded incarnations; returns whether more wait. Run until False."""
    return pool_command("release", slug, [batch], lambda reply: reply[3] == "more")
