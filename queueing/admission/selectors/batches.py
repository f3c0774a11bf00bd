"""Batches, their progress, and their tasks."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, CharField, Count, F, Q, QuerySet, Value, When
from django.utils import timezone

from queueing.admission.models import Gate, Task, TaskBatch

COUNTS = ("total", "pending", "issued", "done", "failed", "expired", "late")
ROWS = 2_000
LOADED_AHEAD = (TaskBatch.State.LOADING, TaskBatch.State.OPEN)
WAITING_AFTER = timedelta(seconds=5)


def batch_row(key: int) -> TaskBatch | None:
    """Return a batch with its gate, or None."""
    return TaskBatch.objects.select_related("gate").filter(pk=key).first()


def batch_list(gate: Gate, state: str = "", text: str = "") -> "QuerySet[TaskBatch]":
    """Return a gate's batches, newest window first, filtered by state and by text in the name.

    state: one of `state_of`.
    """
    found = TaskBatch.objects.filter(gate=gate).select_related("gate")
    if text:
        found = found.filter(name__icontains=text)
    if state:
        found = found.annotate(shown=_shown_state()).filter(shown=state)
    return found.order_by("-opens_at", "-pk")


def state_counts(gate: Gate, text: str = "") -> dict[str, int]:
    """Return how many of a gate's batches have each state of `state_of`, without zero counts."""
    rows = batch_list(gate, text=text).order_by().annotate(shown=_shown_state())
    return dict(rows.values_list("shown").annotate(Count("pk")))


def state_of(batch: TaskBatch) -> str:
    """Return the batch's state as pages show it: paused and cancelled show immediately.

    A batch that is loaded early is scheduled until its window opens.
    """
    if batch.cancelled_at is not None:
        return str(TaskBatch.State.CANCELLED)
    if batch.paused_at is not None and batch.finished_at is None:
        return str(TaskBatch.State.PAUSED)
    if batch.state in LOADED_AHEAD and batch.opens_at > timezone.now():
        return str(TaskBatch.State.SCHEDULED)
    return batch.state


def _shown_state() -> Case:
    """Return the SQL expression of `state_of`."""
    state, now = TaskBatch.State, timezone.now()
    return Case(
        When(cancelled_at__isnull=False, then=Value(state.CANCELLED)),
        When(Q(paused_at__isnull=False, finished_at=None), then=Value(state.PAUSED)),
        When(Q(state__in=LOADED_AHEAD, opens_at__gt=now), then=Value(state.SCHEDULED)),
        default=F("state"),
        output_field=CharField(),
    )


def waits_for_worker(batch: TaskBatch, now: datetime) -> bool:
    """Return whether the window is open but the tasks are missing because no worker loads them."""
    loading = batch.state in (TaskBatch.State.SCHEDULED, TaskBatch.State.LOADING)
    over = batch.cancelled_at is not None or batch.finished_at is not None
    return loading and not over and batch.opens_at + WAITING_AFTER < now < batch.closes_at


def batch_out(batch: TaskBatch) -> dict[str, Any]:
    """Return a batch as the API shows it."""
    return {
        "id": batch.pk,
        "name": batch.name,
        "gate": batch.gate.slug,
        "state": state_of(batch),
        "opens_at": batch.opens_at,
        "closes_at": batch.closes_at,
        **{name: getattr(batch, name) for name in COUNTS},
    }


def progress(batch: TaskBatch, now: datetime | None = None) -> dict[str, Any]:
    """Return a batch's progress, and when it will finish at the pace since its window opened.

    eta_seconds: None while no task has ended, or if none is left. in_time: whether the batch
    finishes before the window closes, or None if that is unknown.
    """
    now = now or timezone.now()
    ended = batch.done + batch.failed
    left = batch.pending + batch.issued
    since = (min(now, batch.finished_at or now) - batch.opens_at).total_seconds()
    pace = ended / since if since > 0 and ended else 0.0
    eta = left / pace if pace and left and batch.finished_at is None else None
    return {
        "state": state_of(batch),
        "waits_for_worker": waits_for_worker(batch, now),
        **{name: getattr(batch, name) for name in COUNTS},
        "per_minute": round(pace * 60, 1),
        "eta_seconds": None if eta is None else round(eta),
        "in_time": None if eta is None else eta <= (batch.closes_at - now).total_seconds(),
    }


def task_list(batch: TaskBatch, state: str = "", device: str = "") -> "QuerySet[Task]":
    """Return a batch's tasks in the order of the file. Page them by pk."""
    tasks = Task.objects.filter(batch=batch)
    if state:
        tasks = tasks.filter(state=state)
    if device:
        tasks = tasks.filter(device=device)
    return tasks.order_by("pk")


def failed_list(batch: TaskBatch) -> "QuerySet[Task]":
    """Return a batch's failed and expired tasks, in the order of the file. Page them by pk."""
    ended = (Task.State.FAILED, Task.State.EXPIRED)
    return Task.objects.filter(batch=batch, state__in=ended).order_by("pk")


def failed_rows(batch: TaskBatch) -> Iterator[Task]:
    """Yield the failed and expired tasks, paged by pk: memory does not grow with the batch."""
    after = 0
    tasks = failed_list(batch)
    while rows := list(tasks.filter(pk__gt=after)[:ROWS]):
        yield from rows
        after = rows[-1].pk
