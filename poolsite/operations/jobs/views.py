"""A job's progress page, and cancelling a job."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.access.models import User
from poolsite.jobs import selectors, services
from poolsite.jobs.models import Job
from poolsite.table_sentences import said


@require_GET
def job(request: HttpRequest, job_id: int) -> HttpResponse:
    """Return the job's progress: JSON for programs, a page for people."""
    principal = access.principal_of_request(request)
    found = selectors.job(principal, job_id)
    if _wants_json(request):
        return JsonResponse(selectors.as_state(found))
    may_cancel = access.decide(principal, "jobs.cancel", found).allowed and not found.ended
    context = {
        "job": found,
        "message": said(found.message),
        "may_cancel": may_cancel,
        "took": _took_seconds(found),
    }
    return render(request, "jobs/job.html", context)


@require_POST
def cancel(request: HttpRequest, job_id: int) -> HttpResponse:
    """Ask the job to stop. A second click changes nothing."""
    principal = access.principal_of_request(request)
    found = selectors.job(principal, job_id)
    access.require(principal, "jobs.cancel", found)
    actor = request.user if isinstance(request.user, User) else None
    stopped = services.cancel_job(found, actor=actor, reason=request.POST.get("reason", "")[:200])
    if _wants_json(request):
        return JsonResponse(selectors.as_state(stopped))
    return HttpResponseRedirect(reverse("jobs:job", args=[job_id]))


def _took_seconds(job: Job) -> float | None:
    if job.started_at is None or job.finished_at is None:
        return None
    return (job.finished_at - job.started_at).total_seconds()


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")
