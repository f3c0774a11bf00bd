"""The jobs of imports, with the names that start them."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy

from poolsite import jobs
from poolsite.jobs import JobHandle, Progress

PREVIEW = "numbers.preview"
IMPORT = "numbers.import"
UNDO = "numbers.import_undo"
STALE_SECONDS = 30


@jobs.kind(
    PREVIEW,
    prefix="read",
    stale_seconds=STALE_SECONDS,
    title=gettext_lazy("Reading a file of numbers"),
)
def preview(job: JobHandle) -> Iterator[Progress]:
    """Read an uploaded file."""
    from numbers.imports import staging

    yield from staging.preview(job)


@jobs.kind(
    IMPORT, prefix="take", stale_seconds=STALE_SECONDS, title=gettext_lazy("Importing numbers")
)
def run_import(job: JobHandle) -> Iterator[Progress]:
    """Add a preview's numbers to the pool."""
    from numbers.imports import work

    yield from work.run_import(job)


@jobs.kind(
    UNDO, prefix="undo", stale_seconds=STALE_SECONDS, title=gettext_lazy("Undoing an import")
)
def run_undo(job: JobHandle) -> Iterator[Progress]:
    """Delete an import's numbers from the pool."""
    from numbers.imports import work

    yield from work.run_undo(job)
