"""What decides whether a device gets a task now, for explanations of why it gets none."""

import re
from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.admission.gate.building import gate_command
from queueing.admission.gate.permits import number
from queueing.admission.gate.reasons import check

_DEVICE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,62}")


def is_device_name(text: str) -> bool:
    """Return whether a device can have this name."""
    return _DEVICE.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class PendingTask:
    """A task of the device that has not ended.

    `batch_status`: soon, open, paused, over, cancelled, or gone. `opens_us`: None if not known.
    """

    task: int
    state: str
    attempt: int
    batch: int
    batch_status: str
    opens_us: int | None
    ends_us: int


@dataclass(frozen=True, slots=True)
class DeviceNow:
    """A device at a gate at one moment.

    `why`: the reason it would get no permit now, or "" if it would. `asked_us`: its last report
    while it waits, or None if it does not wait.
    """

    as_of_us: int
    status: str
    cap: int
    used: int
    why: str
    place: int | None
    estimate_seconds: int | None
    retry_seconds: int | None
    running_task: int | None
    token: int | None
    deadline_us: int | None
    arrived_us: int | None
    asked_us: int | None
    tasks: tuple[PendingTask, ...]


def explain(slug: str, device: str) -> Command[DeviceNow]:
    """Return the command that reads a device's state without changing anything."""
    return gate_command("explain", slug, [device], _device)


def _device(reply: list[str]) -> DeviceNow:
    check(reply)
    pairs: dict[str, str] = {}
    tasks = []
    for name, value in zip(reply[::2], reply[1::2], strict=True):
        if name == "task":
            tasks.append(_task(value))
        else:
            pairs[name] = value
    return DeviceNow(
        as_of_us=int(pairs["as_of"]),
        status=pairs["status"],
        cap=int(pairs["cap"]),
        used=int(pairs["used"]),
        why=pairs["why"],
        place=number(pairs["place"]),
        estimate_seconds=number(pairs["estimate"]),
        retry_seconds=number(pairs["again"]),
        running_task=number(pairs.get("permit_task", "")),
        token=number(pairs.get("token", "")),
        deadline_us=number(pairs.get("deadline", "")),
        arrived_us=number(pairs.get("arrived", "")),
        asked_us=number(pairs.get("asked", "")),
        tasks=tuple(tasks),
    )


def _task(text: str) -> PendingTask:
    task, state, attempt, batch, status, opens, ends = text.split()
    return PendingTask(
        int(task), state, int(attempt), int(batch), status, int(opens) or None, int(ends)
    )
