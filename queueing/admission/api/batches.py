"""The routes of a gate's batches and their tasks."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status
from ninja.params import functions as param

from poolsite.access import principal_of_request
from poolsite.api.pages import Page, PageIn, page
from queueing.admission import selectors, services
from queueing.admission.api.common import Slug, batch_of, gate_of
from queueing.admission.api.managing_schemas import BatchesIn, BatchIn, BatchOut, TaskOut, TasksIn
from queueing.admission.models import Task

batches = Router(tags=["batches"])
WHY_STEERED = "Required for `pause` and `cancel`."


@batches.get("/{slug}/batches", response={200: Page[BatchOut]}, summary="List batches")
def list_batches(request: HttpRequest, asked: Query[BatchesIn], slug: str = Slug) -> Any:
    """A gate's batches, newest first."""
    gate = gate_of(principal_of_request(request), slug)
    rows = selectors.batch_list(gate, asked.state or "", asked.name)
    return page(request, asked, rows, selectors.batch_out)


@batches.post("/{slug}/batches", response={201: BatchOut}, summary="Create a batch")
def make_batch(request: HttpRequest, given: BatchIn, slug: str = Slug) -> Any:
    """Upload a batch. If any rows are invalid or repeated, they are listed.

    Nothing is created then, unless `skip_bad` is set.
    """
    principal = principal_of_request(request)
    gate = gate_of(principal, slug)
    made = services.batch_create(
        actor=principal,
        gate=gate,
        name=given.name,
        csv=given.csv.encode(),
        opens_at=given.opens_at,
        closes_at=given.closes_at,
        skip_bad=given.skip_bad,
    )
    return Status(201, selectors.batch_out(made.batch))


@batches.get("/{slug}/batches/{batch}", response={200: BatchOut}, summary="Get a batch")
def get_batch(request: HttpRequest, batch: int, slug: str = Slug) -> Any:
    """A batch and its progress."""
    return selectors.batch_out(batch_of(principal_of_request(request), slug, batch))


@batches.get("/{slug}/batches/{batch}/tasks", response={200: Page[TaskOut]}, summary="List tasks")
def list_tasks(request: HttpRequest, batch: int, asked: Query[TasksIn], slug: str = Slug) -> Any:
    """The tasks of a batch, in the order of the file."""
    found = batch_of(principal_of_request(request), slug, batch)
    rows = selectors.task_list(found, asked.state or "", asked.device)
    return page(request, asked, rows, lambda task: _task_out(slug, task), oldest_first=True)


@batches.get(
    "/{slug}/batches/{batch}/failed",
    response={200: Page[TaskOut]},
    summary="List failed devices",
)
def list_failed(request: HttpRequest, batch: int, asked: Query[PageIn], slug: str = Slug) -> Any:
    """The tasks that have failed or expired so far, in the order of the file."""
    found = batch_of(principal_of_request(request), slug, batch)
    if not asked.cursor:
        services.batch_catch_up(found)
    rows = selectors.failed_list(found)
    return page(request, asked, rows, lambda task: _task_out(slug, task), oldest_first=True)


@batches.post(
    "/{slug}/batches/{batch}/{what}",
    response={200: BatchOut},
    summary="Pause, resume or cancel a batch",
)
def steer_batch(
    request: HttpRequest,
    batch: int,
    slug: str = Slug,
    what: str = param.Path(..., pattern=r"^(pause|resume|cancel)$"),
    reason: str = param.Query("", max_length=500, description=WHY_STEERED),
) -> Any:
    """Pause a batch, resume it, or cancel it permanently."""
    principal = principal_of_request(request)
    found = batch_of(principal, slug, batch)
    steer = {
        "pause": services.batch_pause,
        "resume": services.batch_resume,
        "cancel": services.batch_cancel,
    }[what]
    return selectors.batch_out(steer(actor=principal, batch=found, reason=reason))


def _task_out(slug: str, task: Task) -> TaskOut:
    names = TaskOut.model_fields.keys() - {"task"}
    return TaskOut(task=f"{slug}.{task.pk}", **{name: getattr(task, name) for name in names})
