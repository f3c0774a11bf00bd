"""The Celery application with a kind of long work and two short tasks, for its tests."""

import os
import time
from collections.abc import Iterator

from poolsite.celery import app
from poolsite.jobs import Progress, kind
from tests.support.waiting import patient

__all__ = ["app"]
CHUNKS, MIDDLE = 30, 10
SEEN = "test:connections"


@kind("test.slow", prefix="slo", stale_seconds=round(patient(3)))
def slow(job) -> Iterator[Progress]:
    """Write one account per chunk. The cursor also contains the ID of the process.

    The first process stays in the middle until it is killed.
    """
    from poolsite.access.models import Account

    for n in range(job.cursor.get("next", 0), CHUNKS):
        with job.chunk(done=n + 1, total=CHUNKS, cursor={"next": n + 1, "pid": os.getpid()}):
            Account.objects.create(slug=f"slow-{n}", name=f"Slow {n}")
        yield Progress(n + 1, CHUNKS)
        while job.fence == 1 and n == MIDDLE:
            time.sleep(0.1)  # waits: to be killed
            yield Progress(n + 1, CHUNKS)


@app.task(name="test.connection")
def connection_used() -> None:
    """Append this task's SQL connection to the list SEEN:

    PostgreSQL's pid, else the driver's object ID.
    """
    from django.db import connection

    from poolsite import hotpath

    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    driver = connection.connection
    used = driver.info.backend_pid if connection.vendor == "postgresql" else id(driver)
    hotpath.client().rpush(SEEN, used)


@app.task(name="test.note")
def note(path: str, word: str) -> None:
    """Append a line to a file: a log of the workers that survives the loss of Redis."""
    with open(path, "a") as file:
        file.write(f"{word}\n")
