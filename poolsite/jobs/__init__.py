"""Long work with progress, cancel and resume; and sweeps, which run once per period on some worker.

This can be imported before Django's apps are loaded. Modules that use SQL are imported at the first
use.
"""

from typing import TYPE_CHECKING, Any

from poolsite.jobs.descriptions import SweepDescription
from poolsite.jobs.registry import BOOKS, HISTORY, JOBS, JobError, Progress, kind, sweep, sweeps

if TYPE_CHECKING:
    from poolsite.access.models import Account, User
    from poolsite.jobs.handle import JobHandle
    from poolsite.jobs.models import Job

__all__ = [
    "BOOKS",
    "HISTORY",
    "JOBS",
    "JobError",
    "JobHandle",
    "Progress",
    "SweepDescription",
    "cancel",
    "kind",
    "start",
    "sweep",
    "sweeps",
]


def __getattr__(name: str) -> Any:
    if name == "JobHandle":
        from poolsite.jobs.handle import JobHandle

        return JobHandle
    raise AttributeError(name)


def start(
    kind: str,
    *,
    actor: "User | None",
    account: "Account | None" = None,
    data: dict[str, Any] | None = None,
    once: str = "",
) -> "Job":
    """Create a queued job. A worker takes it after the caller's transaction commits.

    With `once` (for example the upload's ID), a second click returns the unfinished job.
    """
    from poolsite.jobs.starting import start_job

    return start_job(kind, actor=actor, account=account, data=data or {}, once=once)


def cancel(job: "Job", *, actor: "User | None", reason: str = "") -> "Job":
    """Ask a job to stop. A queued job is cancelled at once, a running one at its next chunk."""
    from poolsite.jobs.services import cancel_job

    return cancel_job(job, actor=actor, reason=reason)
