"""A file of a room, at a URL signed for its reader."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from poolsite import access
from poolsite.access import Principal
from queueing.line.file_addresses import Address, read_address, reader_of
from queueing.line.models import Attachment
from queueing.line.services.attachments import storage
from queueing.line.topics.scope import may_read, place_of

SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-cache",  # cached, and revalidated before each use
}


@require_safe
def attachment_file(request: HttpRequest, signed: str) -> HttpResponse:
    """Return the file: pictures inline, a PDF as a download.

    404 if the user may not read it now.
    """
    address = read_address(signed)
    row = None if address is None else _found(address, access.principal_of_request(request))
    if row is None:
        raise Http404
    etag = f'"{row.public_id}"'
    answer = get_conditional_response(request, etag=etag) or HttpResponse(
        b"" if request.method == "HEAD" else _bytes_of(row), content_type=row.kind
    )
    disposition = content_disposition_header(not row.is_picture, row.name)
    for name, value in {**SAFE, "ETag": etag, "Content-Disposition": disposition or ""}.items():
        answer[name] = value
    return answer


def _found(address: Address, principal: Principal) -> Attachment | None:
    rows = Attachment.objects.select_related("visit__desk", "visit__queue")
    row = rows.filter(public_id=address.attachment, state=Attachment.State.KEPT).first()
    if row is None:
        return None
    if address.reader == f"visitor:{row.visit.public_id}":
        return row
    is_reader = address.reader == reader_of(principal)
    return row if is_reader and may_read(principal, place_of(row.visit)) else None


def _bytes_of(row: Attachment) -> bytes:
    """Return the content, up to 25 MB. Raise Http404 if the storage has lost it."""
    try:
        with storage().open(row.file) as file:
            found: bytes = file.read()
            return found
    except FileNotFoundError:
        raise Http404 from None
