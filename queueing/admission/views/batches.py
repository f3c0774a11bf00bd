"""A gate's batches: upload, watch, pause, cancel, and the failed devices as CSV."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from poolsite import access
from poolsite.access import Principal
from poolsite.console import tables
from poolsite.console.form_pages import saved
from poolsite.console.pages import principal_of
from poolsite.console.sentences import Names
from poolsite.console.tables import SqlColumn
from poolsite.console.templatetags.console import figure
from poolsite.console.verbs import act, word_of
from poolsite.csv_text import csv_file
from poolsite.moments import iso
from queueing.admission import selectors, services
from queueing.admission.forms import BatchForm
from queueing.admission.models import Task, TaskBatch
from queueing.admission.selectors import GATES

FAILED_HEAD = ("device", "payload", "state", "reason", "attempt", "ended at")
ID_LIMIT = 2**63


@require_http_methods(["GET", "HEAD", "POST"])
def batch_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List a gate's batches, newest window first. A POST uploads another batch."""
    principal = principal_of(request)
    changes = request.method == "POST"
    gate = GATES.get(principal, slug, "admission.batch" if changes else "admission.view")
    may_batch = access.decide(principal, "admission.batch", gate).allowed
    form = BatchForm(request.POST, request.FILES) if changes else BatchForm()
    save = partial(services.batch_create, actor=principal, gate=gate)
    if sent := saved(form, save, partial(_uploaded, request), given=form.given):
        return sent
    text = tables.text_of(request, "q")
    counts = selectors.state_counts(gate, text)
    state = tables.choice_of(request, "state", _("State"), _states(counts))
    total = counts.get(state.value, 0) if state.value else sum(counts.values())
    answer = tables.answer(
        request,
        "admission/batches.html",
        selectors.batch_list(gate, state.value, text),
        _batch_columns(),
        given={"q": text, "state": state.value},
        file=f"batches-{gate.slug}",
        default="-window",
        dress=_rows,
        context={
            "gate": gate,
            "form": form if may_batch else None,
            "text": text,
            "choices": [state],
            "shown": ngettext("%(n)s batch", "%(n)s batches", total) % {"n": figure(total)},
            "topic": f"admission.batches:{gate.slug}",
        },
    )
    if changes:
        answer.status_code = 422
    return answer


def _states(counts: dict[str, int]) -> list[tuple[str, str]]:
    """Return the states to choose from, with the rows' labels and the count of each."""
    labels = dict(TaskBatch.State.choices) | {TaskBatch.State.OPEN: _("In progress")}
    options = [
        (value, f"{capfirst(str(label))} ({figure(counts.get(value, 0))})")
        for value, label in labels.items()
    ]
    return [("", _("All states")), *options]


def _rows(batches: list[TaskBatch]) -> list[dict[str, Any]]:
    names = Names({batch.created_by for batch in batches})
    return [
        {
            "batch": batch,
            "by": names.of(batch.created_by),
            "ended": _ended(batch),
            **selectors.progress(batch),
        }
        for batch in batches
    ]


def _ended(batch: TaskBatch) -> int:
    """Return how many tasks have ended, successfully or not."""
    return batch.done + batch.failed + batch.expired


def _batch_columns() -> list[SqlColumn[TaskBatch]]:
    return [
        SqlColumn("name", _("Batch"), lambda row: row.name, order=("name",)),
        SqlColumn("state", _("State"), selectors.state_of),
        SqlColumn(
            "window",
            _("Window"),
            lambda row: iso(row.opens_at),
            falls=True,
            order=("opens_at", "pk"),
        ),
        SqlColumn("closes", "", lambda row: iso(row.closes_at)),
        SqlColumn("progress", _("Progress"), _ended),
        SqlColumn("tasks", "", lambda row: row.total),
        SqlColumn("running", _("Running"), lambda row: row.issued, right=True),
        SqlColumn("failed", _("Failed"), lambda row: row.failed, right=True, order=("failed",)),
        SqlColumn("expired", _("Expired"), lambda row: row.expired, right=True, order=("expired",)),
        SqlColumn("by", _("By"), lambda row: row.created_by),
        SqlColumn("uploaded", "", lambda row: iso(row.created_at)),
    ]


