"""Files of a visit, as a particular reader sees them."""

from dataclasses import dataclass
from typing import Any

from poolsite.access import Principal
from queueing.line.file_addresses import address_of
from queueing.line.models import Attachment, Desk, Message, Visit
from queueing.line.services.attachments import attachment_of, kinds_of


def files_policy(desk: Desk) -> dict[str, Any] | None:
    """Return what a page needs to send files, or None if the desk accepts none."""
    kinds = kinds_of(desk)
    return {"mb": desk.attachment_mb, "kinds": list(kinds)} if kinds else None


def attachment_out(row: Attachment) -> dict[str, Any]:
    """Return a message's file. The result is the same for every reader, so it has no address."""
    return {
        "id": row.public_id,
        "name": row.name,
        "kind": row.kind,
        "size": row.size,
        "width": row.width,
        "height": row.height,
    }


def attachments_of(visit: Visit, reader: Principal) -> list[dict[str, Any]]:
    """Return a visit's files, oldest first, each with its address for this reader."""
    rows = Attachment.objects.filter(visit=visit, state=Attachment.State.KEPT)
    found = []
    for row in rows.order_by("pk"):
        address, until = address_of(row.public_id, reader)
        found.append({**attachment_out(row), "url": address, "until": until})
    return found


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file on a page, with its address for the page's reader."""

    row: Attachment
    url: str


def shown_file(message: Message, reader: Principal) -> ShownFile | None:
    """Return a message's file for one reader, or None."""
    row = attachment_of(message)
    return None if row is None else ShownFile(row, address_of(row.public_id, reader)[0])
