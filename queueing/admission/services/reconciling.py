"""Compares SQL and Redis, task by task, and reconciles them.

The drain writes SQL, so differences are checked again after a drain: an entry that was still on its
way is no drift. Redis is right about what is running, SQL about what exists, what is paused and
what is over.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from django.db import transaction

from poolsite import access, history, hotpath
from poolsite.access.services.actor import Actor, require
from poolsite.history import Aggregate
from queueing.admission import gate as commands
from queueing.admission.models import Gate, Task, TaskBatch
from queueing.admission.services.common import KIND, settings_of
from queueing.admission.services.healing import bring_to_redis
from queueing.admission.services.loading import load_after_loss

ROWS = 500
LOOKS = 3
SAMPLES = 20
SETTINGS, STATUS = "settings differ", "status differs"
BATCH, MISSING, OTHERWISE = "batch not in Redis", "task not in Redis", "task's state differs"
_LETTERS = {
    Task.State.PENDING: "p",
    Task.State.ISSUED: "r",
    Task.State.DONE: "d",
    Task.State.FAILED: "f",
    Task.State.EXPIRED: "x",
}


@dataclass
class GateReport:
    """What was found: kind → how many, and the first names of each. `status`: as on pages."""

    gate: str
    status: str = "open"
    tasks: int = 0
    drift: dict[str, int] = field(default_factory=dict)
    samples: dict[str, list[str]] = field(default_factory=dict)
    mended: bool = False

    def add(self, kind: str, name: object) -> None:
        """Count a difference of this kind."""
        self.drift[kind] = self.drift.get(kind, 0) + 1
        names = self.samples.setdefault(kind, [])
        if len(names) < SAMPLES:
            names.append(str(name))

    @property
    def clean(self) -> bool:
        """Whether SQL and Redis agree."""
        return not self.drift and self.status != "lost"


def gate_reconcile(
    *, gate: Gate, check: bool, actor: Actor = "admission.reconcile", reason: str = ""
) -> GateReport:
    """Compare a gate's SQL and Redis and, unless `check` is set, reconcile them.

    Rows are read in pages, so memory is bounded. A lost gate is only reported: the watch rebuilds
    it. A repair that changed anything is audited.
    """
    require(actor, "admission.operate", gate)
    report = GateReport(gate.slug)
    figures = hotpath.run(commands.show(gate.slug))
    if figures is None or figures.generation != gate.generation:
        report.status = "lost"
        return report
    report.status = figures.status
    _compare_gate(gate, figures, report)
    for batch in _batches(gate):
        if all(found.batch != batch.pk for found in figures.batches):
            report.add(BATCH, batch.pk)
        _compare_tasks(gate, batch, report)
    if report.drift and not check:
        _mend(gate, actor, report, reason)
    return report


def _batches(gate: Gate) -> list[TaskBatch]:
    """Return the batches that Redis must know. A batch that is being loaded is incomplete."""
    states = (TaskBatch.State.OPEN, TaskBatch.State.CLOSING)
    return list(TaskBatch.objects.filter(gate=gate, finished_at=None, state__in=states))


def _compare_gate(gate: Gate, figures: commands.GateFigures, report: GateReport) -> None:
    wanted = settings_of(gate)
    found = figures.settings
    if wanted.adaptive and found.adaptive:
        wanted = replace(wanted, cap=found.cap)  # it changes automatically
    if wanted != found:
        report.add(SETTINGS, gate.slug)
    paused = gate.paused_at is not None
    if figures.status != "recovering" and (figures.status == "paused") != paused:
        report.add(STATUS, figures.status)


def _compare_tasks(gate: Gate, batch: TaskBatch, report: GateReport) -> None:
    for rows in _pages(batch):
        report.tasks += len(rows)
        differing = _differing(gate, rows)
        for _ in range(LOOKS):
            if not differing:
                break
            history.drain(KIND, Aggregate(gate.tag, gate.pk))
            again = list(Task.objects.filter(pk__in=[task.pk for task, _ in differing]))
            differing = _differing(gate, again)
        for task, found in differing:
            report.add(OTHERWISE if found else MISSING, task.pk)


def _pages(batch: TaskBatch) -> Iterator[list[Task]]:
    after = 0
    tasks = Task.objects.filter(batch=batch).defer("payload", "result").order_by("pk")
    while rows := list(tasks.filter(pk__gt=after)[:ROWS]):
        yield rows
        after = rows[-1].pk


def _differing(gate: Gate, rows: Sequence[Task]) -> list[tuple[Task, str]]:
    """Return the tasks whose state differs in Redis. Redis may have forgotten ended tasks."""
    if not rows:
        return []
    found = hotpath.run(commands.states(gate.slug, [task.pk for task in rows]))
    return [
        (task, found[task.pk])
        for task in rows
        if found[task.pk] != _LETTERS[Task.State(task.state)]
        and (found[task.pk] or task.state in (Task.State.PENDING, Task.State.ISSUED))
    ]


def _mend(gate: Gate, actor: Actor, report: GateReport, reason: str) -> None:
    """Update Redis to match SQL and load missing tasks. Other differing tasks are left to Redis."""
    bring_to_redis(gate)
    if report.drift.get(MISSING):
        load_after_loss(gate)
    report.mended = True
    with transaction.atomic():
        access.audit(
            actor=actor,
            action="admission.gate_reconcile",
            thing=gate,
            after={"drift": report.drift, "samples": report.samples},
            reason=reason,
        )
