"""Turns history entries into rows: events, tasks and the batches' counts."""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_noop

from poolsite import history, sql_bulk
from poolsite.history import StreamEntry
from poolsite.moments import moment_of
from poolsite.operations import incidents
from queueing.admission import gate as commands
from queueing.admission.models import Gate, GateEvent, Task, TaskBatch

logger = logging.getLogger(__name__)

State, BatchState = Task.State, TaskBatch.State
OVER = (State.DONE, State.FAILED, State.EXPIRED)
ROWS = 500
RECOVERING = "admission.recovering"
_FIELDS = (
    *("state", "attempt", "token", "issued_at", "deadline_at", "ended_at"),
    *("reason", "result", "late_results"),
)


def write_entries(gate_id: int, generation: int, entries: Sequence[StreamEntry]) -> None:
    """Write a page of a gate's history, inside the drain's transaction."""
    changes = [_read(entry) for entry in entries]
    events = [
        (entry, _event(entry, change)) for entry, change in zip(entries, changes, strict=True)
    ]
    history.services.insert_rows(GateEvent, gate_id, generation, events)
    known = [change for change in changes if change is not None]
    _Work(gate_id).apply(known)
    for change in known:
        if change.event == "opened":
            transaction.on_commit(lambda: note_opened(gate_id))


def _read(entry: StreamEntry) -> commands.GateChange | None:
    try:
        return commands.read_change(entry.fields, entry.at_us)
    except (KeyError, ValueError):
        logger.warning("admission: entry %s was written by a strange hand", entry.seq)
        return None


def _event(entry: StreamEntry, change: commands.GateChange | None) -> dict[str, Any]:
    if change is None:
        return {"event": "unreadable", "data": str(dict(entry.fields))[:1_000]}
    return {
        "event": change.event,
        "holder": change.holder[:64],
        "token": change.token,
        "deadline_us": change.deadline_us,
        "task": change.task,
        "attempt": change.attempt,
        "batch": change.batch,
        "reason": change.reason[:200],
        "data": change.data,
    }


@dataclass
class _Work:
    """Applies a page of history to its tasks and batches."""

    gate_id: int

    def apply(self, changes: Sequence[commands.GateChange]) -> None:
        tasks = self._tasks(change.task for change in changes if change.task is not None)
        before = {key: (task.state, task.late_results) for key, task in tasks.items()}
        for change in changes:
            task = tasks.get(change.task or 0)
            if task is not None:
                _move(task, change)
        moved = [task for task in tasks.values() if task.state != State.EXPIRED or task.token]
        sql_bulk.update(Task, [vars(task) for task in moved], _FIELDS)
        counts: dict[int, Counter[str]] = defaultdict(Counter)
        for key, task in tasks.items():
            state, late = before[key]
            counts[task.batch_id][state] -= 1
            counts[task.batch_id][task.state] += 1
            counts[task.batch_id]["late"] += task.late_results - late
        for change in changes:
            self._batch(change, counts)
        for batch, delta in counts.items():
            _count(batch, delta)

    def _tasks(self, wanted: Iterable[int]) -> dict[int, Task]:
        keys = sorted(set(wanted))
        found: dict[int, Task] = {}
        for start in range(0, len(keys), ROWS):
            rows = Task.objects.filter(
                pk__in=keys[start : start + ROWS], batch__gate_id=self.gate_id
            ).defer("payload")
            found.update({row.pk: row for row in rows})
        return found

    def _batch(self, change: commands.GateChange, counts: dict[int, Counter[str]]) -> None:
        if change.batch is None:
            return
        rows = TaskBatch.objects.filter(pk=change.batch, gate_id=self.gate_id)
        unfinished = rows.filter(finished_at=None)
        if change.event == "closed":
            _expire(change.batch, change.tasks, change, counts)
        elif change.event in ("ended", "cancelled"):
            unfinished.update(state=BatchState.CLOSING)
        elif change.event == "finished":
            _expire(change.batch, None, change, counts)
            cancelled = unfinished.exclude(cancelled_at=None)
            cancelled.update(state=BatchState.CANCELLED, finished_at=moment_of(change.at_us))
            unfinished.update(state=BatchState.ENDED, finished_at=moment_of(change.at_us))


def _move(task: Task, change: commands.GateChange) -> None:
    """Apply an entry to a task. A task that has ended is not changed, except for late results."""
    if change.event == "late":
        task.late_results += 1
        return
    if task.state in OVER:
        if change.event in ("issued", "done", "failed", "returned"):
            logger.error("admission: task %s had ended before %s", task.pk, change.event)
        return
    if change.event in ("issued", "adopted"):
        task.state, task.token, task.attempt = State.ISSUED, change.token, change.attempt or 1
        task.issued_at = moment_of(change.at_us)
        task.deadline_at = moment_of(change.deadline_us) if change.deadline_us else None
    elif change.event == "renewed" and change.deadline_us:
        task.deadline_at = moment_of(change.deadline_us)
    elif change.event == "returned":
        task.state, task.attempt, task.deadline_at = State.PENDING, change.attempt or 1, None
    elif change.event in ("done", "failed"):
        task.state = State.DONE if change.event == "done" else State.FAILED
        task.ended_at, task.reason, task.result = (
            moment_of(change.at_us),
            change.reason,
            change.data,
        )
        task.token, task.deadline_at = change.token or task.token, None


def _expire(
    batch: int,
    tasks: list[int] | None,
    change: commands.GateChange,
    counts: dict[int, Counter[str]],
) -> None:
    """Expire pending tasks of a batch that is over: the given tasks, or all if None."""
    pending = Task.objects.filter(batch_id=batch, state=State.PENDING)
    if tasks is not None:
        pending = pending.filter(pk__in=tasks)
    reason = change.reason or "window ended"
    count = pending.update(state=State.EXPIRED, reason=reason, ended_at=moment_of(change.at_us))
    counts[batch][State.PENDING] -= count
    counts[batch][State.EXPIRED] += count


def _count(batch: int, delta: Counter[str]) -> None:
    names = ("pending", "issued", "done", "failed", "expired", "late")
    changes = {name: F(name) + delta[name] for name in names if delta[name]}
    if changes:
        TaskBatch.objects.filter(pk=batch).update(**changes)


def note_opened(gate_id: int) -> None:
    """Close the incident of a gate that has reopened, and clear its mark."""
    Gate.all_objects.filter(pk=gate_id).update(recovering_since=None)
    slug = Gate.all_objects.values_list("slug", flat=True).get(pk=gate_id)
    incidents.close(type=RECOVERING, object=slug)


def say_recovering(gate: Gate, why: str) -> None:
    """Open the incident of a gate that Redis lost."""
    incidents.open(
        type=RECOVERING,
        object=gate.slug,
        severity="critical",
        title=gettext_noop("Gate %(gate)s is recovering"),
        detail=gettext_noop(
            "Redis lost its data (%(why)s). All slots count as used until the permits "
            "granted before have ended or their holders have reported."
        ),
        remedy=gettext_noop("Wait, or open the gate early and give a reason."),
        url=f"/gates/{gate.slug}/",
        account=gate.account_id,
        params={"gate": gate.slug, "why": why},
    )
