"""A gate's batches: uploaded, watched, held, ended; what failed as CSV."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from poolsite import access
from poolsite.access import Principal
from poolsite.csv_text import csv_file
from poolsite.operations import tables
from poolsite.operations.pages import principal_of
from poolsite.operations.tables import SqlColumn
from poolsite.operations.templatetags.console import figure
from poolsite.operations.verbs import carry_out, word_of
from queueing.admission import selectors, services
from queueing.admission.errors import AdmissionError
from queueing.admission.forms import BatchForm
from queueing.admission.models import Gate, Task, TaskBatch
from queueing.admission.selectors import gate_get

ROWS = 50
PROBLEMS_SHOWN = 20
FAILED_HEAD = ("device", "payload", "state", "reason", "attempt", "ended at")
ID_LIMIT = 2**63


@require_http_methods(["GET", "HEAD", "POST"])
def batch_list(request: HttpRequest, slug: str) -> HttpResponse:
    """A gate's batches, the newest window first; a POST uploads one more."""
    principal = principal_of(request)
    changes = request.method == "POST"
    gate = gate_get(principal, slug, "admission.batch" if changes else "admission.view")
    may_batch = access.decide(principal, "admission.batch", gate).allowed
    form = BatchForm(request.POST, request.FILES) if changes else BatchForm()
    if changes and (batch := _upload(request, principal, gate, form)) is not None:
        return redirect("admission:batch", batch_id=batch.pk)
    page = request.GET.get("page", "0")
    start = int(page) * ROWS if page.isascii() and page.isdecimal() and len(page) < 6 else 0
    found = list(selectors.batch_list(gate)[start : start + ROWS + 1])
    context = {
        "gate": gate,
        "form": form if may_batch else None,
        "rows": [_row(batch) for batch in found[:ROWS]],
        "shown": _shown(start, len(found[:ROWS])),
        "next_url": f"?page={start // ROWS + 1}" if len(found) > ROWS else "",
        "back_url": f"?page={start // ROWS - 1}" if start else "",
        "topic": f"admission.batches:{gate.slug}",
    }
    return render(request, "admission/batches.html", context, status=422 if changes else 200)


def _row(batch: TaskBatch) -> dict[str, Any]:
    return {"batch": batch, "ended": _ended(batch), **selectors.progress(batch)}


def _ended(batch: TaskBatch) -> int:
    """How many tasks are over, well or not."""
    return batch.done + batch.failed + batch.expired


def _shown(start: int, count: int) -> str:
    """Say which batches of all these are, by their places."""
    if not start:
        return ngettext("%(n)s batch", "%(n)s batches", count) % {"n": count}
    return _("%(first)s to %(last)s") % {"first": start + 1, "last": start + count}


def _upload(
    request: HttpRequest, principal: Principal, gate: Gate, form: BatchForm
) -> TaskBatch | None:
    """Make the batch; None = the form says why not, and nothing was made."""
    if not form.is_valid():
        return None
    given = form.cleaned_data
    try:
        made = services.batch_create(
            actor=principal,
            gate=gate,
            name=given["name"],
            csv=given["file"].chunks(),
            opens_at=given["opens_at"],
            closes_at=given["closes_at"],
            skip_bad=given["skip_bad"],
        )
    except AdmissionError as error:
        problems = [str(problem) for problem in error.more.get("problems", ())]
        form.add_error(None, ValidationError([error.detail, *problems[:PROBLEMS_SHOWN]]))
        return None
    words = ngettext("%(n)s task added.", "%(n)s tasks added.", made.batch.total)
    said = words % {"n": f"{made.batch.total:,}"}
    if made.bad:
        left = ngettext("%(n)s row skipped.", "%(n)s rows skipped.", made.bad)
        said = f"{said} {left % {'n': f'{made.bad:,}'}}"
    messages.success(request, said)
    return made.batch


@require_GET
def batch_page(request: HttpRequest, batch_id: int) -> HttpResponse:
    """How far one batch is, live, and its tasks."""
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
        SqlColumn("ended", _("Ended"), lambda task: tables.moment(task.ended_at)),
    ]


@require_POST
def batch_act(request: HttpRequest, batch_id: int) -> HttpResponse:
    """Pause, resume or cancel. Says what was done, or why nothing was."""
    principal = principal_of(request)
    batch = _batch_of(principal, batch_id, "admission.batch")
    carry_out(request, lambda: _act(principal, batch, request))
    return redirect("admission:batch", batch_id=batch.pk)


def _act(principal: Principal, batch: TaskBatch, request: HttpRequest) -> str:
    verb, reason = request.POST.get("verb", ""), word_of(request, "reason")
    if verb == "pause":
        services.batch_pause(actor=principal, batch=batch, reason=reason)
        return _("Batch paused. Running tasks will finish.")
    if verb == "resume":
        services.batch_resume(actor=principal, batch=batch, reason=reason)
        return _("Batch resumed.")
    if verb == "cancel":
        services.batch_cancel(actor=principal, batch=batch, reason=reason)
        return _("Batch cancelled. Running tasks will finish.")
    raise AdmissionError("malformed", _("Action not found."))


@require_GET
def batch_failed(request: HttpRequest, batch_id: int) -> StreamingHttpResponse:
    """The devices whose task failed or expired, ready to be uploaded again after a look."""
    batch = _batch_of(principal_of(request), batch_id)
    services.batch_catch_up(batch)
    return csv_file(f"batch-{batch.pk}-failed.csv", FAILED_HEAD, _failed(batch), mark="")


def _failed(batch: TaskBatch) -> Iterator[tuple[Any, ...]]:
    for task in selectors.failed_rows(batch):
        ended = task.ended_at.isoformat() if task.ended_at else ""
        yield task.device, task.payload, task.state, task.reason, task.attempt, ended


def _batch_of(principal: Principal, batch_id: int, action: str = "admission.view") -> TaskBatch:
    # That of a deleted gate is gone with it.
    if batch_id >= ID_LIMIT:
        raise Http404
    batches = TaskBatch.objects.select_related("gate__account")
    found = batches.filter(pk=batch_id, gate__deleted_at=None)
    return access.require_one(found, principal, action)
