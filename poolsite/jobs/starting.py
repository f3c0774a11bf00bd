"""Sends jobs to workers: when they start, and again if their message or worker was lost."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from poolsite.jobs import services
from poolsite.jobs.models import Job
from poolsite.jobs.registry import kinds
from poolsite.jobs.run_task import run_job

if TYPE_CHECKING:
    from poolsite.access.models import Account, User

LOG = structlog.get_logger(__name__)
LOST_MESSAGE_SECONDS = 20  # after this, a queued job whose message is lost is sent again
MOST_ATTEMPTS = 5  # workers that died on it in a row, without progress


class UnknownKindError(ValueError):
    """No job kind with that name is registered."""


def start_job(
    kind: str,
    *,
    actor: "User | None",
    account: "Account | None",
    data: dict[str, Any],
    once: str = "",
) -> Job:
    """Create a queued job, and send it to a worker once the caller's transaction commits.

    With `once`, an unfinished job of that kind and key is returned instead of a second one.
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
    """Send a job to the workers. If the broker is down, the resume sweep sends the job later."""
    try:
        run_job.delay(job_id)
    except OperationalError as error:
        LOG.warning("job.not_sent", job=job_id, error=str(error))
    services.touch(job_id)


def resume_stale(limit: int = 200) -> dict[str, int]:
    """Send jobs again that no worker has: unresponsive ones, and those whose message was lost."""
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
            failed += services.end(job, Job.State.FAILED, result=job.result, message=_gave_up(job))
        elif services.heard_again(job, now):
            send(job.pk)
            sent += 1
    return {"sent": sent, "failed": failed}


def _gave_up(job: Job) -> str:
    return f"Stopped: {job.attempts} workers ended on it without any progress."
