"""Files sent in rooms: received, stored in the storage `attachments`, removed.

SQL and a storage share no transaction, so a file's row is written before the file and deleted after
it. If a process dies in between, the row is left without the state "kept", and the sweep removes
its file.
"""

import logging
import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db import transaction
from django.db.models import Sum
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.runtime.crash_points import crash_point
from poolsite.uploaded_files import TooLargeError, bounded
from queueing.line import files
from queueing.line.errors import LineError
from queueing.line.models import Agent, Attachment, Desk, Message, Visit
from queueing.line.services import rooms

logger = logging.getLogger(__name__)
MEGABYTE = 1024 * 1024
UPLOAD_LASTS = timedelta(hours=1)  # the longest time from the row to its message
TRY_AGAIN = timedelta(minutes=5)
BATCH = 200
State = Attachment.State


def storage() -> Storage:
    """Return the storage of the files: `STORAGES["attachments"]`."""
    return storages["attachments"]


def kinds_of(desk: Desk) -> tuple[str, ...]:
    """Return the media types that a desk accepts, or () if it accepts no files."""
    if not desk.attachment_mb:
        return ()
    images = files.IMAGES if desk.attachment_kinds != Desk.Kinds.PDF else ()
    pdf = (files.PDF,) if desk.attachment_kinds != Desk.Kinds.IMAGES else ()
    return (*images, *pdf)


def attachment_of(message: Message) -> Attachment | None:
    """Return the message's stored file, or None if it has none."""
    row: Attachment | None = getattr(message, "attachment", None)
    return row if row is not None and row.state == Attachment.State.KEPT else None


def text_with_file(message: Message) -> str:
    """Return a transcript line, the file before the text: `[photo.jpg, 96.0 KB] Here it is.`."""
    row = attachment_of(message)
    if row is None:
        return message.text
    file = f"[{row.name}, {filesizeformat(row.size)}]".replace("\xa0", " ")
    return f"{file} {message.text}".rstrip()


def attachment_send(
    *,
    visit: Visit,
    author: str,
    client_id: str,
    text: str,
    name: str,
    content: Iterable[bytes],
    agent: Agent | None = None,
) -> rooms.SentMessage:
    """Add a message with a file to a transcript.

    If a message with the same (author, client_id) exists, return that message. Raise LineError
    no-files, too-many-files, file-too-large, file-kind, unavailable (the storage failed), or any
    LineError of `message_send`. Nothing is stored then.
    """
    desk = Desk.objects.get(pk=visit.desk_id)
    if not kinds_of(desk):
        raise LineError("no-files", _("Files can't be sent here."))
    known = Message.objects.filter(visit=visit, author=author, client_id=client_id).first()
    if known is not None:
        return rooms.SentMessage(known, False)
    found = _read(desk, content)
    row = _reserve(visit, author, client_id, found, files.safe_name(name, found.kind))
    crash_point("line.attachment.after_row")
    try:
        _store(row, found.data)
        crash_point("line.attachment.after_store")
        said = rooms.message_send(
            visit=visit,
            author=author,
            client_id=client_id,
            text=text,
            agent=agent,
            bind=_binding(row),
        )
    except BaseException:
        _discard(row)
        raise
    if not said.is_new:  # another connection sent the same message with its own copy of the file
        _discard(row)
    return said


def _read(desk: Desk, content: Iterable[bytes]) -> files.Found:
    """Return the file, or raise LineError if the desk does not accept it."""
    limit = desk.attachment_mb
    try:
        found = files.read_file(b"".join(bounded(content, limit * MEGABYTE)))
    except TooLargeError:
        raise too_large(limit) from None
    except files.TooManyPixelsError:
        most = files.PIXELS_LIMIT // 1_000_000
        words = _("The picture is too large. The limit is %(n)s million pixels.") % {"n": most}
        raise LineError("file-too-large", words) from None
    except files.BrokenFileError:
        raise LineError("file-kind", _("The file is damaged or incomplete.")) from None
    if found is None or found.kind not in kinds_of(desk):
        words = {
            Desk.Kinds.ALL: _("Send a JPEG, PNG, GIF or WebP picture, or a PDF."),
            Desk.Kinds.IMAGES: _("Send a JPEG, PNG, GIF or WebP picture."),
            Desk.Kinds.PDF: _("Send a PDF."),
        }[Desk.Kinds(desk.attachment_kinds)]
        raise LineError("file-kind", words)
    return found


def too_large(limit: int) -> LineError:
    """Return the refusal of a file of more than `limit` megabytes."""
    return LineError(
        "file-too-large", _("The file is too large. The limit is %(n)s MB.") % {"n": limit}
    )


