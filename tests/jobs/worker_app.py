"""The Celery application with one kind of long work and a short task more, for its tests."""

import os
import time
from collections.abc import Iterator

from poolsite.celery import app
from poolsite.jobs.registry import Progress, kind

__all__ = ["app"]
CHUNKS = 30
SEEN = "test:connections"


@kind("test.slow", prefix="slo", stale_seconds=3)
def slow(job) -> Iterator[Progress]:
    """Write one account per chunk, slowly; the cursor also says which process is at it."""
    from poolsite.access.models import Account

    for n in range(job.cursor.get("next", 0), CHUNKS):
        with job.chunk(done=n + 1, total=CHUNKS, cursor={"next": n + 1, "pid": os.getpid()}):
            Account.objects.create(slug=f"slow-{n}", name=f"Slow {n}")
        yield Progress(n + 1, CHUNKS)
        time.sleep(0.6)  # long enough to be caught in the middle on a busy machine


@app.task(name="test.connection")  # type: ignore[untyped-decorator]
def connection_used() -> None:
    """Append to the list SEEN which connection to SQL this task has had: driver's object or pid."""
    from django.db import connection

    from poolsite import hotpath

    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    driver = connection.connection
    used = driver.info.backend_pid if connection.vendor == "postgresql" else id(driver)
    hotpath.client().rpush(SEEN, used)
