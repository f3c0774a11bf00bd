"""What a job's function holds: its data, its cursor, and writes that a newer worker refuses."""

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
    """Another worker has taken the job over (or it ended): stop, write nothing."""


class JobHandle:
    """One worker's hold on one job, from the moment that it was taken."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._saved_at = 0.0
        self.result: dict[str, Any] = dict(job.result)

    @property
    def id(self) -> int:
        """The job's id in SQL."""
        return self._job.pk

    @property
    def public_id(self) -> str:
        """How people name the job, e.g. imp-0412."""
        return self._job.public_id

    @property
    def data(self) -> dict[str, Any]:
        """What the job was started with."""
        return dict(self._job.data)

    @property
    def cursor(self) -> dict[str, Any]:
        """Where a worker before this one got to; {} at the first start."""
        return dict(self._job.cursor)

    @property
    def actor(self) -> "User | None":
        """Who started it."""
        return self._job.actor

    @property
    def account(self) -> "Account | None":
        """Whose job it is; None = the platform's."""
        return self._job.account

    @property
    def asked_at(self) -> datetime:
        """When it was started, by SQL's row."""
        return self._job.created_at

    @property
    def fence(self) -> int:
        """The number of this hold; a later hold has a larger one."""
        return self._job.fence

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked the job to stop (read from SQL)."""
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
        """One SQL transaction for the chunk's rows, its progress and its cursor.

        The job's row is locked first and its fence compared, so the rows of a worker that was
        paused and overtaken never commit: JobTakenError, nothing written. No Redis calls inside.
        """
        with transaction.atomic():
            self._write(done=done, total=total, cursor=cursor, message=message)
            yield

    def save_cursor(self, cursor: dict[str, Any]) -> None:
        """Store where to resume; raises JobTakenError."""
        self._write(cursor=cursor)

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Store how far it is, at most five times a second; raises JobTakenError."""
        now = time.monotonic()
        if now - self._saved_at >= SAVE_EVERY_SECONDS:
            self._write(done=done, total=total, message=message)

    def store(self, progress: Progress) -> None:
        """Store what the function yielded last, whenever that was; raises JobTakenError."""
        self._write(done=progress.done, total=progress.total, message=progress.message)

    def _write(self, **changes: Any) -> None:
        if not services.save_progress(self._job, **changes):
            raise JobTakenError(f"{self.public_id} is no longer held with fence {self.fence}")
        self._saved_at = time.monotonic()