@transaction.atomic
def _reserve(
    visit: Visit, author: str, client_id: str, found: files.Found, name: str
) -> Attachment:
    """Create the file's row before the file is stored. Locks the desk to keep its limits exact."""
    desk = Desk.objects.select_for_update().get(pk=visit.desk_id)
    _check_limits(desk, visit, author, client_id, len(found.data))
    chance = secrets.token_hex(20)
    return Attachment.objects.create(
        public_id=secrets.token_urlsafe(16),
        desk=desk,
        visit=visit,
        author=author,
        client_id=client_id,
        file=f"line/{chance[:2]}/{chance}",
        name=name,
        kind=found.kind,
        size=len(found.data),
        width=found.width,
        height=found.height,
        look_at=timezone.now() + UPLOAD_LASTS,
    )


def _check_limits(desk: Desk, visit: Visit, author: str, client_id: str, size: int) -> None:
    """Check the limits of one side. A visitor's files do not count against the agents' limits."""
    of_side = Attachment.objects.filter(author=author).exclude(state=State.REMOVING)
    if of_side.filter(visit=visit).exclude(client_id=client_id).count() >= (
        desk.attachments_per_visit
    ):
        words = _("You can send up to %(n)s files in one visit.")
        raise LineError("too-many-files", words % {"n": desk.attachments_per_visit})
    today = Attachment.objects.filter(desk=desk, author=author)
    today = today.filter(at__gt=timezone.now() - timedelta(days=1))
    used = today.aggregate(size=Sum("size"))["size"] or 0
    if used + size > desk.attachment_day_mb * MEGABYTE:
        words = _("The daily limit for files at this desk has been reached. Try again later.")
        raise LineError("too-many-files", words)


def _store(row: Attachment, data: bytes) -> None:
    try:
        kept_as = storage().save(row.file, ContentFile(data))
    except Exception as error:  # every storage has its own exceptions
        logger.exception("line: a file was not stored")
        words = _("The file couldn't be saved. Try again.")
        raise LineError("unavailable", words) from error
    if kept_as != row.file:  # the storage chose another name
        row.file = kept_as
        row.save(update_fields=["file"])


def _binding(row: Attachment) -> Callable[[Message], None]:
    """Return a function that attaches the file to a message.

    It raises LineError if the file is being removed or its visit has ended.
    """

    def bind(message: Message) -> None:
        if message.visit.ended_at is not None:
            raise LineError("visit-ended", _("This visit has ended."))
        kept = Attachment.objects.filter(pk=row.pk, state=State.UPLOADING).update(
            message=message, state=State.KEPT
        )
        if not kept:
            raise LineError("unavailable", _("The upload took too long. Try again."))

    return bind


# -- removal -------------------------------------------------------------------------------------


def forget(visits: Sequence[int]) -> int:
    """Remove the files of these visits, inside the transaction that erases the visits' texts.

    The rows lose the file names immediately. The files are deleted after the commit, or by the
    sweep.
    """
    rows = Attachment.objects.filter(visit__in=visits).exclude(state=State.REMOVING)
    keys = list(rows.values_list("pk", flat=True))
    _mark(keys)
    transaction.on_commit(lambda: remove(keys))
    return len(keys)


def forget_erased() -> int:
    """Remove files of visits that an earlier release, which had no files, has erased."""
    rows = Attachment.objects.filter(state=State.KEPT, visit__erased_at__isnull=False)
    keys = list(rows.values_list("pk", flat=True)[:BATCH])
    _mark(keys)
    return remove(keys)


def sweep_attachments() -> dict[str, int]:
    """Remove uploads that were never sent, and files whose removal a dead process left undone."""
    due = Attachment.objects.exclude(state=State.KEPT).filter(look_at__lte=timezone.now())
    keys = list(due.order_by("look_at").values_list("pk", flat=True)[:BATCH])
    # A file that is sent at this moment is kept: whichever update comes second finds the changed
    # state.
    _mark(keys, state=State.UPLOADING)
    return {"removed": remove(keys), "due": len(keys)}


def remove(keys: Sequence[int]) -> int:
    """Delete files that are marked for removal, then their rows. Repeating it does nothing."""
    removed = 0
    for row in Attachment.objects.filter(pk__in=keys, state=State.REMOVING):
        crash_point("line.attachment.before_delete")
        try:
            storage().delete(row.file)
        except Exception as error:  # every storage has its own exceptions
            logger.warning("line: a file waits to be removed: %s", error)
            Attachment.objects.filter(pk=row.pk).update(look_at=_in(TRY_AGAIN))
            continue
        crash_point("line.attachment.after_delete")
        removed += Attachment.objects.filter(pk=row.pk).delete()[0]
    return removed


def _mark(keys: Sequence[int], **where: str) -> None:
    Attachment.objects.filter(pk__in=keys, **where).update(
        state=State.REMOVING, name="", message=None, look_at=timezone.now()
    )


def _discard(row: Attachment) -> None:
    """Remove an upload that became no message. If SQL is unreachable, the sweep removes it."""
    _mark([row.pk], state=State.UPLOADING)
    remove([row.pk])


def _in(time: timedelta) -> datetime:
    return timezone.now() + time
