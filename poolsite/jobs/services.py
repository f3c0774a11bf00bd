"""Changes of a job's state: start, take, progress, cancel, end. Every worker's write is fenced."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import structlog
from django.db import transaction
from django.db.models import Case, F, Q, Value, When
from django.utils import timezone

from poolsite.jobs.models import Job
from poolsite.jobs.registry import kinds

if TYPE_CHECKING:
    from poolsite.access.models import User

LOG = structlog.get_logger(__name__)


def touch(job_id: int) -> None:
    """Notify the pages that watch the job."""
    from poolsite import live

    live.touch(f"jobs.job:{job_id}")


def take(job_id: int) -> Job | None:
    """Take a queued job, or one whose worker no longer responds. Return None if it isn't free.

    One UPDATE decides between workers that come at the same moment. It increases the fence, so
    every later write of the earlier worker fails.
    """
    job = Job.objects.filter(pk=job_id).first()
    if job is None or job.kind not in kinds():
        return None
    now = timezone.now()
    silent = now - timedelta(seconds=kinds()[job.kind].stale_seconds)
    free = Q(state=Job.State.QUEUED) | Q(state__in=Job.TAKEN, heartbeat_at__lt=silent)
    taken = Job.objects.filter(free, pk=job_id, fence=job.fence).update(
        fence=F("fence") + 1,
        attempts=F("attempts") + 1,
        state=Case(When(state=Job.State.QUEUED, then=Value(Job.State.RUNNING)), default=F("state")),
        heartbeat_at=now,
        taken_at=now,
        taken_done=F("done"),
        started_at=job.started_at or now,
    )
    if not taken:
        return None
    touch(job_id)
    return Job.objects.select_related("actor", "account").get(pk=job_id)


def save_progress(
    job: Job,
    *,
    done: int | None = None,
    total: int | None = None,
    cursor: dict[str, Any] | None = None,
    message: str = "",
) -> bool:
    """Store progress under the job's fence. Return False if the job was taken over or has ended.

    This is also the heartbeat. The row stays locked until the caller's transaction ends.
    """
    changes: dict[str, Any] = {"heartbeat_at": timezone.now()}
    if done is not None:
        changes["done"] = done
        if done > job.done:
            changes["attempts"] = 0
    if total is not None:
        changes["total"] = total
    if cursor is not None:
        changes |= {"cursor": cursor, "attempts": 0}
    if message:
        changes["message"] = message[:300]
    if not _held(job).update(**changes):
        return False
    for name, value in changes.items():
        setattr(job, name, value)
    touch(job.pk)
    return True


def end(job: Job, state: Job.State, *, result: dict[str, Any], message: str = "") -> bool:
    """End a job under its fence. Return False if it was taken over or has already ended."""
    changes: dict[str, Any] = {"state": state, "result": result, "finished_at": timezone.now()}
    if message:
        changes["message"] = message[:300]
    ended = bool(_held(job).update(**changes))
    if ended:
        touch(job.pk)
    return ended


def cancel_job(job: Job, *, actor: "User | None", reason: str = "") -> Job:
    """Cancel a queued job, or ask a running one to stop. A job that has ended stays unchanged."""
    now = timezone.now()
    with transaction.atomic():
        rows = Job.objects.filter(pk=job.pk)
        stopped = rows.filter(state=Job.State.QUEUED).update(
            state=Job.State.CANCELLED, finished_at=now
        ) or rows.filter(state=Job.State.RUNNING).update(state=Job.State.CANCELLING)
        job.refresh_from_db()
        if stopped:
            _audit(job, actor, reason)
            touch(job.pk)
    return job


def heard_again(job: Job, now: datetime) -> bool:
    """Delay the next try of a queued job. Return whether the job may be sent now.

    A job whose worker no longer responds is left to `take`.
    """
    if job.state != Job.State.QUEUED:
        return True
    return bool(_held(job).filter(state=Job.State.QUEUED).update(heartbeat_at=now))


def _held(job: Job) -> Any:
    return Job.objects.filter(pk=job.pk, fence=job.fence).exclude(state__in=Job.ENDED)


def _audit(job: Job, actor: "User | None", reason: str) -> None:
    from poolsite import access

    access.audit(
        actor=actor or "jobs",
        action="jobs.cancel",
        thing=job,
        after={"state": job.state},
        reason=reason,
    )
