"""Loads a batch's tasks from SQL into Redis before its window opens: a repeatable job.

Tasks are loaded in chunks. Redis knows the batch from the start, and issues none of its tasks
before the window.
"""

import logging
from collections.abc import Iterator, Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from poolsite import hotpath, jobs
from poolsite.jobs import JobHandle, Progress
from queueing.admission import gate as commands
from queueing.admission.models import Gate, Task, TaskBatch
from queueing.admission.services.batches import apply_batch, close_in_sql

logger = logging.getLogger(__name__)

LOAD = "admission.load"
State = TaskBatch.State
LOADED_PER_SECOND = 500  # a busy worker's pace, to start early enough
LEAST_LEAD_SECONDS, LONGEST_LEAD_SECONDS = 60, 600
LOADS_AT_ONCE = 4


def open_windows() -> dict[str, int]:
    """Start loading batches whose window is near, and close those that no worker could load.

    A recovering gate is skipped, because the rebuild loads its batches.
    """
    now = timezone.now()
    due = TaskBatch.objects.filter(
        state=State.SCHEDULED,
        opens_at__lte=now + timedelta(seconds=LONGEST_LEAD_SECONDS),
        gate__recovering_since=None,
    ).select_related("gate")
    done = {"opened": 0, "missed": 0}
    for batch in due.order_by("opens_at", "pk")[:100]:
        if batch.opens_at > now + _lead(batch):
            continue
        if batch.closes_at <= now:
            with transaction.atomic():
                if _take(batch, State.CLOSING):
                    close_in_sql(batch, "window ended", State.ENDED)
                    done["missed"] += 1
            continue
        with transaction.atomic():
            if _take(batch, State.LOADING):
                start_load(batch)
                done["opened"] += 1
    return done


def _lead(batch: TaskBatch) -> timedelta:
    """Return how long before its window a batch is loaded: a minute, and longer if it is large."""
    seconds = LEAST_LEAD_SECONDS + batch.total / LOADED_PER_SECOND
    return timedelta(seconds=min(seconds, LONGEST_LEAD_SECONDS))


def _take(batch: TaskBatch, state: str) -> bool:
    """Move a scheduled batch to a state. Return False if another worker did it first."""
    rows = TaskBatch.objects.filter(pk=batch.pk, state=State.SCHEDULED)
    batch.state = state
    return bool(rows.update(state=state))


def start_load(batch: TaskBatch) -> None:
    """Start the loading job, once at a time for each batch."""
    jobs.start(
        LOAD,
        actor=None,
        account=batch.gate.account,
        data={"batch": batch.pk},
        once=f"batch {batch.pk}",
    )


def resume_loads() -> int:
    """Restart the loading of batches whose job ended without finishing. Return how many."""
    from poolsite.jobs.models import Job

    count = 0
    for batch in TaskBatch.objects.filter(state=State.LOADING).select_related("gate__account"):
        running = Job.objects.filter(kind=LOAD, once=f"batch {batch.pk}").exclude(
            state__in=Job.ENDED
        )
        if batch.gate.recovering_since is None and not running.exists():
            start_load(batch)
            count += 1
    return count


def run_load(job: JobHandle) -> Iterator[Progress]:
    """Load the batch's pending tasks. Loaded tasks are not changed, so this may run twice."""
    batch = TaskBatch.objects.select_related("gate").filter(pk=job.data["batch"]).first()
    if batch is None or batch.state != State.LOADING:
        return
    with _errors():
        apply_batch(batch)
    after, done = int(job.cursor.get("after", 0)), int(job.cursor.get("done", 0))
    tasks = Task.objects.filter(batch=batch, state=Task.State.PENDING)
    while rows := list(tasks.filter(pk__gt=after).order_by("pk")[: LOADS_AT_ONCE * 500]):
        with _errors():
            if not _load(batch.gate, batch, rows):
                break
        after, done = rows[-1].pk, done + len(rows)
        with job.chunk(done=done, total=batch.total, cursor={"after": after, "done": done}):
            pass
        yield Progress(done, batch.total)
    else:
        with _errors():
            say_loaded(batch)
    with job.chunk(done=done, total=batch.total):
        TaskBatch.objects.filter(pk=batch.pk, state=State.LOADING).update(
            state=State.OPEN, loaded_at=timezone.now()
        )


def say_loaded(batch: TaskBatch) -> None:
    """Report that the batch is loaded, so devices without a task stop waiting for it.

    Do nothing if the batch is over.
    """
    try:
        hotpath.run(commands.batch_loaded(batch.gate.slug, batch.pk))
    except commands.GateRefusedError as error:
        if error.reason != commands.reasons.OVER:
            raise


def _load(gate: Gate, batch: TaskBatch, rows: Sequence[Task], *, running: bool = False) -> bool:
    """Load rows into Redis. Return False if the batch was cancelled or its window ended."""
    size = commands.ROWS_LIMIT
    to_run = [
        commands.load(gate.slug, batch.pk, [_row(task, running) for task in rows[at : at + size]])
        for at in range(0, len(rows), size)
    ]
    for outcome in hotpath.run_batch(to_run):
        if (
            isinstance(outcome, commands.GateRefusedError)
            and outcome.reason == commands.reasons.OVER
        ):
            return False
        if isinstance(outcome, hotpath.HotPathError):
            raise outcome
        if outcome[1]:
            logger.warning("admission: %s tasks of %s: device full", outcome[1], batch.pk)
    return True


def _row(task: Task, running: bool) -> commands.StoredTask:
    return commands.StoredTask(
        task.pk,
        task.device,
        task.payload,
        attempt=task.attempt,
        token=task.token or 0,
        running=running and task.state == Task.State.ISSUED,
    )


class _errors:  # noqa: N801  named like a function, as it is used in a with statement
    """End the job if the gate refuses because it is being rebuilt: the watch starts it again.

    While Redis is away, the job waits for its next worker, as every job does.
    """

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, commands.GateRefusedError):
            raise jobs.JobError(f"The gate did not take the tasks: {error}"[:200]) from error


def load_after_loss(gate: Gate) -> int:
    """Load every unfinished batch into a recovering gate. Running tasks keep their token.

    Safe to repeat. Return how many tasks SQL has for the gate.
    """
    count = 0
    batches = TaskBatch.objects.filter(gate=gate, finished_at=None)
    for batch in batches.select_related("gate").order_by("pk"):
        apply_batch(batch)
        if batch.state == State.SCHEDULED:
            continue  # its tasks are loaded when its window is near
        for state in (Task.State.ISSUED, Task.State.PENDING):
            after = 0
            tasks = Task.objects.filter(batch=batch, state=state).order_by("pk")
            while rows := list(tasks.filter(pk__gt=after)[: LOADS_AT_ONCE * 500]):
                if not _load(gate, batch, rows, running=True):
                    break
                after = rows[-1].pk
                count += len(rows)
        if batch.state != State.LOADING:
            say_loaded(batch)
    return count
