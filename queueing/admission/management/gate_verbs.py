"""`manage.py gate`: the verbs for a gate's limit, its permits, its line, and its deletion."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, Final

from django.core.management.base import CommandError

from poolsite import hotpath
from poolsite.aggregates.minutes import minute_of
from queueing.admission import gate as commands
from queueing.admission import selectors, services
from queueing.admission.management.finding import ACTOR, gate_of

Say = Callable[[str], object]
LISTED: Final = 1_000
SERIES: Final = ("used", "cap", "waiting", "granted", "refused", "expired", "overrun")
# Verb → service, message, help, whether a reason is required.
_STEPS: Final[dict[str, tuple[Callable[..., object], str, str, bool]]] = {
    "pause": (services.gate_pause, "paused", "pause a gate: no one is admitted", True),
    "resume": (services.gate_resume, "resumed", "resume a paused gate", False),
    "open": (services.gate_open_early, "open", "open a recovering gate early", True),
    "delete": (services.gate_delete, "deleted", "delete a gate that is not in use", True),
}


def add_verbs(verbs: Any, say: Say) -> None:
    """Add the verbs to the command's parser."""
    for verb, (_service, _done, told, needed) in _STEPS.items():
        one = _add(verbs, verb, told, partial(_step, verb, say))
        one.add_argument("--reason", default="", required=needed)
    resize = _add(
        *(verbs, "resize", "change the concurrency limit; takes effect immediately"),
        lambda options: _resize(options, say),
        aliases=["cap"],
    )
    resize.add_argument("cap", type=int)
    resize.add_argument("--reason", default="")
    pin = _add(
        *(verbs, "pin", "keep an adaptive concurrency limit at this value"),
        lambda options: _pin(options["cap"], options, say),
    )
    pin.add_argument("cap", type=int)
    pin.add_argument("--reason", required=True)
    unpin = _add(
        *(verbs, "unpin", "let a pinned concurrency limit change again"),
        lambda options: _pin(None, options, say),
    )
    unpin.add_argument("--reason", default="")
    told = "list permit holders, earliest deadline first"
    _add(verbs, "holders", told, lambda options: _holders(options, say))
    _add(verbs, "line", "list who waits for a slot", lambda options: _line(options, say))
    _add(verbs, "samples", "list the last hour by minute", lambda options: _samples(options, say))
    told = "say why a device gets no task"
    explain = _add(verbs, "explain", told, lambda options: _explain(options, say))
    explain.add_argument("device")
    free = _add(
        *(verbs, "free", "end a permit; holder: a name, @device or #token"),
        lambda options: _free(options, say),
    )
    free.add_argument("holder")
    free.add_argument("--token", type=int, help="only this permit; default: the current one")
    free.add_argument("--reason", required=True)


def _add(
    verbs: Any, verb: str, told: str, run: Callable[[dict[str, Any]], None], **more: Any
) -> Any:
    one = verbs.add_parser(verb, help=told, **more)
    one.add_argument("slug")
    one.set_defaults(run=run)
    return one


def _step(verb: str, say: Say, options: dict[str, Any]) -> None:
    service, done, _told, _needed = _STEPS[verb]
    gate = gate_of(options["slug"])
    service(actor=ACTOR, gate=gate, reason=options["reason"])
    say(f"{gate.slug}: {done}")


def _resize(options: dict[str, Any], say: Say) -> None:
    gate = gate_of(options["slug"])
    services.gate_resize(actor=ACTOR, gate=gate, cap=options["cap"], reason=options["reason"])
    say(f"{gate.slug}: concurrency limit {options['cap']}")


def _pin(cap: int | None, options: dict[str, Any], say: Say) -> None:
    gate = gate_of(options["slug"])
    services.gate_pin(actor=ACTOR, gate=gate, cap=cap, reason=options["reason"])
    say(f"{gate.slug}: concurrency limit {'unpinned' if cap is None else f'pinned at {cap}'}")


def _holders(options: dict[str, Any], say: Say) -> None:
    found = hotpath.run(commands.holders(gate_of(options["slug"]).slug, 0, LISTED))
    for row in found.rows:
        age, left = found.as_of_us - row.granted_us, row.deadline_us - found.as_of_us
        weight = "" if row.weight == 1 else f"  weight {row.weight}"
        task = "" if row.task is None else f"  task {row.task}"
        say(
            f"{row.holder}  since {age // 1_000_000} s  left {left // 1_000_000} s"
            f"  token {row.token}{weight}{task}"
        )
    say(f"{found.total} permits")


def _line(options: dict[str, Any], say: Say) -> None:
    found = hotpath.run(commands.line(gate_of(options["slug"]).slug, 0, LISTED))
    for place, row in enumerate(found.rows, 1):
        say(f"{place}. {row.who}  waits {(found.as_of_us - row.arrived_us) // 1_000_000} s")
    say(f"{found.total} waiting")


def _explain(options: dict[str, Any], say: Say) -> None:
    gate, device = gate_of(options["slug"]), options["device"]
    if not commands.is_device_name(device):
        raise CommandError(f"{device} is no device ID.")
    found = selectors.explain(gate, device)
    say(f"{device}: {found.reason}. {found.text}")
    told = {
        "task": found.task,
        "batch": found.batch.pk if found.batch else None,
        "attempt": f"{found.attempt} of {found.attempts}" if found.attempt else None,
        "place": found.place,
        "estimate": None if found.estimate_seconds is None else f"{found.estimate_seconds} s",
    }
    for name, value in told.items():
        if value is not None:
            say(f"  {name}: {value}")


def _samples(options: dict[str, Any], say: Say) -> None:
    for row in selectors.GATES.samples(gate_of(options["slug"]), minute_of() - timedelta(hours=1)):
        told = "  ".join(f"{name}={getattr(row, name)}" for name in SERIES)
        say(f"{row.minute:%Y-%m-%d %H:%M}  {told}")


def _free(options: dict[str, Any], say: Say) -> None:
    gate, token = gate_of(options["slug"]), options["token"]
    held = hotpath.run(commands.holder(gate.slug, options["holder"]))
    if held is None:
        raise CommandError(f"{options['holder']} has no permit of {gate.slug}.")
    services.permit_free(
        actor=ACTOR,
        gate=gate,
        holder=held.holder,
        token=held.token if token is None else token,
        reason=options["reason"],
    )
    say(f"{held.holder}: permit ended")
