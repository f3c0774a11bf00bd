"""The pages' queries about jobs, limited to what the tenant may see."""

from typing import Any

from django.db.models import Q, QuerySet

from poolsite import access
from poolsite.access import Principal
from poolsite.jobs.models import Job


def job(principal: Principal, job_id: int, action: str = "jobs.view") -> Job:
    """Return a job. Raise Hidden (404) if it is missing or belongs to another account."""
    found = Job.objects.select_related("actor", "account").filter(pk=job_id).first()
    if found is None:
        raise access.Hidden
    access.require(principal, action, found)
    return found


def jobs(principal: Principal, kind: str = "") -> QuerySet[Job]:
    """Return the jobs that the principal may see, the latest first."""
    rows = Job.objects.select_related("actor", "account").order_by("-pk")
    if kind:
        rows = rows.filter(kind=kind)
    if principal.is_operator:
        return rows
    managed = [
        account for account, roles in principal.memberships.items() if roles & {"owner", "admin"}
    ]
    own = Q(actor_id=principal.user_id, account_id__in=principal.account_ids)
    return rows.filter(own | Q(account_id__in=managed))


def as_state(job: Job) -> dict[str, Any]:
    """Return a job as its progress bar shows it, in the active language."""
    return {
        "id": job.pk,
        "public_id": job.public_id,
        "kind": job.kind,
        "state": job.state,
        "state_word": str(job.get_state_display()),
        "done": job.done,
        "total": job.total,
        "message": job.message,
        "seconds_left": job.seconds_left,
        "result": job.result,
        "ended": job.ended,
    }
