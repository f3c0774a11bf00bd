"""`manage.py gate`: the verbs for batches and their tasks."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from django.core.files import File

from poolsite.console.commands import moment_of_text
from queueing.admission import selectors, services
from queueing.admission.management.finding import ACTOR, batch_of, gate_of
from queueing.admission.models import Task, TaskBatch

Say = Callable[[str], object]
LISTED: Final = 200
_STEPS: Final[dict[str, tuple[Callable[..., TaskBatch], str, str]]] = {
    "batch-pause": (services.batch_pause, "paused", "pause a batch: no tasks are issued"),
    "batch-resume": (services.batch_resume, "resumed", "resume a paused batch"),
    "batch-cancel": (services.batch_cancel, "cancelled", "cancel a batch permanently"),
}


def add_verbs(verbs: Any, say: Say) -> None:
    """Add the verbs to the command's parser."""
    _add_create(verbs, say)
    listed = verbs.add_parser("batches", help="list the batches of a gate, newest first")
    listed.add_argument("slug")
    listed.add_argument("--state", choices=TaskBatch.State.values)
    listed.set_defaults(run=lambda options: _batches(options, say))
    for verb, (_service, _done, told) in _STEPS.items():
        also = ["cancel"] if verb == "batch-cancel" else []
        one = verbs.add_parser(verb, aliases=also, help=told)
        one.add_argument("slug")
        one.add_argument("batch", type=int)
        one.add_argument("--reason", default="", required=verb != "batch-resume")
        one.set_defaults(run=partial(_steer, verb, say))
    tasks = verbs.add_parser("tasks", help="list the tasks of a batch, in the order of the file")
    tasks.add_argument("slug")
    tasks.add_argument("batch", type=int)
    tasks.add_argument("--state", choices=Task.State.values)
    tasks.add_argument("--device", default="")
    tasks.add_argument("--count", type=int, default=LISTED, help="default: %(default)s")
    tasks.set_defaults(run=lambda options: _tasks(options, say))
    failed = verbs.add_parser("failed", help="list the devices whose task failed or expired")
    failed.add_argument("slug")
    failed.add_argument("batch", type=int)
    failed.set_defaults(run=lambda options: _failed(options, say))


def _add_create(verbs: Any, say: Say) -> None:
    batch = verbs.add_parser("batch", help="create a batch from a CSV file with device and payload")
    batch.add_argument("slug")
    batch.add_argument("file", type=Path)
    batch.add_argument("--name", default="")
    batch.add_argument("--opens", required=True, help="2026-01-31T08:00+08:00")
    batch.add_argument("--closes", required=True)
    batch.add_argument("--skip-bad", action="store_true", help="skip bad rows")
    batch.set_defaults(run=lambda options: _create(options, say))


def _create(options: dict[str, Any], say: Say) -> None:
    with options["file"].open("rb") as file:
        made = services.batch_create(
            actor=ACTOR,
            gate=gate_of(options["slug"]),
            name=options["name"] or options["file"].stem,
            csv=File(file).chunks(),
            opens_at=moment_of_text(options["opens"]),
            closes_at=moment_of_text(options["closes"]),
            skip_bad=options["skip_bad"],
        )
    left_out = f", {made.bad} rows skipped" if made.bad else ""
    say(f"batch {made.batch.pk}: {made.batch.total} tasks{left_out}")


def _batches(options: dict[str, Any], say: Say) -> None:
    gate = gate_of(options["slug"])
    rows = selectors.batch_list(gate, options["state"] or "").order_by("-pk")
    for batch in rows[:LISTED]:
        told = "  ".join(f"{k}={v}" for k, v in selectors.progress(batch).items() if v)
        say(f"batch {batch.pk} {batch.name}: {told}")


def _steer(verb: str, say: Say, options: dict[str, Any]) -> None:
    service, done, _told = _STEPS[verb]
    batch = batch_of(options["slug"], options["batch"])
    service(actor=ACTOR, batch=batch, reason=options["reason"])
    say(f"batch {batch.pk}: {done}")


def _tasks(options: dict[str, Any], say: Say) -> None:
    batch = batch_of(options["slug"], options["batch"])
    rows = selectors.task_list(batch, options["state"] or "", options["device"])
    _say_tasks(islice(rows.iterator(), max(1, options["count"])), say)


def _failed(options: dict[str, Any], say: Say) -> None:
    batch = batch_of(options["slug"], options["batch"])
    services.batch_catch_up(batch)
    _say_tasks(selectors.failed_rows(batch), say)


def _say_tasks(tasks: Iterable[Task], say: Say) -> None:
    for task in tasks:
        why = f"  {task.reason}" if task.reason else ""
        say(f"{task.pk}  {task.device}  {task.state}  attempt {task.attempt}{why}")