def _uploaded(request: HttpRequest, made: services.Uploaded) -> HttpResponse:
    """Redirect to the new batch, with a message of how many tasks it has."""
    text = ngettext("%(n)s task added.", "%(n)s tasks added.", made.batch.total)
    message = text % {"n": f"{made.batch.total:,}"}
    if made.bad:
        left = ngettext("%(n)s row skipped.", "%(n)s rows skipped.", made.bad)
        message = f"{message} {left % {'n': f'{made.bad:,}'}}"
    messages.success(request, message)
    return redirect("admission:batch", batch_id=made.batch.pk)


@require_GET
def batch_page(request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show a batch's progress, live, and its tasks."""
    principal = principal_of(request)
    batch = _batch_of(principal, batch_id)
    device = tables.text_of(request, "q", 63)
    options = [("", _("All states")), *Task.State.choices]
    state = tables.choice_of(request, "state", _("State"), options)
    progress = selectors.progress(batch)
    return tables.answer(
        request,
        "admission/batch.html",
        selectors.task_list(batch, state.value, device),
        _task_columns(),
        given={"q": device, "state": state.value},
        file=f"batch-{batch.pk}",
        default="row",
        counted=lambda n: ngettext("%(n)s task", "%(n)s tasks", n) % {"n": figure(n)},
        context={
            "batch": batch,
            "by": Names().of(batch.created_by),
            "gate": batch.gate,
            "progress": progress,
            "ended": _ended(batch),
            "over": batch.finished_at is not None or batch.cancelled_at is not None,
            "may_batch": access.decide(principal, "admission.batch", batch).allowed,
            "text": device,
            "choices": [state],
            "page": {"id": batch.pk, "state": progress["state"]},
        },
    )


def _task_columns() -> list[SqlColumn[Task]]:
    return [
        SqlColumn("row", "", lambda task: task.pk, order=("pk",)),
        SqlColumn("device", _("Device"), lambda task: task.device, order=("device",)),
        SqlColumn("state", _("State"), lambda task: task.state),
        SqlColumn("attempt", _("Attempt"), lambda task: task.attempt, right=True),
        SqlColumn("reason", _("Reason"), lambda task: task.reason),
        SqlColumn("ended", _("Ended"), lambda task: iso(task.ended_at)),
    ]


@require_POST
def batch_act(request: HttpRequest, batch_id: int) -> HttpResponse:
    """Pause, resume or cancel a batch, and show what was done, or why nothing was."""
    batch = _batch_of(principal_of(request), batch_id, "admission.batch")
    act(request, {"pause": _pause, "resume": _resume, "cancel": _cancel}, batch)
    return redirect("admission:batch", batch_id=batch.pk)


def _pause(principal: Principal, batch: TaskBatch, request: HttpRequest) -> str:
    services.batch_pause(actor=principal, batch=batch, reason=word_of(request, "reason"))
    return _("Batch paused. Running tasks will finish.")


def _resume(principal: Principal, batch: TaskBatch, request: HttpRequest) -> str:
    services.batch_resume(actor=principal, batch=batch, reason=word_of(request, "reason"))
    return _("Batch resumed.")


def _cancel(principal: Principal, batch: TaskBatch, request: HttpRequest) -> str:
    services.batch_cancel(actor=principal, batch=batch, reason=word_of(request, "reason"))
    return _("Batch cancelled. Running tasks will finish.")


@require_GET
def batch_failed(request: HttpRequest, batch_id: int) -> StreamingHttpResponse:
    """Return the devices whose task failed or expired, as CSV to check and upload again."""
    batch = _batch_of(principal_of(request), batch_id)
    services.batch_catch_up(batch)
    return csv_file(f"batch-{batch.pk}-failed.csv", FAILED_HEAD, _failed(batch), mark="")


def _failed(batch: TaskBatch) -> Iterator[tuple[Any, ...]]:
    for task in selectors.failed_rows(batch):
        ended = task.ended_at.isoformat() if task.ended_at else ""
        yield task.device, task.payload, task.state, task.reason, task.attempt, ended


def _batch_of(principal: Principal, batch_id: int, action: str = "admission.view") -> TaskBatch:
    # The batches of a deleted gate are hidden, too.
    if batch_id >= ID_LIMIT:
        raise Http404
    batches = TaskBatch.objects.select_related("gate__account")
    found = batches.filter(pk=batch_id, gate__deleted_at=None)
    return access.require_one(found, principal, action)
