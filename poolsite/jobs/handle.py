"""What a job's function gets: its data, its cursor, and writes that fail after a takeover."""

import contextlib
import time
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction

from poolsite.jobs import services
from poolsite.jobs.models import Job
from poolsite.jobs.registry import Progress

if TYPE_CHECKING:
    from poolsite.access.models import Account, User

SAVE_EVERY_SECONDS = 0.2


class JobTakenError(Exception):
    """Another worker has taken the job over, or the job has ended. Stop and write nothing."""


class JobHandle:
    """One worker's hold on a job, from when the worker took it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._saved_at = 0.0
        self.result: dict[str, Any] = dict(job.result)

    @property
    def id(self) -> int:
        """The job's ID in SQL."""
        return self._job.pk

    @property
    def public_id(self) -> str:
        """The ID that people see, e.g. imp-0412."""
        return self._job.public_id

    @property
    def data(self) -> dict[str, Any]:
        """The data with which the job was started."""
        return dict(self._job.data)

    @property
    def cursor(self) -> dict[str, Any]:
        """The position that an earlier worker reached; {} at the first start."""
        return dict(self._job.cursor)

    @property
    def actor(self) -> "User | None":
        """The user who started the job."""
        return self._job.actor

    @property
    def account(self) -> "Account | None":
        """The account that the job belongs to, or None for a job of the platform."""
        return self._job.account

    @property
    def asked_at(self) -> datetime:
        """When the job was started, according to SQL."""
        return self._job.created_at

    @property
    def fence(self) -> int:
        """The number of this hold. A later hold has a larger number."""
        return self._job.fence

    @property
    def cancelled(self) -> bool:
        """Whether the job was asked to stop or this hold was lost (read from SQL)."""
        state = Job.objects.filter(pk=self.id, fence=self.fence).values_list("state", flat=True)
        return state.first() != Job.State.RUNNING

    @contextlib.contextmanager
    def chunk(
        self,
        *,
        done: int | None = None,
        total: int | None = None,
        cursor: dict[str, Any] | None = None,
        message: str = "",
    ) -> Iterator[None]:
        """Open an SQL transaction for the chunk's rows, its progress and its cursor.

        The job's row is locked first and its fence compared. So the rows of a worker that was
        paused and overtaken are never committed: JobTakenError is raised and nothing is written.
        Make no Redis calls inside.
        """
        with transaction.atomic():
            self._write(done=done, total=total, cursor=cursor, message=message)
            yield

    def save_cursor(self, cursor: dict[str, Any]) -> None:
        """Store where to resume. Raise JobTakenError if another worker has the job."""
        self._write(cursor=cursor)

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Store the progress, up to five times a second.

        Raise JobTakenError if the job was taken over.
        """
        now = time.monotonic()
        if now - self._saved_at >= SAVE_EVERY_SECONDS:
            self._write(done=done, total=total, message=message)

    def store(self, progress: Progress) -> None:
        """Store the last yielded progress, without a rate limit.

        Raise JobTakenError if taken over.
        """
        self._write(done=progress.done, total=progress.total, message=progress.message)

    def _write(self, **changes: Any) -> None:
        if not services.save_progress(self._job, **changes):
            raise JobTakenError(f"{self.public_id} is no longer held with fence {self.fence}")
        self._saved_at = time.monotonic()
