"""Jobs over many numbers, in chunks: one action for a filter, and the merging of duplicates."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite import jobs
from poolsite.jobs import JobError, JobHandle, Progress
from poolsite.moments import us_of

if TYPE_CHECKING:
    from numbers.models import Number
    from numbers.selectors import NumberFilter

CHUNK = 1_000
MERGED_AT_ONCE = 100  # groups


@jobs.kind(
    "numbers.bulk", prefix="bulk", stale_seconds=60, title=gettext_lazy("Changing many numbers")
)
def run_bulk(job: JobHandle) -> Iterator[Progress]:
    """Process the numbers of a filter in order. Repeating a chunk changes nothing more.

    A hang-up ends only calls that were in progress when the job was requested: after a crash, the
    numbers of the last chunk may be in other calls.
    """
    from numbers.errors import NumbersError
    from numbers.models import Pool
    from numbers.reason_words import sentence_of
    from numbers.selectors import NumberFilter
    from numbers.selectors.lists import filtered
    from numbers.services.bulk import bulk_apply
    from poolsite.access import principal_of_user

    if job.actor is None:
        raise JobError(_("The user who requested this no longer exists. Nothing more was changed."))
    principal = principal_of_user(job.actor)
    wanted = NumberFilter(**job.data["filter"])
    target = Pool.objects.filter(pk=job.data["target"]).first() if job.data["target"] else None
    done, changed = job.cursor.get("done", 0), job.cursor.get("changed", 0)
    stayed, after = job.cursor.get("stayed", 0), job.cursor.get("after", "")
    numbers = filtered(principal, wanted).select_related("pool")
    while rows := list(numbers.filter(value__gt=after).order_by("value")[:CHUNK]):
        after = rows[-1].value
        rows = _concerned(job, wanted, rows)
        try:
            outcome = bulk_apply(
                actor=principal,
                verb=job.data["verb"],
                numbers=rows,
                reason=job.data["reason"],
                target=target,
                job=job.public_id,
            )
        except NumbersError as error:
            raise JobError(sentence_of(error.detail)) from error
        done, changed = done + len(rows), changed + outcome.changed
        stayed += len(outcome.stayed)
        job.save_cursor({"after": after, "done": done, "changed": changed, "stayed": stayed})
        yield Progress(done, max(done, int(job.data["total"])))
    job.result.update({"changed": changed, "stayed": stayed})
    yield Progress(done, max(done, 1))


def _concerned(job: JobHandle, wanted: "NumberFilter", rows: "list[Number]") -> "list[Number]":
    """The numbers of a chunk whose live state matches the request."""
    from numbers.selectors import with_live
    from numbers.selectors.lists import shown_state

    of_state = bool(wanted.state) and wanted.state != "quarantined"
    hang_up = job.data["verb"] == "hangup"
    if not of_state and not hang_up:
        return rows
    asked_at_us = us_of(job.asked_at)
    return [
        listed.number
        for listed in with_live(rows)
        if listed.live is not None
        and (not of_state or shown_state(listed.live) == wanted.state)
        and (not hang_up or not listed.live.busy or listed.live.since_us <= asked_at_us)
    ]


@jobs.kind(
    "numbers.twins",
    prefix="merge",
    stale_seconds=60,
    title=gettext_lazy("Merging duplicate numbers"),
)
def run_merge(job: JobHandle) -> Iterator[Progress]:
    """Process the groups of duplicates. After a crash, merged groups are not found again."""
    from numbers.selectors.twins import keepers
    from numbers.services.twins import twins_merge_all
    from poolsite.access import principal_of_user

    if job.actor is None:
        raise JobError(_("The user who requested this no longer exists. Nothing more was changed."))
    principal = principal_of_user(job.actor)
    merged, stayed = job.cursor.get("merged", 0), job.cursor.get("stayed", 0)
    after = job.cursor.get("after", 0)
    found = keepers(principal)
    while rows := list(found.filter(pk__gt=after)[:MERGED_AT_ONCE]):
        done = twins_merge_all(
            actor=principal, keepers=rows, reason=job.data["reason"], job=job.public_id
        )
        after = rows[-1].pk
        merged, stayed = merged + done.merged, stayed + len(done.stayed)
        job.save_cursor({"after": after, "merged": merged, "stayed": stayed})
        yield Progress(merged + stayed, max(merged + stayed, int(job.data["total"])))
    job.result.update({"merged": merged, "stayed": stayed})
    yield Progress(merged + stayed, max(merged + stayed, 1))
