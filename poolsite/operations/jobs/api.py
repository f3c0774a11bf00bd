"""Jobs in the API: list, get and cancel them."""

from typing import Annotated, Any, Final, Literal

from django.http import HttpRequest
from ninja import Query, Router
from ninja.params import functions as param
from pydantic import BaseModel, Field, StringConstraints

from poolsite import access
from poolsite.api import examples
from poolsite.api.examples import AT
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.paths import id_of
from poolsite.api.reading import LINE, STRICT
from poolsite.api.root import ProblemError, api
from poolsite.console.pages import user_of
from poolsite.jobs import selectors, services
from poolsite.jobs.models import Job
from poolsite.moments import iso
from poolsite.table_sentences import said

router = Router(tags=["jobs"])
Filter = Annotated[str, StringConstraints(max_length=60, pattern=LINE)]
StateName = Literal["queued", "running", "cancelling", "cancelled", "done", "failed"]
JobId: Any = param.Path(
    ...,
    pattern=r"^[a-z0-9]{1,8}-[0-9]{4,19}$",
    description="The job's ID, as the operation that started it returned it.",
)


class JobsIn(PageIn):
    """Filters of the list of jobs."""

    state: StateName | None = None
    type: Filter = Field("", description="Type of the job, such as `numbers.import`.")
    account: Filter = Field("", description="The account's slug.")


class JobOut(BaseModel):
    """A long-running job, with its progress."""

    id: str
    type: str
    title: str = Field(description="What the job does, in your language.")
    state: StateName
    done: int
    total: int | None = Field(description="Null while it is not known.")
    message: str = Field(description="The last message of the job.")
    seconds_left: int | None = Field(description="An estimate. Null while there is none.")
    result: dict[str, Any] = Field(description="What the job found or made. It depends on `type`.")
    account: str | None = Field(description="Null: the platform's.")
    started_by: str | None = Field(description="The username. Null: the system.")
    created_at: str
    started_at: str | None
    finished_at: str | None


class JobReasonIn(BaseModel):
    """The reason. It is kept in the audit log."""

    model_config = STRICT

    reason: str = Field("", max_length=200, pattern=LINE, description="Kept in the audit log.")


JOB: Final = {
    "id": "take-0412",
    "type": "numbers.import",
    "title": "Importing numbers",
    "state": "running",
    "done": 1_200,
    "total": 5_000,
    "message": "",
    "seconds_left": 14,
    "result": {},
    "account": "acme",
    "started_by": "lin.mei",
    "created_at": AT,
    "started_at": AT,
    "finished_at": None,
}


def register() -> None:
    """Register the routes. poolsite.urls calls this once."""
    examples.declare(
        {"jobs": {"job": JOB["id"], "type": JOB["type"], "state": "running"}, "JobOut": JOB}
    )
    api.add_router("/jobs", router)


@router.get("", response={200: Page[JobOut]}, summary="List jobs")
def list_jobs(request: HttpRequest, asked: Query[JobsIn]) -> Any:
    """Your own jobs, newest first. Owners and admins also see their account's, operators all."""
    principal = access.principal_of_request(request)
    access.require(principal, "jobs.view")
    exact = {"state": asked.state, "kind": asked.type, "account__slug": asked.account}
    rows = selectors.jobs(principal).filter(
        **{name: value for name, value in exact.items() if value}
    )
    return page(request, asked, rows, _out)


@router.get("/{job}", response={200: JobOut}, summary="Get a job")
def get_job(request: HttpRequest, job: str = JobId) -> Any:
    """A job's progress, and its result."""
    return _out(_job(request, job, "jobs.view"))


@router.post("/{job}/cancel", response={200: JobOut}, summary="Cancel a job")
def cancel_job(request: HttpRequest, given: JobReasonIn, job: str = JobId) -> Any:
    """Stop a job. What it has done so far is kept. A running job stops after its current step.

    A job that has ended is not changed.
    """
    found = _job(request, job, "jobs.cancel")
    return _out(services.cancel_job(found, actor=user_of(request), reason=given.reason))


def _job(request: HttpRequest, public_id: str, action: str) -> Job:
    """Return the job with this ID. A job that the caller may not see is reported as not found."""
    principal = access.principal_of_request(request)
    access.require(principal, action)
    try:
        found = selectors.job(principal, id_of(int(public_id.rpartition("-")[2])))
        if found.public_id != public_id:
            raise access.Hidden(action)
    except access.Hidden:
        raise ProblemError("unknown-job", "job not found") from None
    access.require(principal, action, found)
    return found


def _out(job: Job) -> JobOut:
    return JobOut(
        **{
            name: getattr(job, name) for name in ("title", "state", "done", "total", "seconds_left")
        },
        id=job.public_id,
        type=job.kind,
        message=said(job.message),
        result=job.result,
        account=job.account.slug if job.account else None,
        started_by=job.actor.get_username() if job.actor else None,
        created_at=job.created_at.isoformat(),
        started_at=iso(job.started_at),
        finished_at=iso(job.finished_at),
    )
