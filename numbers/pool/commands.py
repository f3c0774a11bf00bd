"""Commands of a pool other than events, and their results."""

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
VISIT_SECONDS: Final = 2.0  # between two visits; a gap of over 3 s counts as a clock jump


# -- a pool's lifecycle ------------------------------------------------------------------------


def create(
    slug: str,
    generation: int,
    settings: PoolSettings,
    *,
    paused: bool = False,
    now: datetime | None = None,
) -> Command[EventOutcome]:
    """Create the pool's data. Repeating the same generation changes nothing (reason "exists").

    A newer generation removes the data of an older one. `now` determines the coming midnights.
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
    """Begin a new generation of lost data: empty and recovering.

    Then call load(…, event="") and loaded(…). `switches`: name → incarnation of each switch that
    may have calls. The pool opens when all of them have reported or restarted, or after
    `open_after_seconds` (the longest lease).
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
    """Write settings; repeat daily for the coming midnights. Reason "refresh": scan with mend."""
    columns, days, sha1, log_limit, *beside = _settings_words(settings, now)
    args = [columns, days, log_limit, sha1, *beside]
    return pool_command("configure", slug, args, read_outcome, str(columns))


def pause(slug: str, reason: str) -> Command[EventOutcome]:
    """Answer every `call` with "paused" until resume. Other events work."""
    return pool_command("pause", slug, ["1", reason], read_outcome, "1")


def resume(slug: str, reason: str = "") -> Command[EventOutcome]:
    return pool_command("pause", slug, ["0", reason], read_outcome, "0")


def open_now(slug: str, reason: str, *, paused: bool = False) -> Command[EventOutcome]:
    """Open a recovering pool early, for an operator."""
    return pool_command("open", slug, ["now", reason, "p" if paused else "o"], read_outcome, "now")


def loaded(slug: str, *, paused: bool = False) -> Command[EventOutcome]:
    """Report that a recovering pool has every number. It opens when its switches have reported."""
    args = ["loaded", "rebuilt", "p" if paused else "o"]
    return pool_command("open", slug, args, read_outcome, "loaded")


def destroy(slug: str, generation: int) -> Command[EventOutcome]:
    """Remove the pool's data."""
    return pool_command("destroy", slug, [generation], read_outcome, str(generation))


# -- numbers -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredNumber:
    """A number from SQL. `region`: see numbers.regions.area. `quarantine`: the reason, or ""."""

    number: str
    up: bool = False
    region: str = ""
    quarantine: str = ""


def load(slug: str, rows: Sequence[StoredNumber], *, event: str = "add") -> Command[int]:
    """Add up to ROWS_LIMIT numbers. Existing ones stay as they are. Return how many were added.

    `event`: the event of each number in the history; "" writes none (a rebuild). Raise
    PoolRefusedError if there is no such pool or an argument is malformed.
    """
    args: list[str] = [event]
    for row in rows:
        args += [row.number, "1" if row.up else "0", row.region, row.quarantine]
    return pool_command("load", slug, args, _count, rows[0].number if rows else None)


def confirm(slug: str, added: Mapping[str, int]) -> Command[int]:
    """Confirm numbers of the event `add` that SQL has stored. Return how many can be picked now.

    `added`: number → the µs of its add, so that a later add of the same number is not confirmed.
    """
    args: list[str | int] = [word for pair in added.items() for word in pair]
    return pool_command("confirm", slug, args, _count, str(args[0]) if args else None)


def label(slug: str, regions: Mapping[str, str]) -> Command[int]:
    """Set the region of up to ROWS_LIMIT numbers ("" for none). Return how many changed."""
    args = [word for pair in regions.items() for word in pair]
    return pool_command("label", slug, args, _count, args[0] if args else None)


def alias(slug: str, stored: Mapping[str, str]) -> Command[int]:
    """Make up to ROWS_LIMIT numbers known by their canonical form. Return how many are new.

    `stored`: canonical form → the stored format, or "" to remove the alias. Write aliases before
    the numbers, so that no event misses one.
    """
    args = [word for pair in stored.items() for word in pair]
    return pool_command("alias", slug, args, _count, args[0] if args else None)


class PoolRefusedError(ValueError):
    """The pool itself refused a command. `reason` is one of numbers.pool.reasons."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _count(reply: list[str]) -> int:
    if reply[0] == "-1":
        raise PoolRefusedError(reply[3])
    return int(reply[1])


def quarantine(slug: str, numbers: Sequence[str], reason: str) -> Command[list[EventOutcome]]:
    """Quarantine up to ROWS_LIMIT numbers. Calls in progress and registrations stay."""
    return pool_command("quarantine", slug, ["1", reason, *numbers], _outcomes, "1")


def unquarantine(
    slug: str, numbers: Sequence[str], reason: str = ""
) -> Command[list[EventOutcome]]:
    return pool_command("quarantine", slug, ["0", reason, *numbers], _outcomes, "0")


def _outcomes(reply: list[str]) -> list[EventOutcome]:
    return [read_outcome(reply[i : i + 4]) for i in range(0, len(reply), 4)]


# -- timers ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PoolSwept:
    """The result of a sweep. `more`: run it again immediately.

    `now_us` is Redis' time; `next_us` is the earliest time at which something is due.
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
    """Return the command of one bounded sweep. Its result is None if Redis has no such pool."""

    def read(reply: list[str]) -> PoolSwept | None:
        if reply[0] != "more":
            return None
        values = {name: int(value) for name, value in zip(reply[::2], reply[1::2], strict=True)}
        times = {"now_us": values.pop("now"), "next_us": values.pop("next")}
        return PoolSwept(more=bool(values.pop("more")), **times, **values)

    return pool_command("sweep", slug, [batch], read)


def release(slug: str, batch: int = RELEASE_BATCH) -> Command[bool]:
    """Release calls of superseded incarnations. Return whether more wait: repeat until False."""
    return pool_command("release", slug, [batch], lambda reply: reply[3] == "more")
