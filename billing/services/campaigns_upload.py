"""Recipients from a file: stored in SQL, read in chunks by a job, each row taken or dropped."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from billing.campaigns.reach import reach
from billing.campaigns.recipients_file import SourceRow, read_rows
from billing.models import Campaign, DroppedRow, Recipient
from billing.services.abilities import look_up
from billing.services.acting import wrong_state
from billing.services.campaigns_running import touch, user_of
from billing.services.opt_outs import QUERY_VALUES, opted_out
from poolsite import access, jobs
from poolsite.access.services.actor import Actor, require
from poolsite.jobs import JobError, JobHandle, Progress
from poolsite.table_files import ENDINGS
from poolsite.table_reader.limits import UnreadableFileError
from poolsite.uploaded_files import file_of, keep_parts

READ_KIND = "billing.recipients"
CHUNK = 1_000
_COUNTS = {"twice": "dropped_duplicates", "opted_out": "dropped_opt_outs"}


def recipients_upload(
    *, actor: Actor, campaign: Campaign, file_name: str, data: Iterable[bytes]
) -> Campaign:
    """Store a file and start to read it; it replaces an earlier one.

    Raise ValidationError, changing nothing, if it is empty, larger than 32 MB or neither CSV nor
    XLSX, or if the campaign is no longer a draft or its file is being read.
    """
    require(actor, "billing.send", campaign)
    name = Path(file_name.replace("\\", "/")).name[-200:].replace("\x00", "")
    if not name.lower().endswith(ENDINGS):
        raise ValidationError(_("The file is neither CSV nor XLSX. Nothing was changed."))
    with transaction.atomic():
        rows = Campaign.objects.select_related("wallet__account", "job")
        found = rows.select_for_update(of=("self",)).get(pk=campaign.pk)
        if found.status != Campaign.Status.DRAFT or found.is_reading:
            raise wrong_state(_("The recipients can't be changed now. Nothing was changed."))
        _empty(found)
        size = _keep(found, data)
        found.file_name = name
        found.job = jobs.start(
            READ_KIND,
            actor=user_of(actor),
            account=found.wallet.account,
            data={"campaign": found.pk},
            once=f"{found.pk}",
        )
        found.save()
        access.audit(
            actor=actor,
            action="billing.recipients_upload",
            thing=found,
            after={"file": name, "bytes": size},
        )
    return found


def _empty(found: Campaign) -> None:
    found.parts.all().delete()
    found.recipients.all().delete()
    found.dropped_rows.all().delete()
    found.next_row = found.uploaded = 0
    found.dropped_duplicates = found.dropped_opt_outs = found.dropped_invalid = 0
    found.status_reason = ""


def _keep(found: Campaign, data: Iterable[bytes]) -> int:
    """Store the upload in parts; return its size in bytes."""
    try:
        size = keep_parts(found, data)
    except ValueError:
        raise ValidationError(_("The file is larger than 32 MB. Nothing was changed.")) from None
    if not size:
        raise ValidationError(_("The file is empty. Nothing was changed."))
    return size


@jobs.kind(READ_KIND, prefix="rec", stale_seconds=30, title=gettext_lazy("Reading recipients"))
def read_recipients(job: JobHandle) -> Iterator[Progress]:
    """Read the rows of `data["campaign"]`, continuing where a killed worker stopped."""
    found = Campaign.objects.select_related("wallet").get(pk=job.data["campaign"])
    try:
        yield from _read(job, found)
    except UnreadableFileError as error:
        with job.chunk():
            found.status_reason = str(error)[:200]
            found.save(update_fields=["status_reason"])
            found.parts.all().delete()
        raise JobError(str(error)) from error


def _read(job: JobHandle, found: Campaign) -> Iterator[Progress]:
    with file_of(found) as path:
        rows = (row for row in read_rows(path, found.file_name) if row.row > found.next_row)
        while chunk := list(islice(rows, CHUNK)):
            taken, dropped = _judge(found, chunk)
            _ask_abilities(taken)
            _count(found, chunk, dropped)
            with job.chunk(done=found.uploaded):
                Recipient.objects.bulk_create(taken, batch_size=QUERY_VALUES)
                DroppedRow.objects.bulk_create(dropped, batch_size=QUERY_VALUES)
                found.save(update_fields=["next_row", "uploaded", *_DROPPED])
            touch(found)
            yield Progress(found.uploaded)
    if not found.uploaded:
        raise UnreadableFileError(_("The file has no rows."))
    with job.chunk(done=found.uploaded, total=found.uploaded):
        found.parts.all().delete()
    job.result.update(uploaded=found.uploaded, dropped=found.dropped)
    yield Progress(found.uploaded, found.uploaded)


_DROPPED = ("dropped_duplicates", "dropped_opt_outs", "dropped_invalid")


def _judge(found: Campaign, chunk: Sequence[SourceRow]) -> tuple[list[Recipient], list[DroppedRow]]:
    """Sort some rows into recipients, and dropped rows with their reasons."""
    reached = [reach(row.text) for row in chunk]
    numbers = list(dict.fromkeys(each.number for each in reached if each.number))
    refused = opted_out(found.wallet.account_id, numbers)
    first_rows = _taken_before(found, numbers)
    taken, dropped = [], []
    for row, each in zip(chunk, reached, strict=True):
        why = each.why
        if not why and each.number in refused:
            why = "opted_out"
        elif not why and each.number in first_rows:
            why = f"twice:{first_rows[each.number]}"
        if why:
            dropped.append(DroppedRow(campaign=found, row=row.row, raw=row.text[:300], why=why))
            continue
        first_rows[each.number] = row.row
        taken.append(
            Recipient(
                campaign=found,
                row=row.row,
                number=each.number,
                message_id=f"{found.public_id}-{row.row}",
            )
        )
    return taken, dropped


def _ask_abilities(taken: Sequence[Recipient]) -> None:
    """Record the terminals' abilities now, for the estimate; a hold reads them again."""
    found = look_up([each.number for each in taken])
    for each in taken:
        ability = found[each.number]
        each.supports_yuexin = ability.supports_yuexin
        each.ability_source, each.ability_age_seconds = ability.source[:40], ability.age_seconds


def _taken_before(found: Campaign, numbers: Sequence[str]) -> dict[str, int]:
    """Return the rows in which these numbers came first, in the part of the file read so far."""
    first: dict[str, int] = {}
    for start in range(0, len(numbers), QUERY_VALUES):
        rows = found.recipients.filter(number__in=numbers[start : start + QUERY_VALUES])
        first.update(rows.values_list("number", "row"))
    return first


def _count(found: Campaign, chunk: Sequence[SourceRow], dropped: Sequence[DroppedRow]) -> None:
    found.next_row = chunk[-1].row
    found.uploaded += len(chunk)
    whys = Counter(row.why.partition(":")[0] for row in dropped)
    for why, count in whys.items():
        name = _COUNTS.get(why, "dropped_invalid")
        setattr(found, name, getattr(found, name) + count)
