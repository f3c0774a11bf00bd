"""Why a device gets no task: the current state in Redis, and its tasks in SQL."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import hotpath
from poolsite.dates import moment
from poolsite.moments import moment_of
from queueing.admission import gate as commands
from queueing.admission.models import Gate, Task, TaskBatch
from queueing.admission.selectors.batches import batch_row, state_of

RECENT: Final = 20  # newest tasks of a device that are checked

# The gate's answer for a device whose task may be issued → reason.
_TURN: Final = {
    "": "next-report",
    commands.reasons.FULL: "full",
    commands.reasons.TURN: "turn",
    commands.reasons.RATE: "rate",
    commands.reasons.PAUSED: "gate-paused",
    commands.reasons.RECOVERING: "recovering",
}
# The state of a batch → reason, for a pending task.
_BATCH: Final = {
    "paused": "batch-paused",
    "soon": "not-open",
    "over": "window-closed",
    "cancelled": "batch-cancelled",
    "gone": "window-closed",
}
_PREFERRED: Final = ("paused", "soon", "over", "cancelled", "gone")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a device gets no task of a gate. `reason`: a key of `_sentences`.

    The other fields are set if they apply. `reported_at`: its last report while it waits. Earlier
    reports are not stored.
    """

    device: str
    reason: str
    task: int | None = None
    batch: TaskBatch | None = None
    attempt: int | None = None
    attempts: int = 0
    place: int | None = None
    estimate_seconds: int | None = None
    retry_seconds: int | None = None
    used: int | None = None
    cap: int | None = None
    ended_at: datetime | None = None
    reported_at: datetime | None = None

    @property
    def text(self) -> str:
        """The reason as a sentence."""
        return _text(self)


def explain(gate: Gate, device: str) -> Explanation:
    """Explain why the device gets no task now. Raise the runner's errors."""
    try:
        now = hotpath.run(commands.explain(gate.slug, device))
    except commands.GateRefusedError as error:
        if error.reason != commands.reasons.NO_SUCH_GATE:
            raise
        return Explanation(device, "recovering")  # it is rebuilt from SQL within seconds
    found = _of_redis(device, now)
    if found is None:
        found = _of_sql(gate, device)
    return replace(
        found,
        attempts=gate.attempts,
        used=now.used,
        cap=now.cap,
        reported_at=moment_of(now.asked_us) if now.asked_us else None,
    )


def _of_redis(device: str, now: commands.DeviceNow) -> Explanation | None:
    """Explain from the gate's data in Redis. Return None if it has no task for the device."""
    if now.running_task is not None:
        task = next((task for task in now.tasks if task.task == now.running_task), None)
        attempt = task.attempt if task else None
        batch = batch_row(task.batch) if task else None
        return Explanation(device, "running", now.running_task, batch, attempt)
    pending = [task for task in now.tasks if task.state == "pending"]
    ready = next((task for task in pending if task.batch_status == "open"), None)
    if ready is not None:
        reason = _TURN[now.why]
        waits = reason not in ("next-report", "gate-paused", "recovering")
        return Explanation(
            *(device, reason, ready.task, batch_row(ready.batch), ready.attempt),
            place=now.place if waits else None,
            estimate_seconds=now.estimate_seconds if waits else None,
            retry_seconds=now.retry_seconds if waits else None,
        )
    for status in _PREFERRED:
        for task in pending:
            if task.batch_status == status:
                return Explanation(
                    device, _BATCH[status], task.task, batch_row(task.batch), task.attempt
                )
    return None


def _of_sql(gate: Gate, device: str) -> Explanation:
    """Explain from SQL: the device's newest task, or one that is not in Redis yet."""
    tasks = Task.objects.filter(device=device, batch__gate=gate).select_related("batch__gate")
    recent = list(tasks.order_by("-pk")[:RECENT])
    waiting = [task for task in recent if task.state == Task.State.PENDING]
    if waiting:
        return _not_loaded(min(waiting, key=lambda task: task.batch.opens_at))
    if not recent:
        return Explanation(device, "no-task")
    task = recent[0]
    return Explanation(
        *(device, _ended(task), task.pk, task.batch, task.attempt), ended_at=task.ended_at
    )


def _not_loaded(task: Task) -> Explanation:
    batch, state = task.batch, state_of(task.batch)
    reason = "loading" if batch.loaded_at is None else "result-pending"
    if state == TaskBatch.State.PAUSED:
        reason = "batch-paused"
    elif state == TaskBatch.State.CANCELLED:
        reason = "batch-cancelled"
    elif batch.opens_at > timezone.now():
        reason = "not-open"
    elif batch.closes_at <= timezone.now():
        reason = "window-closed"
    return Explanation(task.device, reason, task.pk, batch, task.attempt)


def _ended(task: Task) -> str:
    """Return why an ended task gives the device nothing more to do."""
    if task.state == Task.State.DONE:
        return "done"
    if task.state == Task.State.FAILED:
        return "attempts-used" if task.reason == "no result" else "failed"
    if task.state == Task.State.EXPIRED:
        return "batch-cancelled" if task.reason == "cancelled" else "window-closed"
    return "result-pending"  # Redis has the result, and SQL gets it within seconds


# -- as text --------------------------------------------------------------------------------------


def _text(found: Explanation) -> str:
    sentence = _sentences()[found.reason]
    batch = found.batch
    return sentence % {
        "batch": batch.name if batch else "–",
        "opens": moment(batch.opens_at) if batch else "–",
        "closes": moment(batch.closes_at) if batch else "–",
        "used": found.used,
        "cap": found.cap,
        "attempts": found.attempts,
    }


def _sentences() -> dict[str, str]:
    return {
        "running": _("It has a task: each report returns the same one until it reports a result."),
        "next-report": _("It can have one: its next report gets a task."),
        "full": _("All slots are in use (%(used)s of %(cap)s)."),
        "turn": _("A slot is free, but devices that have waited longer come first."),
        "rate": _("The gate has reached its limit of starts per second."),
        "gate-paused": _("The gate is paused."),
        "recovering": _("The gate is recovering after Redis lost its data."),
        "loading": _("The window is open, but the tasks are still loading."),
        "not-open": _("The window of the batch “%(batch)s” opens at %(opens)s."),
        "window-closed": _("The window of the batch “%(batch)s” closed at %(closes)s."),
        "batch-paused": _("The batch “%(batch)s” is paused."),
        "batch-cancelled": _("The batch “%(batch)s” was cancelled."),
        "attempts-used": _(
            "Its task in the batch “%(batch)s” failed: no result after %(attempts)s attempts."
        ),
        "failed": _("Its task in the batch “%(batch)s” failed: the device reported a failure."),
        "done": _("Its task in the batch “%(batch)s” is done."),
        "result-pending": _("Its task has just ended. The result is being saved."),
        "no-task": _("No batch of this gate has a task for this device."),
    }
