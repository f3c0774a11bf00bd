"""Creates, configures, resizes, pauses, opens and sweeps a gate, and reports observed counts."""

from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.admission.gate.building import gate_command
from queueing.admission.gate.reasons import check
from queueing.admission.gate.scripts import SCRIPTS
from queueing.admission.gate.settings import GateSettings

# At most between two visits. A gate that was not used for 3 s doubts its clock
# (lua/modules/clock.lua).
VISIT_SECONDS: Final = 2.0


def _reason(reply: list[str]) -> str:
    return check(reply)[3]


def create(
    slug: str, generation: int, settings: GateSettings, *, paused: bool = False
) -> Command[str]:
    """Create the gate's data. The same generation again changes nothing and returns "exists"."""
    status = "p" if paused else "o"
    return _create(slug, generation, settings, status, 0, status)


def recover(
    slug: str,
    generation: int,
    settings: GateSettings,
    *,
    open_after_seconds: int,
    paused: bool = False,
) -> Command[str]:
    """Start a new generation after a loss: the whole cap counts as used.

    Call load(…) and then loaded(…) afterwards.
    """
    becomes = "p" if paused else "o"
    return _create(slug, generation, settings, "r", open_after_seconds, becomes)


def _create(
    slug: str,
    generation: int,
    settings: GateSettings,
    status: str,
    open_after_seconds: int,
    becomes: str,
) -> Command[str]:
    args: list[str | int] = [
        *(f"{generation:016d}", status, settings.columns(), settings.adapt()),
        *(SCRIPTS["acquire"].sha1, open_after_seconds, becomes),
    ]
    return gate_command("create", slug, args, _reason, str(generation))


def configure(slug: str, settings: GateSettings, *, keep_cap: bool = True) -> Command[str]:
    """Write settings. With `keep_cap` an adaptive cap keeps its value, within its bounds."""
    args = [settings.columns(), settings.adapt(), SCRIPTS["acquire"].sha1, str(int(keep_cap))]
    return gate_command("configure", slug, args, _reason, args[0])


@dataclass(frozen=True, slots=True)
class Resized:
    """The cap before the change, and the permits in use at that moment."""

    before: int
    used: int
    repeat: bool


def resize(slug: str, cap: int, *, adaptive: bool = False, reason: str = "") -> Command[Resized]:
    """Change the cap, effective immediately. `adaptive`: whether it may change automatically."""

    def read(reply: list[str]) -> Resized:
        check(reply)
        return Resized(int(reply[1]), int(reply[2]), bool(reply[3]))

    return gate_command("resize", slug, [cap, int(adaptive), reason], read, str(cap))


def pause(slug: str, reason: str) -> Command[str]:
    """Admit no one until resume. A recovering gate stores this and refuses with "recovering"."""
    return gate_command("pause", slug, ["1", reason], _reason, "1")


def resume(slug: str, reason: str = "") -> Command[str]:
    return gate_command("pause", slug, ["0", reason], _reason, "0")


def open_now(slug: str, reason: str, *, paused: bool = False) -> Command[str]:
    """Open a recovering gate early, for an operator."""
    return gate_command("open", slug, ["now", reason, "p" if paused else "o"], _reason, "now")


def loaded(slug: str, *, paused: bool = False) -> Command[str]:
    """Report that every task of a recovering gate is loaded. It opens when the time comes."""
    return gate_command("open", slug, ["loaded", "", "p" if paused else "o"], _reason, "loaded")


def destroy(slug: str, generation: int) -> Command[str]:
    """Remove the gate's data."""
    return gate_command("destroy", slug, [f"{generation:016d}"], _reason, str(generation))


@dataclass(frozen=True, slots=True)
class GateSwept:
    """The result of a sweep. `more`: call sweep again immediately.

    `cap`: the adaptive cap's new value. now_us, next_us: Redis' time, and the earliest time at
    which something is due.
    """

    more: bool
    opened: bool
    expired: int
    silent: int
    closed: int
    cap: int | None
    now_us: int
    next_us: int


def sweep(slug: str, batch: int = 500) -> Command[GateSwept | None]:
    """Do what is due, at most `batch` of each kind. Return None if the gate is missing."""

    def read(reply: list[str]) -> GateSwept | None:
        if reply[0] == "-1":
            return None
        pairs = dict(zip(reply[::2], reply[1::2], strict=True))
        return GateSwept(
            more=pairs["more"] == "1",
            opened=pairs["opened"] == "1",
            expired=int(pairs["expired"]),
            silent=int(pairs["silent"]),
            closed=int(pairs["closed"]),
            cap=int(pairs["cap"]) if pairs["cap"] else None,
            now_us=int(pairs["now"]),
            next_us=int(pairs["next"]),
        )

    return gate_command("sweep", slug, [batch], read, "sweep")


@dataclass(frozen=True, slots=True)
class Observed:
    """The gate's cap and use, compared with the external system's own count."""

    cap: int
    used: int
    over: bool


def observe(
    slug: str,
    count: int,
    *,
    good: int | None = None,
    bad: int | None = None,
    took_ms: int | None = None,
) -> Command[Observed]:
    """Report the external system's current clients, and what it served since its last report."""

    def read(reply: list[str]) -> Observed:
        check(reply)
        return Observed(int(reply[1]), int(reply[2]), reply[3] == "over")

    arguments = ["" if value is None else str(value) for value in (good, bad, took_ms)]
    return gate_command("observe", slug, [str(count), *arguments], read)
