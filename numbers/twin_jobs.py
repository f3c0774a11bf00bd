"""The job that merges every group of duplicates that a person may operate."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from poolsite import jobs
from poolsite.jobs import JobError, JobHandle, Progress

KIND = "numbers.twins"
CHUNK = 100


@jobs.kind(KIND, prefix="merge", stale_seconds=60)
def run_merge(job: JobHandle) -> Iterator[Progress]:
    """Walk the groups; one that was merged already is not met again after a crash."""
    from numbers.selectors.twins import keepers
    from numbers.services.twins import twins_merge_all
    from poolsite.access.principals import principal_of_user

    if job.actor is None:
        raise JobError(_("Who asked for this is gone. Nothing more was changed."))
    principal = principal_of_user(job.actor)
    merged, stayed = job.cursor.get("merged", 0), job.cursor.get("stayed", 0)
    after = job.cursor.get("after", 0)
    found = keepers(principal)
    while rows := list(found.filter(pk__gt=after)[:CHUNK]):
        done = twins_merge_all(
            actor=principal, keepers=rows, reason=job.data["reason"], job=job.public_id
        )
        after = rows[-1].pk
        merged, stayed = merged + done.merged, stayed + len(done.stayed)
        job.save_cursor({"after": after, "merged": merged, "stayed": stayed})
        yield Progress(merged + stayed, max(merged + stayed, int(job.data["total"])))
    job.result.update({"merged": merged, "stayed": stayed})
    yield Progress(merged + stayed, max(merged + stayed, 1))
