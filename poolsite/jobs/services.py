"""What happens to a job: started, taken, moved on, cancelled, ended. Every write is fenced."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Case, F, Q, Value, When
from django.utils import timezone
from kombu.exceptions import OperationalError

from poolsite.jobs.models import Job
from poolsite.jobs.registry import kinds

if TYPE_CHECKING:
    from poolsite.access.models import Account, User

LOG = structlog.get_logger(__name__)
LOST_MESSAGE_SECONDS = 20  # a queued job whose message the broker lost is sent again after this
MOST_ATTEMPTS = 5  # workers that died on it, one after the other, without any progress


class UnknownKindError(ValueError):
    """No job of that kind is registered."""


def start_job(
    kind: str,
    *,
    actor: "User | None",
    account: "Account | None",
    data: dict[str, Any],
    once: str = "",
) -> Job:
    """Make a queued job, and hand it to a worker once the caller's transaction commits.

    With `once`, an unfinished job of the kind and that word is returned instead of a second.
    """
    if kind not in kinds():
        raise UnknownKindError(f"no kind of job is called {kind!r}")
    new = Job(
        kind=kind, prefix=kinds()[kind].prefix, actor=actor, account=account, data=data, once=once
    )
    try:
        with transaction.atomic():
            new.save()
    except IntegrityError:
        running = Job.objects.filter(kind=kind, once=once).exclude(state__in=Job.ENDED).first()
        if not once or running is None:
            raise
        return running
    transaction.on_commit(lambda: send(new.pk))
    return new


def send(job_id: int) -> None:
    """Put a job before the workers; a broker that is down is made good by the resume sweep."""
    from poolsite.jobs.tasks import run_job

    try:
        run_job.delay(job_id)
    except OperationalError as error:
        LOG.warning("job.not_sent", job=job_id, error=str(error))
    touch(job_id)


def touch(job_id: int) -> None:
    """Tell the pages that watch the job."""
    from poolsite import live

    live.touch(f"jobs.job:{job_id}")


def take(job_id: int) -> Job | None:
    """Take a queued job, or one whose worker fell silent; None if there is nothing to take.

    One UPDATE decides between workers that come at the same moment; the fence it raises makes
    every later write of the earlier worker fail.
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
    """Store progress under the job's fence; False = another worker holds it, or it ended.

    Also the heartbeat. The row stays locked until the caller's transaction ends.
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
    """End a job under its fence; False = another worker holds it, or it ended already."""
    changes: dict[str, Any] = {"state": state, "result": result, "finished_at": timezone.now()}
    if message:
        changes["message"] = message[:300]
    ended = bool(_held(job).update(**changes))
    if ended:
        touch(job.pk)
    return ended


def cancel_job(job: Job, *, actor: "User | None", reason: str = "") -> Job:
    """Cancel a queued job, or ask a running one to stop; an ended one stays as it is."""
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


def resume_stale(limit: int = 200) -> dict[str, int]:
    """Send again what no worker has: silent jobs, and queued ones whose message was lost."""
    now = timezone.now()
    lost = now - timedelta(seconds=LOST_MESSAGE_SECONDS)
    sent = failed = 0
    unfinished = Job.objects.filter(
        Q(state=Job.State.QUEUED, created_at__lt=lost) | Q(state__in=Job.TAKEN)
    )
    for job in unfinished.order_by("pk")[:limit]:
        known = kinds().get(job.kind)
        if known is None:
            continue
        heard = job.heartbeat_at or job.created_at
        patience = LOST_MESSAGE_SECONDS if job.state == Job.State.QUEUED else known.stale_seconds
        if heard > now - timedelta(seconds=patience):
            continue
        if job.attempts >= MOST_ATTEMPTS:
            failed += end(job, Job.State.FAILED, result=job.result, message=_gave_up(job))
        elif _heard_again(job, now):
            send(job.pk)
            sent += 1
    return {"sent": sent, "failed": failed}


def _heard_again(job: Job, now: Any) -> bool:
    """Wait as long again before the next try of a queued job; a silent one is left to take()."""
    if job.state != Job.State.QUEUED:
        return True
    return bool(_held(job).filter(state=Job.State.QUEUED).update(heartbeat_at=now))


def _gave_up(job: Job) -> str:
    return f"Stopped: {job.attempts} workers ended on it without any progress."


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
