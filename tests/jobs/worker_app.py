"""The Celery application with one kind of long work more, for tests that kill its worker."""

import os
import time
from collections.abc import Iterator

from poolsite.celery import app
from poolsite.jobs.registry import Progress, kind

__all__ = ["app"]
CHUNKS = 30


@kind("test.slow", prefix="slo", stale_seconds=3)
def slow(job) -> Iterator[Progress]:
    """Write one account per chunk, slowly; the cursor also says which process is at it."""
    from poolsite.access.models import Account

    for n in range(job.cursor.get("next", 0), CHUNKS):
        with job.chunk(done=n + 1, total=CHUNKS, cursor={"next": n + 1, "pid": os.getpid()}):
            Account.objects.create(slug=f"slow-{n}", name=f"Slow {n}")
        yield Progress(n + 1, CHUNKS)
        time.sleep(0.6)  # long enough to be caught in the middle on a busy machine
