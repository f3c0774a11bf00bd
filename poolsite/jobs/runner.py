"""Runs a job from its cursor until it ends, is cancelled, or is taken over by another worker."""

import time
from collections.abc import Iterator

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils.translation import gettext as _
from django.utils.translation import override

from poolsite import hotpath
from poolsite.jobs import services
from poolsite.jobs.handle import SAVE_EVERY_SECONDS, JobHandle, JobTakenError
from poolsite.jobs.models import Job
from poolsite.jobs.registry import JobError, Progress, kinds

LOG = structlog.get_logger(__name__)
# The next worker continues from the cursor once this hold is stale.
TRANSIENT = (OperationalError, InterfaceError, hotpath.Unavailable, hotpath.UnknownOutcome)


def run(job_id: int) -> None:
    """Take the job and run it. Do nothing if another worker holds it."""
    job = services.take(job_id)
    if job is None:
        return
    language = job.actor.locale if job.actor is not None else ""
    with override(language or settings.LANGUAGE_CODE):  # of the user who reads the result
        _run(job, JobHandle(job))


def _run(job: Job, handle: JobHandle) -> None:
    try:
        _run_to_end(job, handle)
    except JobTakenError as error:
        LOG.warning("job.taken_over", job=job.public_id, reason=str(error))
    except TRANSIENT as error:
        LOG.warning("job.interrupted", job=job.public_id, error=str(error))
    except JobError as error:
        services.end(job, Job.State.FAILED, result=handle.result, message=str(error))
    except Exception as error:
        LOG.exception("job.failed", job=job.public_id)
        text = _("Stopped by an error (%(error)s). Completed work is kept.")
        services.end(
            job,
            Job.State.FAILED,
            result=handle.result,
            message=text % {"error": type(error).__name__},
        )


def _run_to_end(job: Job, handle: JobHandle) -> None:
    if handle.cancelled:
        services.end(job, Job.State.CANCELLED, result=handle.result)
        return
    work = kinds()[job.kind].run(handle)
    finished = _advance(work, handle)
    services.end(job, Job.State.DONE if finished else Job.State.CANCELLED, result=handle.result)


def _advance(work: Iterator[Progress], handle: JobHandle) -> bool:
    """Run the work. Return False if it was asked to stop. Its last progress is always stored."""
    looked_at = 0.0
    last: Progress | None = None
    for last in work:
        now = time.monotonic()
        if now - looked_at < SAVE_EVERY_SECONDS:
            continue
        looked_at = now
        handle.store(last)
        if handle.cancelled:
            getattr(work, "close", lambda: None)()
            return False
    if last is not None:
        handle.store(last)
    return True
