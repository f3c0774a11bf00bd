"""The terminals table from a file uploaded in the browser: stored in SQL, read by a job."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from billing.abilities.table.rows import AbilityRow, read_rows
from billing.models import TerminalFile
from billing.services.abilities import CHUNK, FAULTS_SHOWN, list_terminals
from billing.services.campaigns_running import user_of
from poolsite import access, jobs
from poolsite.access.services.actor import Actor, name_of
from poolsite.jobs import JobError, JobHandle, Progress
from poolsite.table_files import ENDINGS
from poolsite.table_reader.limits import UnreadableFileError
from poolsite.uploaded_files import file_of, keep_parts

READ_KIND: Final = "billing.terminals"


def terminals_upload(*, actor: Actor, file_name: str, data: Iterable[bytes]) -> TerminalFile:
    """Store a file of terminals and start to read it; one at a time.

    Raise ValidationError, changing nothing, if it is empty, larger than 32 MB or neither CSV nor
    XLSX, or if another file is being read. The caller has checked `billing.finance`.
    """
    name = Path(file_name.replace("\\", "/")).name[-200:].replace("\x00", "")
    if not name.lower().endswith(ENDINGS):
        raise ValidationError(_("The file is neither CSV nor XLSX. Nothing was changed."))
    with transaction.atomic():
        job = jobs.start(READ_KIND, actor=user_of(actor), account=None, data={}, once="table")
        if TerminalFile.objects.filter(job=job).exists():
            raise ValidationError(_("Another file is being read. Nothing was changed."))
        made = TerminalFile.objects.create(file_name=name, uploaded_by=name_of(actor), job=job)
        size = _keep(made, data)
        access.audit(
            actor=actor,
            action="billing.terminals_upload",
            after={"file": name, "bytes": size, "job": job.public_id},
        )
    return made


def _keep(made: TerminalFile, data: Iterable[bytes]) -> int:
    try:
        size = keep_parts(made, data)
    except ValueError:
        raise ValidationError(_("The file is larger than 32 MB. Nothing was changed.")) from None
    if not size:
        raise ValidationError(_("The file is empty. Nothing was changed."))
    return size


@jobs.kind(READ_KIND, prefix="term", stale_seconds=30, title=gettext_lazy("Reading terminals"))
def read_terminals(job: JobHandle) -> Iterator[Progress]:
    """Read the rows of the job's file, continuing where a killed worker stopped.

    A chunk's rows, the counts and the position are one transaction. Of two rows of a number the
    last one counts, as in an import by the command line.
    """
    found = TerminalFile.objects.get(job_id=job.id)
    try:
        yield from _read(job, found)
    except UnreadableFileError as error:
        with job.chunk():
            found.parts.all().delete()
        raise JobError(str(error)) from error
    with job.chunk(done=found.taken + found.refused, total=found.taken + found.refused):
        found.parts.all().delete()
        access.audit(
            actor=job.actor or READ_KIND,
            action="billing.abilities_import",
            after={"file": found.file_name, "taken": found.taken, "refused": found.refused},
        )
    job.result.update(taken=found.taken, refused=found.refused)
    yield Progress(found.taken + found.refused, found.taken + found.refused)


def _read(job: JobHandle, found: TerminalFile) -> Iterator[Progress]:
    with file_of(found) as path:
        rows = (row for row in read_rows(path, found.file_name) if row.row > found.next_row)
        while chunk := list(islice(rows, CHUNK)):
            _count(found, chunk)
            with job.chunk(done=found.taken + found.refused):
                list_terminals({row.number: row.supports_yuexin for row in chunk if not row.fault})
                found.save(update_fields=["next_row", "taken", "refused", "faults"])
            yield Progress(found.taken + found.refused)
    if not found.taken + found.refused:
        raise UnreadableFileError(_("The file has no rows."))


def _count(found: TerminalFile, chunk: Sequence[AbilityRow]) -> None:
    faults = [row for row in chunk if row.fault]
    found.next_row = chunk[-1].row
    found.taken += len(chunk) - len(faults)
    found.refused += len(faults)
    room = max(0, FAULTS_SHOWN - len(found.faults))
    found.faults = [*found.faults, *([row.row, row.fault[:200]] for row in faults[:room])]
